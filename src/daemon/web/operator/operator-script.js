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

/** How a run gets on; when it has ended, the page is loaded again. @param {HTMLElement} live */
function follow(live) {
  const source = new EventSource(live.dataset.live ?? '');
  source.addEventListener('progress', ({ data }) => {
    const text = JSON.parse(data);
    if (live.textContent !== text) live.textContent = text;
  });
  source.addEventListener('ended', () => {
    source.close();
    // What somebody is about to decide is not taken from under their hands.
    const isInUse = [...boxes].some((box) => box.checked) || document.activeElement instanceof HTMLInputElement;
    if (isInUse) live.textContent = 'It has ended. Load this page again to see what came of it.';
    else location.reload();
  });
}

for (const live of document.querySelectorAll('[data-live]')) if (live instanceof HTMLElement) follow(live);
countSelected();
document.documentElement.classList.add('scripted');
