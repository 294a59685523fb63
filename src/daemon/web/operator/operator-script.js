// Runs in the reader's browser. Every page also works without this script.

const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll('input[name=change]'));
/** Changes that `select-all` may tick. All others must be ticked one by one. */
const common = [...boxes].filter((box) => box.dataset.alone === undefined);
const all = /** @type {HTMLInputElement | null} */ (document.getElementById('select-all'));
const counts = document.querySelectorAll('.selected');

function countSelected() {
  const count = [...boxes].filter((box) => box.checked).length;
  for (const shown of counts) shown.textContent = `(${count})`;
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

/** Texts and selections of the last sent form, kept in this tab for "Back to the form". */
const TYPED = 'typed';

/** The fields that a person fills in. @param {HTMLFormElement} form */
function listTyped(form) {
  const inputs = [...form.elements].filter((one) => one instanceof HTMLInputElement);
  return inputs.filter(({ type }) => type !== 'hidden' && type !== 'password');
}

/** @param {SubmitEvent} event */
function keepTyped({ target }) {
  if (!(target instanceof HTMLFormElement) || target.method !== 'post') return;
  const fields = listTyped(target).map(({ id, name, value, checked }) => ({ id, name, value, checked }));
  const { pathname } = location;
  sessionStorage.setItem(TYPED, JSON.stringify({ pathname, action: target.getAttribute('action'), fields }));
}

/** Fills in the form again, because browsers forget the fields of a page that they must not store. */
function restoreTyped() {
  const kept = JSON.parse(sessionStorage.getItem(TYPED) ?? 'null');
  if (kept?.isBack !== true) return;
  sessionStorage.removeItem(TYPED);
  const forms = [...document.forms].filter((form) => form.getAttribute('action') === kept.action);
  for (const form of kept.pathname === location.pathname ? forms : []) {
    for (const input of listTyped(form)) {
      const one = kept.fields.find((/** @type {HTMLInputElement} */ { id, name, value }) =>
        input.type === 'checkbox' ? name === input.name && value === input.value : id === input.id,
      );
      if (one === undefined) continue;
      [input.value, input.checked] = [one.value, one.checked];
      const around = input.closest('details');
      if (around !== null) around.open = true;
    }
  }
}

function goBack() {
  const kept = JSON.parse(sessionStorage.getItem(TYPED) ?? '{}');
  sessionStorage.setItem(TYPED, JSON.stringify({ ...kept, isBack: true }));
  history.back();
}

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

for (const back of document.querySelectorAll('[data-back]')) back.addEventListener('click', goBack);
for (const live of document.querySelectorAll('[data-live]')) if (live instanceof HTMLElement) follow(live);
for (const shown of document.querySelectorAll('[data-countdown]')) if (shown instanceof HTMLElement) countDown(shown);
document.addEventListener('submit', keepTyped);
restoreTyped();
countSelected();
document.documentElement.classList.add('scripted');
