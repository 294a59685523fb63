import { isoNow } from '../../../../base/clock.js';
import { createDayFinder } from '../../../../model/date-in-zone.js';
import { foldKey } from '../../../../model/observed.js';
import { findMidnight } from '../../../../operations/parse-until.js';
import { nameDone, nameField, nameLogKind, nameMany } from '../../../../report/texts/audit-names.js';
import { renderField, renderSelect, type SelectOption } from '../../../../report/writers/page/form-parts.js';
import { formatNumber, type Html, html } from '../../../../report/writers/page/html-text.js';
import type { EntryCounts, LogCounts } from '../../../../store/audit/count-log.js';
import { ENTRY_KINDS, type LogKind } from '../../../../store/audit/entry-kinds.js';
import { EXPORT_FORMATS } from '../../../../store/audit/export-log.js';
import { EVERY_LINE, type LogFilter } from '../../../../store/audit/log-filter.js';
import { tenantPath } from '../deciding.js';
import { WebRefusal, type WebRequest } from '../route.js';
import { zoneOf } from './times.js';

/** The field that is always visible. The fields in `TYPED` are collapsed. */
const WHO = { name: 'who', label: 'Person or object (name, e-mail, key)', type: 'search' } as const;
const TYPED = [
  { name: 'by', label: 'Decided or approved by', type: 'text' },
  { name: 'run', label: 'Run', type: 'text' },
  { name: 'from', label: 'From', type: 'date' },
  { name: 'to', label: 'Until the end of', type: 'date' },
] as const;

/** Fields with a list of values, and the displayed name of each value. */
const CHOSEN = [
  { name: 'kind', label: 'Kind of entry', word: (kind: string) => nameLogKind(kind as LogKind) },
  { name: 'entity', label: 'About', word: nameMany },
  { name: 'action', label: 'Change', word: nameDone },
  { name: 'field', label: 'Field', word: nameField },
] as const;

type ChosenName = (typeof CHOSEN)[number]['name'];

/**
 * Reads the filter from the address. The object is looked up by name later.
 *
 * @throws WebRefusal 400 for a malformed day, or an unknown kind
 */
export function readAuditQuery(request: WebRequest): { readonly who: string | null; readonly filter: LogFilter } {
  const get = (name: string): string | null => request.query.get(name)?.trim() || null;
  const [by, from, to, kind] = ['by', 'from', 'to', 'kind'].map(get);
  const known = ENTRY_KINDS.find((one) => one === kind);
  if (kind != null && known === undefined) throw new WebRefusal(400, 'There are no entries of that kind.');
  const filter = {
    ...EVERY_LINE,
    ...{ run: get('run'), entity: get('entity'), action: get('action'), field: get('field') },
    by: by == null ? null : foldKey(by),
    from: from == null ? null : readDayStart(request, from, 0),
    to: to == null ? null : readDayStart(request, to, 1),
    kind: known ?? null,
  };
  return { who: get('who'), filter };
}

const DAY_MS = 86_400_000;

/** The beginning of a day in the tenant's time zone, `later` days after the typed day. */
function readDayStart(request: WebRequest, text: string, later: number): string {
  const day = Date.parse(`${text}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(day)) throw new WebRefusal(400, 'Write a day as 2026-11-23.');
  const wanted = new Date(day + later * DAY_MS).toISOString().slice(0, 10);
  return new Date(findMidnight(wanted, zoneOf(request))).toISOString();
}

/** Path of the same filter with some parts replaced; null removes a part. */
export function auditPath(request: WebRequest, change: Readonly<Record<string, string | null>>): string {
  const asked = new URLSearchParams([...request.query].filter(([, text]) => text.trim() !== ''));
  for (const [name, text] of Object.entries({ before: null, ...change })) {
    if (text === null) asked.delete(name);
    else asked.set(name, text);
  }
  return `${tenantPath(request)}/audit${asked.size === 0 ? '' : `?${asked.toString()}`}`;
}

/** Time ranges that end today; null for all entries. */
const RANGES = [
  { text: 'Today', days: 1 },
  { text: 'Last 7 days', days: 7 },
  { text: 'Last 30 days', days: 30 },
  { text: 'All', days: null },
] as const;

export function renderRanges(request: WebRequest): Html {
  const [from = '', to = ''] = ['from', 'to'].map((name) => request.query.get(name)?.trim());
  const links = RANGES.map(({ text, days }) => {
    const start = days === null ? null : dayBefore(request, days - 1);
    const current = to === '' && from === (start ?? '') ? html` aria-current="true"` : null;
    return html`<li><a href="${auditPath(request, { from: start, to: null })}"${current}>${text}</a></li>`;
  });
  return html`<nav class="ranges" aria-label="Time"><ul>${links}</ul></nav>`;
}

function dayBefore(request: WebRequest, days: number): string {
  const today = createDayFinder(zoneOf(request))(isoNow(request.parts.clock));
  return new Date(Date.parse(`${today}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, 10);
}

/** @param choices number of entries per value; null if the entries were not counted */
export function renderAuditForm(request: WebRequest, choices: LogCounts['choices'] | null): Html {
  const { query } = request;
  const renderTyped = ({
    name,
    label,
    type,
  }: {
    readonly name: string;
    readonly label: string;
    readonly type: string;
  }) => renderField(label, { id: name, name, type, value: query.get(name) ?? '', maxlength: 200 });
  // `from` is also set by the links and shown in the introduction, so it does not open the details.
  const isOpen = TYPED.some(({ name }) => name !== 'from' && (query.get(name) ?? '') !== '') ? html` open` : null;
  const chosen = CHOSEN.map(({ name, label, word }) =>
    renderChoice({ name, label, word }, choices?.[name] ?? null, query.get(name)?.trim() ?? ''),
  );
  const base = `${tenantPath(request)}/audit`;
  const formats = EXPORT_FORMATS.map(
    (format) =>
      html`<button name="format" value="${format}" formaction="${base}/export">Export ${format.toUpperCase()}</button>`,
  );
  return html`<form class="record" method="get" role="search" action="${base}"><div class="fields">${renderTyped(WHO)}${chosen}</div><details class="more"${isOpen}><summary>By run, day and decider</summary><div class="fields">${TYPED.map(renderTyped)}</div></details><p class="actions"><button class="main">Show</button>${formats}<a href="${base}">Reset</a></p></form>`;
}

interface ChoiceField {
  readonly name: ChosenName;
  readonly label: string;
  readonly word: (value: string) => string;
}

function renderChoice({ name, label, word }: ChoiceField, counts: EntryCounts | null, chosen: string): Html {
  // Every kind stays in the list, so that a filter by person does not hide that a kind exists.
  const known = name === 'kind' ? ENTRY_KINDS : [];
  const all = [...new Set([...known, ...(counts?.keys() ?? []), ...(chosen === '' ? [] : [chosen])])].map((one) => ({
    value: one,
    text: counts === null ? word(one) : `${word(one)} (${formatNumber(counts.get(one) ?? 0)})`,
  }));
  const options: readonly SelectOption[] = [
    { value: '', text: 'all' },
    ...all.toSorted((a, b) => a.text.localeCompare(b.text)),
  ];
  return html`<p class="field"><label for="${name}">${label}</label>${renderSelect({ id: name, name }, options, chosen)}</p>`;
}
