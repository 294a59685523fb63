import { renderInput, type SelectOption } from '../../report/writers/page/form-parts.js';
import { formatNumber, type Html, html } from '../../report/writers/page/html-text.js';
import { renderChoice } from './form-fields.js';
import type { PageRequest } from './page.js';

export const PAGE_SIZE = 50;

/** Reads the offset of the page in a list. */
export function readFrom({ query }: PageRequest): number {
  const from = query.get('from') ?? '';
  return /^\d{1,9}$/.test(from) ? Number(from) : 0;
}

/** One page of a list. One more record is read to find out if there is another page. */
export interface ListPart<T> {
  readonly shown: readonly T[];
  readonly from: number;
  readonly hasMore: boolean;
  /** Total number of records, if it is known without extra work. */
  readonly total?: number;
}

export function cutPart<T>(found: readonly T[], from: number, total?: number): ListPart<T> {
  const part = { shown: found.slice(0, PAGE_SIZE), from, hasMore: found.length > PAGE_SIZE };
  return total === undefined ? part : { ...part, total };
}

export interface ListColumn {
  readonly name: string;
  readonly isNumber?: true;
}

/** Renders a table. On narrow screens, each row is a block in which cells show the names of their columns. */
export function renderTable(columns: readonly ListColumn[], rows: readonly (readonly Html[])[]): Html {
  const heads = columns.map(
    ({ name, isNumber }) => html`<th scope="col"${isNumber ? html` class="number"` : null}>${name}</th>`,
  );
  const lines = rows.map((cells) => {
    const all = cells.map((cell, i) => {
      if (i === 0) return html`<th scope="row">${cell}</th>`;
      const { name = '', isNumber } = columns[i] ?? {};
      const look = cell.html === '' ? 'none' : '';
      return html`<td data-name="${name}" class="${isNumber ? 'count' : look}">${cell}</td>`;
    });
    return html`<tr>${all}</tr>`;
  });
  return html`<div class="scroll"><table class="plain stack"><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table></div>`;
}

/** Renders links to the previous and next page, with the range of records shown; `what` is a plural noun. */
export function renderPager(page: PageRequest, { shown, from, hasMore, total }: ListPart<unknown>, what: string): Html {
  const range = `${formatNumber(from + 1)} to ${formatNumber(from + shown.length)}`;
  const all = total === undefined ? '' : ` of ${formatNumber(total)}`;
  const said = shown.length === 0 ? `No ${what} here.` : `${what}: ${range}${all}`;
  const text = said.charAt(0).toUpperCase() + said.slice(1);
  const before =
    from === 0 ? null : html`<a rel="prev" href="${addressAt(page, Math.max(0, from - PAGE_SIZE))}">← Back</a>`;
  const after = hasMore ? html`<a rel="next" href="${addressAt(page, from + PAGE_SIZE)}">Next →</a>` : null;
  return html`<nav class="pager" aria-label="Parts of the list"><span class="muted">${text}</span>${before}${after}</nav>`;
}

function addressAt({ path, query }: PageRequest, from: number): string {
  const asked = new URLSearchParams(
    [...query].filter(([name, text]) => !['from', 'done'].includes(name) && text !== ''),
  );
  if (from > 0) asked.set('from', String(from));
  return asked.size === 0 ? path : `${path}?${asked}`;
}

export interface ListFilter {
  readonly name: string;
  readonly label: string;
  readonly options: readonly SelectOption[];
}

/** Renders a search form with filters. It uses GET, so that people can bookmark its address. */
export function renderSearch({ query, path }: PageRequest, label: string, filters: readonly ListFilter[] = []): Html {
  const selects = filters.map(({ name, label: title, options }) => {
    const own = { name, 'aria-label': title };
    return renderChoice(own, [{ value: '', text: title }, ...options], query.get(name) ?? '');
  });
  const isAsked = ['q', ...filters.map(({ name }) => name)].some((name) => (query.get(name) ?? '') !== '');
  const clear = isAsked ? html`<a href="${path}">Show all</a>` : null;
  const own = { type: 'search', name: 'q', value: query.get('q') ?? '', 'aria-label': label, placeholder: label };
  return html`<form class="tools" role="search">${renderInput({ ...own, dir: 'auto' })}${selects}<button>Search</button>${clear}</form>`;
}
