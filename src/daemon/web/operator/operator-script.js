// Runs in the reader's browser. Every page also works without this script.

const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('input[name=change]'));
/** Changes that `select-all` may tick. All others must be ticked one by one. */
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

/** Reloads the page, unless someone is about to decide something. @param {HTMLElement} notice @param {string} instead */
function reload(notice, instead) {
  const isInUse = [...boxes].some((box) => box.checked) || document.activeElement instanceof HTMLInputElement;
  if (isInUse) notice.textContent = instead;
  else location.reload();
}

/** Shows the progress of a run, and reloads the page at its end. @param {HTMLElement} live */
function follow(live) {
  const source = new EventSource(live.dataset.live ?? '');
  source.addEventListener('progress', ({ data }) => {
    const text = JSON.parse(data);
    if (live.textContent !== text) live.textContent = text;
  });
  source.addEventListener('ended', () => {
    source.close();
    reload(live, 'It has ended. Load this page again to see the result.');
  });
}

/** Counts down the seconds until a run. @param {HTMLElement} shown */
function countDown(shown) {
  const endMs = performance.now() + 1_000 * Number(shown.dataset.countdown);
  const timer = setInterval(() => {
    const left = Math.ceil((endMs - performance.now()) / 1_000);
    shown.textContent = String(Math.max(0, left));
    // Wait one more second, so that the run has started.
    if (left > -1) return;
    clearInterval(timer);
    reload(shown, '0');
  }, 1_000);
}

for (const back of document.querySelectorAll('[data-back]')) back.addEventListener('click', () => history.back());
for (const live of document.querySelectorAll('[data-live]')) if (live instanceof HTMLElement) follow(live);
for (const shown of document.querySelectorAll('[data-countdown]')) if (shown instanceof HTMLElement) countDown(shown);
countSelected();
document.documentElement.classList.add('scripted');
