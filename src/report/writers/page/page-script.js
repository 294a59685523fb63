// Runs in the reader's browser. All data is inserted as text, never as HTML. The page sends no requests.

import { fold, haystackOf, renderRow } from './page-rows.js';

/** Columns that are not sorted by their text. */
const SORTS = { action: rankOf, entity: (row) => row.e, state: (row) => row.s };

/** @type {(id: string) => any} */
const byId = (id) => document.getElementById(id);
/** @type {import('./page-rows.js').Names} */
const names = JSON.parse(byId('names').textContent);
/** @type {import('./page-rows.js').Row[]} */
const rows = [...document.querySelectorAll('script.rows')].flatMap((part) => JSON.parse(part.textContent ?? '[]'));
// Failed and dangerous changes come first. All other changes keep the order of the report.
rows.sort((x, y) => Number(isFailed(y)) - Number(isFailed(x)) || x.a - y.a);
const body = byId('rows');
const tools = byId('tools');
const status = byId('status');
const collator = new Intl.Collator('und', { numeric: true, sensitivity: 'base' });
const numbers = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, '\u202f');

/** The current view. The address contains the view after the `#`, so that readers can share it. */
const view = { q: '', entity: '', action: '', state: '', field: '', sort: '', page: 0 };
const open = new Set();
let ordered = rows;
let orderedBy = '';
let found = rows;
let target = '';
let isPrinting = false;

function isFailed(row) {
  return names.states[row.s].id === 'failed';
}

function rankOf(row) {
  return row.a;
}

/** Sorts once per selected header, not for each typed letter. */
function orderRows() {
  if (orderedBy === view.sort) return;
  orderedBy = view.sort;
  const [by, direction] = view.sort.split('-');
  const pick = SORTS[by] ?? ((row) => row[by] ?? '');
  const compare = (x, y) => (typeof x === 'number' ? x - y : collator.compare(x, y));
  const sign = direction === 'desc' ? -1 : 1;
  ordered = by === '' ? rows : rows.toSorted((x, y) => sign * compare(pick(x), pick(y)));
}

function filterRows() {
  orderRows();
  const [e, a, s] = [
    names.entities.findIndex(({ name }) => name === view.entity),
    names.actions.findIndex(({ name }) => name === view.action),
    names.states.findIndex(({ id }) => id === view.state),
  ];
  const words = fold(view.q).split(/\s+/).filter(Boolean);
  // The name of a stream contains a dot: `to crm.deals.stage`.
  const dot = view.field.lastIndexOf('.');
  const [of, field] = [view.field.slice(0, dot), view.field.slice(dot + 1)];
  found = ordered.filter(
    (row) =>
      (view.entity === '' || row.e === e) &&
      (view.action === '' || row.a === a) &&
      (view.state === '' || row.s === s) &&
      (view.field === '' ||
        (names.entities[row.e]?.name === of && row.diff.some(([name]) => name.replace(/[.[].*$/, '') === field))) &&
      words.every((word) => haystackOf(row).includes(word)),
  );
}

/**
 * True if the details of a change must be printed. The line is enough for one short value, and the fields of a new object
 * are left out.
 */
function needsDetail({ diff, a, s }) {
  if (['failed', 'left'].includes(names.states[s].id ?? '')) return true;
  const isLong = diff.some(([, before, after]) => `${before ?? ''}${after ?? ''}`.length > 60);
  return names.actions[a].name === 'create' ? false : diff.length > 1 || isLong;
}

/** @param {import('./page-rows.js').Row} row */
function linesOf(row) {
  const isOpen = isPrinting ? needsDetail(row) : open.has(row.id);
  return renderRow(row, names, { isOpen, isTarget: row.id === target });
}

const AT_ONCE = 25;
const IN_A_PAUSE = 100;
let later = 0;

/** While the reader types, lines below the screen are added during pauses, so that typing is not delayed. */
function renderLines(shown, isTyping) {
  cancelAnimationFrame(later);
  const first = isTyping ? AT_ONCE : shown.length;
  body.replaceChildren(linesIn(shown, 0, first));
  const goOn = (from) => {
    if (from >= shown.length) return;
    later = requestAnimationFrame(() => {
      body.append(linesIn(shown, from, from + IN_A_PAUSE));
      goOn(from + IN_A_PAUSE);
    });
  };
  goOn(first);
}

/** Uses a fragment, because a call cannot take ten thousand lines as arguments. */
function linesIn(shown, from, to) {
  const lines = document.createDocumentFragment();
  for (const row of shown.slice(from, to)) lines.append(...linesOf(row));
  return lines;
}

function show(isTyping = false) {
  const size = Number(byId('size').value);
  const pages = Math.max(1, Math.ceil(found.length / size));
  view.page = Math.min(Math.max(0, view.page), pages - 1);
  const first = view.page * size;
  const shown = isPrinting ? found : found.slice(first, first + size);
  renderLines(shown, isTyping);
  const all =
    found.length === rows.length
      ? `${numbers(rows.length)} changes`
      : `${numbers(found.length)} of ${numbers(rows.length)} changes`;
  const range = isPrinting
    ? 'all shown'
    : `${numbers(first + 1)} to ${numbers(Math.min(first + size, found.length))} shown`;
  status.textContent = found.length === 0 ? 'No change matches. Clear the filter to see all.' : `${all}, ${range}`;
  byId('page').textContent = `Page ${numbers(view.page + 1)} of ${numbers(pages)}`;
  byId('previous').disabled = view.page === 0;
  byId('next').disabled = view.page >= pages - 1;
  for (const button of document.querySelectorAll('[data-sort]')) {
    const [by, direction] = view.sort.split('-');
    const order = direction === 'desc' ? 'descending' : 'ascending';
    button.closest('th')?.setAttribute('aria-sort', by === button.getAttribute('data-sort') ? order : 'none');
  }
}

function showFound() {
  filterRows();
  show();
}

/** Writes the view into the address, without a new history entry for every typed letter. */
function rememberView() {
  const kept = Object.entries(view).filter(([name, value]) => name !== 'page' && value !== '');
  const hash = new URLSearchParams(/** @type {[string, string][]} */ (kept)).toString();
  history.replaceState(null, '', hash === '' ? location.pathname + location.search : `#${hash}`);
}

function fillTools() {
  for (const name of ['q', 'entity', 'action', 'state', 'field']) tools.elements[name].value = view[name];
}

/** Reads the view from the address: one change, a filter, or a section of the page. The browser finds a section by itself. */
function followAddress() {
  const hash = decodeURIComponent(location.hash.slice(1));
  const id = hash.startsWith('change-') ? hash.slice('change-'.length) : '';
  const row = rows.find((one) => one.id === id);
  if (row !== undefined) return showChange(row);
  if (!hash.includes('=')) return showFound();
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of ['q', 'entity', 'action', 'state', 'field', 'sort']) view[name] = given.get(name) ?? '';
  view.page = 0;
  fillTools();
  showFound();
  byId('changes').scrollIntoView();
}

function showChange(row) {
  target = row.id;
  open.add(row.id);
  filterRows();
  if (!found.includes(row)) {
    Object.assign(view, { q: '', entity: '', action: '', state: '', field: '' });
    fillTools();
    filterRows();
  }
  view.page = Math.floor(found.indexOf(row) / Number(byId('size').value));
  show();
  // The id of the row differs from the address. Otherwise the browser would scroll to the row by itself and remove the
  // focus.
  byId(`row-${row.id}`).scrollIntoView({ block: 'center' });
  focusRow(row.id);
}

function focusRow(id) {
  const toggle = body.querySelector(`[data-id="${CSS.escape(id)}"]`);
  if (toggle instanceof HTMLElement) toggle.focus({ preventScroll: true });
}

/** Replaces only this row. All others stay unchanged. */
function toggleRow(id) {
  const row = found.find((one) => one.id === id);
  if (row === undefined) return;
  if (!open.delete(id)) open.add(id);
  byId(`detail-${id}`)?.remove();
  byId(`row-${id}`).replaceWith(...linesOf(row));
  focusRow(id);
}

function turnPage(by) {
  view.page += by;
  show();
  byId('changes').scrollIntoView();
  // A disabled button loses the focus. The focus moves to the other button, not to the top of the page.
  const [pressed, other] = by > 0 ? ['next', 'previous'] : ['previous', 'next'];
  if (byId(pressed).disabled) byId(other).focus({ preventScroll: true });
}

/** Moves the focus between changes, even across pages, and from the search to the first result. */
function goTo(by, from) {
  const all = [...body.querySelectorAll('.toggle')];
  const next = all[from === null ? 0 : all.indexOf(from) + by];
  if (next !== undefined) return next.focus();
  if (byId(by > 0 ? 'next' : 'previous').disabled) return;
  turnPage(by);
  [...body.querySelectorAll('.toggle')].at(by > 0 ? 0 : -1)?.focus();
}

tools.addEventListener('input', ({ target: field }) => {
  view[field.name] = field.value;
  view.page = 0;
  filterRows();
  show(true);
  rememberView();
});
tools.addEventListener('submit', (event) => event.preventDefault());
tools.addEventListener('reset', (event) => {
  event.preventDefault();
  Object.assign(view, { q: '', entity: '', action: '', state: '', field: '', sort: '', page: 0 });
  fillTools();
  showFound();
  rememberView();
});
byId('size').addEventListener('change', () => showFound());
byId('previous').addEventListener('click', () => turnPage(-1));
byId('next').addEventListener('click', () => turnPage(1));
byId('expand').addEventListener('click', () => {
  const ids = [...body.querySelectorAll('[data-id]')].map((button) => button.getAttribute('data-id'));
  const isAll = ids.every((id) => open.has(id));
  for (const id of ids) isAll ? open.delete(id) : open.add(id);
  show();
});
body.addEventListener('click', (event) => {
  const line = event.target.closest('tr.change');
  if (line !== null && String(getSelection()) === '') toggleRow(line.id.slice('row-'.length));
});
for (const button of document.querySelectorAll('[data-sort]')) {
  button.addEventListener('click', () => {
    const by = button.getAttribute('data-sort');
    const next = { [`${by}`]: `${by}-desc`, [`${by}-desc`]: '' };
    view.sort = next[view.sort] ?? by ?? '';
    view.page = 0;
    showFound();
    rememberView();
  });
}
addEventListener('keydown', (event) => {
  const { key, target: on } = event;
  const isTyping = on instanceof HTMLInputElement || on instanceof HTMLSelectElement;
  if (key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    byId('q').focus();
    byId('q').select();
  } else if ((key === 'ArrowDown' || key === 'ArrowUp') && on instanceof HTMLElement && on.matches('.toggle')) {
    event.preventDefault();
    goTo(key === 'ArrowDown' ? 1 : -1, on);
  } else if (key === 'ArrowDown' && on === byId('q')) {
    event.preventDefault();
    goTo(1, null);
  }
});
addEventListener('hashchange', followAddress);
// A printed page shows every change that the filter finds, each with its values.
addEventListener('beforeprint', () => {
  isPrinting = true;
  for (const group of document.querySelectorAll('details')) group.open = true;
  show();
});
addEventListener('afterprint', () => {
  isPrinting = false;
  show();
});
followAddress();
// Folds the texts while the browser is idle, so that the first search is as fast as later ones.
(function foldAhead(from) {
  (globalThis.requestIdleCallback ?? setTimeout)(() => {
    rows.slice(from, from + 500).forEach(haystackOf);
    if (from + 500 < rows.length) foldAhead(from + 500);
  });
})(0);
