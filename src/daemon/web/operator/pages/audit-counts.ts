import { capitalise } from '../../../../report/sections/words.js';
import { nameDone, nameLogKind, nameMany } from '../../../../report/texts/audit-names.js';
import { formatNumber, type Html, html } from '../../../../report/writers/page/html-text.js';
import type { LogCounts } from '../../../../store/audit/count-log.js';
import type { LogFilter } from '../../../../store/audit/log-filter.js';
import type { WebRequest } from '../route.js';
import { auditPath } from './audit-filter.js';
import { zoneOf } from './times.js';

/** `31 of 1 204 entries, 23–30 November 2026`; without a filter, only the total. */
export function tellFitting(request: WebRequest, { from, to }: LogFilter, counts: LogCounts, isAll: boolean): string {
  const { fitting, all, isComplete } = counts;
  const entries = `${formatNumber(all)} ${all === 1 ? 'entry' : 'entries'}`;
  if (isAll) return entries;
  return `${isComplete ? '' : 'At least '}${formatNumber(fitting)} of ${entries}${describeTime(from, to, zoneOf(request))}`;
}

function describeTime(from: string | null, to: string | null, timeZone: string): string {
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone });
  const last = to === null ? null : new Date(Date.parse(to) - 1);
  if (from === null) return last === null ? '' : `, until ${day.format(last)}`;
  return last === null ? `, since ${day.format(new Date(from))}` : `, ${day.formatRange(new Date(from), last)}`;
}

/**
 * Counts by kind, each with a link to the entries counted; null if there are none.
 *
 * @param isNarrow true if the filter leaves out kinds of entries
 */
export function renderCounts(
  request: WebRequest,
  { changes, kinds, isComplete }: LogCounts,
  { mostLooked, isNarrow }: { readonly mostLooked: number; readonly isNarrow: boolean },
): Html | null {
  const made = [...changes].map(([entity, actions]) => ({
    name: nameMany(entity),
    links: [...actions].map(([action, count]) =>
      renderCount(request, { entity, action, kind: 'changes' }, count, nameDone(action)),
    ),
  }));
  const others = [...kinds].map(([kind, count]) => ({
    name: nameLogKind(kind),
    links: [renderCount(request, { kind }, count, count === 1 ? 'entry' : 'entries')],
  }));
  // Without a decision, the rules alone allowed all of these changes.
  const isUndecided = isComplete && !isNarrow && made.length > 0 && !kinds.has('decisions');
  const nobody = { name: nameLogKind('decisions'), links: [html`none: nobody approved or declined anything`] };
  const rows = [...made, ...others, ...(isUndecided ? [nobody] : [])].map(
    ({ name, links }) => html`<tr><th scope="row">${capitalise(name)}</th><td>${links}</td></tr>`,
  );
  if (rows.length === 0) return null;
  const part = isComplete ? null : html`<p class="muted">Covers the newest ${formatNumber(mostLooked)} entries.</p>`;
  return html`<section aria-labelledby="counts-heading"><h2 id="counts-heading">In numbers</h2>${part}<table class="plain counts"><tbody>${rows}</tbody></table></section>`;
}

function renderCount(
  request: WebRequest,
  narrower: Readonly<Record<string, string>>,
  count: number,
  word: string,
): Html {
  return html`<a class="short" href="${auditPath(request, narrower)}">${formatNumber(count)} ${word}</a> `;
}
