// Runs in the reader's browser and only keeps pages up to date; everything else works without it. Received data is either
// inserted as text or comes from a page of the sandbox, where it is already escaped.

const main = /** @type {HTMLElement} */ (document.getElementById('main'));
const watch = /** @type {HTMLElement} */ (document.getElementById('watch'));
/** The state that the page shows: the number of its newest call, and a mark of the account's state. */
let { after = '0', mark = '' } = document.body.dataset;
/** The page as received, for detecting changes. */
let known = main.innerHTML;
let isEdited = false;
let isFetching = false;
/** @type {EventSource | null} */
let source = null;

const numbers = (/** @type {number} */ count) => String(count).replace(/\B(?=(\d{3})+$)/g, '\u202f');

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, text] of Object.entries(attributes)) element.setAttribute(name, text);
  element.append(...children);
  return element;
}

/** @param {number} status */
function toneOf(status) {
  if (status === 0 || status >= 500) return 'bad';
  return status >= 400 ? 'warn' : 'good';
}

/** @param {import('./shown-call.js').ShownCall} call */
function makeRow({ at, method, path, status, ms, by, about }) {
  const said = status === 0 ? 'no answer' : String(status);
  const link = about === null ? '' : make('a', { href: about.address }, make('bdi', {}, about.name));
  const call = make('span', { class: 'call' }, make('b', {}, method), ' ', make('code', {}, path));
  return make(
    'tr',
    { class: 'fresh' },
    make('th', { scope: 'row' }, call),
    make('td', { 'data-name': 'About', class: about === null ? 'none' : '' }, link),
    make('td', { 'data-name': 'Status' }, make('span', { class: `badge tone-${toneOf(status)}` }, said)),
    make('td', { 'data-name': 'ms', class: 'count' }, String(ms)),
    make('td', { 'data-name': 'By' }, make('bdi', {}, by === '' ? 'unknown key' : by)),
    make('td', { 'data-name': 'At' }, make('time', {}, at)),
  );
}

/** @param {MessageEvent<string>} event */
function showCalls({ data, lastEventId }) {
  after = lastEventId;
  const list = document.querySelector('[data-watch]');
  const rows = list?.querySelector('tbody');
  if (!list || !rows) return;
  const { calls, missed } = JSON.parse(data);
  if (missed > 0) {
    const text = `${numbers(missed)} more calls in between, too many to list`;
    rows.prepend(make('tr', {}, make('td', { colspan: '6', class: 'muted' }, text)));
  }
  for (const call of calls) rows.prepend(makeRow(call));
  const most = Number(list.getAttribute('data-watch')) || 200;
  while (rows.children.length > most) rows.lastElementChild?.remove();
}

/** @param {MessageEvent<string>} event */
function showCounts({ data }) {
  const counts = JSON.parse(data);
  for (const element of document.querySelectorAll('[data-count]')) {
    const count = counts[element.getAttribute('data-count') ?? ''];
    if (count !== undefined) element.textContent = numbers(count);
  }
  if (counts.mark === mark) return;
  mark = counts.mark;
  void refresh();
}

/** Updates lists in all cases, and a record unless someone is editing its form. */
async function refresh() {
  const parts = [...document.querySelectorAll('[data-fresh]')];
  if (isFetching || (parts.length === 0 && document.querySelector('[data-watch]') !== null)) return;
  isFetching = true;
  try {
    const answer = await fetch(location.href, { cache: 'no-store' });
    if (!answer.ok) return note('The record was removed, or the sandbox does not answer.');
    const now = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('main');
    if (now !== null && parts.length > 0) replaceParts(parts, now);
    else if (now !== null && now.innerHTML !== known) replaceWhole(now);
  } catch {
    // The next event causes another attempt.
  } finally {
    isFetching = false;
  }
}

/**
 * @param {Element[]} parts
 * @param {Element} now
 */
function replaceParts(parts, now) {
  const others = now.querySelectorAll('[data-fresh]');
  for (const [i, part] of parts.entries()) {
    if (!part.contains(document.activeElement)) part.replaceChildren(...(others[i]?.childNodes ?? []));
  }
}

/** @param {Element} now */
function replaceWhole(now) {
  const isInUse = isEdited || main.querySelector('details[open]') !== null || main.contains(document.activeElement);
  if (isInUse) return note('This page has changed since you opened it.');
  known = now.innerHTML;
  main.replaceChildren(...now.childNodes);
}

/** @param {string} text */
function note(text) {
  if (document.getElementById('changed') !== null) return;
  const link = make('a', { href: location.href }, 'Show the current version');
  main
    .querySelector('h1')
    ?.after(make('p', { id: 'changed', class: 'notice tone-warn', role: 'status' }, `${text} `, link));
}

function connect() {
  source = new EventSource(`/live?after=${after}&mark=${encodeURIComponent(mark)}`);
  source.addEventListener('open', () => {
    watch.textContent = ' · live';
  });
  source.addEventListener('error', () => {
    watch.textContent = ' · not connected';
  });
  source.addEventListener('calls', showCalls);
  source.addEventListener('counts', showCounts);
}

// Browsers allow six connections per host, so a hidden page closes its connection.
document.addEventListener('visibilitychange', () => {
  source?.close();
  source = null;
  if (document.visibilityState === 'visible') connect();
});
document.addEventListener('input', () => {
  isEdited = true;
});
document.addEventListener('keydown', (event) => {
  const { target, key, ctrlKey, metaKey, altKey } = event;
  if (key !== '/' || ctrlKey || metaKey || altKey) return;
  if (target instanceof HTMLElement && target.closest('input, textarea, select') !== null) return;
  const search = document.querySelector('input[type=search]');
  if (!(search instanceof HTMLInputElement)) return;
  event.preventDefault();
  search.select();
  search.focus();
});

document.documentElement.classList.add('scripted');
const address = new URL(location.href);
if (address.searchParams.has('done')) {
  address.searchParams.delete('done');
  history.replaceState(null, '', address);
}
if (document.visibilityState === 'visible') connect();
