// Renders one change. All data is inserted as text, never as HTML.

/**
 * One change in the form that `changes.ts` writes: `e`, `a` and `s` are indexes into the lists of names. All other properties
 * are texts by column; empty texts are left out.
 * @typedef {{ id: string, e: number, a: number, s: number, diff: [string, string | null, string | null][], haystack?: string }} Row
 * @typedef {{ id?: string, name: string, tone: string, sign?: string, label?: string }} Name
 * @typedef {{ id: string, head: string, style?: string }} Column
 * @typedef {{ columns: Column[], facts: Column[], entities: Name[], actions: Name[], states: Name[] }} Names
 */

const EMPTY = '(empty)';

/** Creates an element with attributes and content. Strings are inserted as text. */
export function el(name, attributes = {}, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value != null) element.setAttribute(key, String(value));
  element.append(...content.filter((part) => part != null));
  return element;
}

/** Removes case and accents: `jose` finds `José`, but `oresund` does not find `Øresund`, because `ø` is not an accented `o`. */
export function fold(text) {
  // Most texts have no accents, and a page has millions of characters, so this check saves time.
  if (!/[^\x20-\x7e\s]/.test(text)) return text.toLowerCase();
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

export function haystackOf(row) {
  row.haystack ??= fold(
    [...Object.values(row).filter((value) => typeof value === 'string'), ...row.diff.flat()].join('\n'),
  );
  return row.haystack;
}

/** Marks the changed part between the words at the beginning and the end that both texts share. */
function markPair(before, after) {
  if (before === null || after === null) return [showText(before), showText(after)];
  const [x, y] = [before, after].map((text) => text.split(/(?<=\s)(?=\S)|(?<=\S)(?=\s)/));
  let start = 0;
  while (start < x.length && start < y.length && x[start] === y[start]) start += 1;
  let end = 0;
  while (end < x.length - start && end < y.length - start && x.at(-1 - end) === y.at(-1 - end)) end += 1;
  const part = (name, words) =>
    el(
      'span',
      {},
      words.slice(0, start).join(''),
      el(name, {}, words.slice(start, words.length - end).join('')),
      words.slice(words.length - end).join(''),
    );
  return [part('del', x), part('ins', y)];
}

function showText(text) {
  return text === null || text === '' ? el('span', { class: 'empty' }, EMPTY) : text;
}

const TELLS_VALUES = new Set(['update', 'tell']);

/** The changed values of an update or a write-back. For any other action, the reason is more useful than the values. */
function summarise(row, names) {
  if (row.diff.length === 0 || !TELLS_VALUES.has(names.actions[row.a].name)) return row.reason ?? '';
  const [[field, before, after]] = row.diff;
  if (row.diff.length === 1)
    return before === null ? `${field}: ${after ?? EMPTY}` : `${field}: ${before} → ${after ?? EMPTY}`;
  const fields = [...new Set(row.diff.map(([name]) => name.replace(/[.[].*$/, '')))];
  return fields.slice(0, 4).join(', ') + (fields.length > 4 ? ` and ${fields.length - 4} more` : '');
}

/** Renderers of cells that are not plain text. */
const CELLS = {
  action: renderToggle,
  entity: (row, names) => [names.entities[row.e].label],
  label(row) {
    const [who, mail] = splitLabel(row.label ?? '');
    const below = [row.key, mail].filter((text) => text && text !== who);
    return [el('bdi', {}, who), el('p', { class: 'key' }, ...below.map((text) => el('bdi', {}, text)))];
  },
  values: (row, names) => [el('span', { class: 'what' }, el('bdi', {}, summarise(row, names)))],
  state: (row, { states }) => [el('span', { class: `badge tone-${states[row.s].tone}` }, states[row.s].name)],
};

function renderToggle(row, names, isOpen) {
  const { name, sign, tone } = names.actions[row.a];
  const toggle = el(
    'button',
    { type: 'button', class: 'toggle', 'aria-expanded': isOpen, 'data-id': row.id },
    el('span', { class: `sign tone-${tone}`, 'aria-hidden': true }, sign),
    ` ${name}`,
    el('span', { class: 'hidden' }, ` ${row.label ?? ''}`),
  );
  if (isOpen) toggle.setAttribute('aria-controls', `detail-${row.id}`);
  return [toggle];
}

/**
 * The row of a change and, if open, the row with its details.
 * @param {Row} row
 * @param {Names} names
 * @param {{ isOpen: boolean, isTarget: boolean }} how
 */
export function renderRow(row, names, { isOpen, isTarget }) {
  const cells = names.columns.map(({ id, style }) => {
    const content = CELLS[id]?.(row, names, isOpen) ?? [el('bdi', {}, row[id] ?? '')];
    return el('td', { class: [`c-${id}`, style].filter(Boolean).join(' '), role: 'cell' }, ...content);
  });
  const line = el(
    'tr',
    { class: `change${isOpen ? ' open' : ''}${isTarget ? ' target' : ''}`, id: `row-${row.id}`, role: 'row' },
    ...cells,
  );
  return isOpen ? [line, renderDetail(row, names)] : [line];
}

/** Splits `Jane Doe <jane@example.com>` into name and address, which stay separate even if a name runs from right to left. */
function splitLabel(label) {
  const parts = /^(.*\S)\s+<([^<>]*)>$/s.exec(label);
  return parts === null ? [label, ''] : [parts[1], parts[2]];
}

function renderDetail(row, names) {
  const fields = row.diff.map(([field, before, after]) => {
    const [old, now] = markPair(before, after);
    return el(
      'tr',
      { role: 'row' },
      el('th', { scope: 'row', class: 'field', role: 'rowheader' }, field),
      el('td', { class: 'old', dir: 'auto', role: 'cell' }, old),
      el('td', { class: 'new', dir: 'auto', role: 'cell' }, now),
    );
  });
  const head = el(
    'tr',
    { role: 'row' },
    ...['Field', 'Before', 'After'].map((text, i) =>
      el('th', { scope: 'col', class: i === 0 ? 'field' : null, role: 'columnheader' }, text),
    ),
  );
  const facts = names.facts.flatMap(({ id, head }) =>
    row[id] ? [el('div', {}, el('dt', {}, head), el('dd', { class: 'text' }, el('bdi', {}, row[id])))] : [],
  );
  const link = el(
    'div',
    {},
    el('dt', {}, 'Change'),
    el('dd', {}, el('a', { class: 'id', href: `#change-${row.id}` }, row.id)),
  );
  return el(
    'tr',
    { class: 'detail', id: `detail-${row.id}`, role: 'row' },
    el(
      'td',
      { colspan: names.columns.length, role: 'cell' },
      row.about ? el('p', { class: 'about' }, el('bdi', {}, `${names.states[row.s].name} ${row.about}`)) : null,
      el('p', {}, el('bdi', {}, row.reason ?? '')),
      fields.length === 0
        ? null
        : el(
            'table',
            { role: 'table' },
            el('thead', { role: 'rowgroup' }, head),
            el('tbody', { role: 'rowgroup' }, ...fields),
          ),
      el('dl', { class: 'facts' }, ...facts, link),
    ),
  );
}
