// Runs in the reader's browser, and only makes the pages handier: without it everything can be done as well.

const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('input[name=change]'));
/** Who would rule everything is ticked by name. */
const common = [...boxes].filter((box) => box.dataset.alone === undefined);
const all = /** @type {HTMLInputElement | null} */ (document.getElementById('select-all'));
const selected = document.getElementById('selected');

function countSelected() {
  const count = [...boxes].filter((box) => box.checked).length;
  if (selected !== null) selected.textContent = `(${count})`;
  if (all === null) return;
  const isAll = common.length > 0 && common.every((box) => box.checked);
  all.checked = isAll;
  all.indeterminate = count > 0 && !isAll;
}

all?.addEventListener('change', () => {
  for (const box of common) box.checked = all.checked;
  countSelected();
});
for (const box of boxes) box.addEventListener('change', countSelected);

/** Loads the page again, except where somebody is about to decide something. @param {HTMLElement} notice @param {string} instead */
function reload(notice, instead) {
  const isInUse = [...boxes].some((box) => box.checked) || document.activeElement instanceof HTMLInputElement;
  if (isInUse) notice.textContent = instead;
  else location.reload();
}

/** How a run gets on; when it has ended, the page is loaded again. @param {HTMLElement} live */
function follow(live) {
  const source = new EventSource(live.dataset.live ?? '');
  source.addEventListener('progress', ({ data }) => {
    const text = JSON.parse(data);
    if (live.textContent !== text) live.textContent = text;
  });
  source.addEventListener('ended', () => {
    source.close();
    reload(live, 'It has ended. Load this page again to see what came of it.');
  });
}

/** Counts the seconds down to a run. @param {HTMLElement} shown */
function countDown(shown) {
  const endMs = performance.now() + 1_000 * Number(shown.dataset.countdown);
  const timer = setInterval(() => {
    const left = Math.ceil((endMs - performance.now()) / 1_000);
    shown.textContent = String(Math.max(0, left));
    // The run has begun a second later.
    if (left > -1) return;
    clearInterval(timer);
    reload(shown, '0');
  }, 1_000);
}

for (const live of document.querySelectorAll('[data-live]')) if (live instanceof HTMLElement) follow(live);
for (const shown of document.querySelectorAll('[data-countdown]')) if (shown instanceof HTMLElement) countDown(shown);
countSelected();
document.documentElement.classList.add('scripted');
