import { isHeldState, isHeldWhole, showGuard } from '../../../../model/held-source.js';
import { asksSameOrAnother, asksWhoIsWho } from '../../../../model/identity-guards.js';
import type { GuardTrip } from '../../../../model/plan.js';
import type { SourceCounts } from '../../../../operations/compare-runs.js';
import { describeDeclined } from '../../../../report/sections/declined.js';
import { describeAcknowledged } from '../../../../report/sections/held.js';
import { capitalise, plural } from '../../../../report/sections/words.js';
import { formatNumber, groupDigits, type Html, html, value } from '../../../../report/writers/page/html-text.js';
import { wordCause } from '../reading.js';
import type { WebRequest } from '../route.js';
import { renderApproveForm } from './approve-form.js';
import { renderDeclineForm } from './decline-form.js';
import { titleTrip } from './guard-words.js';
import { countOpenOf } from './run-state.js';
import type { DecidedChanges, RunView } from './run-view.js';
import { renderTime, renderTwoTimes, withEnd } from './times.js';
import { renderDecision } from './waiting-list.js';
import { renderAnswers } from './waiting-page.js';

/** The content of the sources in this run and the run before, in one table. */
export function renderCause(request: WebRequest, view: RunView): Html | null {
  const { sources } = view;
  if (sources.length === 0) return null;
  const rows = sources.map((one) => renderSource(request, one));
  return html`<section id="sources" aria-labelledby="sources-heading"><h2 id="sources-heading">The sources before and now</h2><div class="scroll"><table class="plain stack"><thead><tr><th scope="col">Source</th><th scope="col" class="number">Rows before</th><th scope="col" class="number">Rows now</th><th scope="col" class="number">Difference</th><th scope="col">Read</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

function renderSource(
  request: WebRequest,
  { source, at, readAt, rows, complete, because, before }: SourceCounts,
): Html {
  const difference = rows === null || before === null ? null : rows - before.rows;
  const whole = complete
    ? html`<span class="badge tone-good">complete</span>`
    : html`<span class="badge tone-bad">incomplete</span>${because === null ? null : html`<p class="muted">${value(because)}</p>`}`;
  const [then, now] = renderReads(request, before?.readAt ?? null, readAt);
  const since = then === null ? null : html`<p class="key">${then}</p>`;
  return html`<tr><th scope="row">${value(source)}<p class="key">${value(at.replace(/^.*\//, ''))}</p></th><td data-name="Before:" class="number">${before === null ? 'none' : formatNumber(before.rows)}${since}</td><td data-name="Now:" class="number">${rows === null ? 'not read' : formatNumber(rows)}</td>
<td data-name="Difference:" class="number">${difference === null ? '·' : sign(difference)}</td><td>${now === null ? null : html`${now} `}${whole}</td></tr>`;
}

/** The times of the last two reads of a source. */
function renderReads(
  request: WebRequest,
  then: string | null,
  now: string | null,
): readonly [then: Html | null, now: Html | null] {
  if (then !== null && now !== null) return renderTwoTimes(request, then, now);
  const render = (at: string | null): Html | null => (at === null ? null : renderTime(request, at));
  return [render(then), render(now)];
}

function sign(difference: number): string {
  if (difference === 0) return '0';
  return difference > 0 ? `+${formatNumber(difference)}` : `−${formatNumber(-difference)}`;
}

/** Each guard with its cause, the new people or objects in it, and its forms to approve or decline. */
export function renderGuards(request: WebRequest, view: RunView): Html | null {
  const { guards } = view.report;
  if (guards.length === 0) return null;
  const title = view.standing.kind === 'older' ? 'Held for approval then' : 'Held for approval';
  return html`<section id="guards" aria-labelledby="guards-heading"><h2 id="guards-heading">${title}</h2>${guards.map((trip) => renderTrip(request, view, trip))}${renderNewcomers(view)}</section>`;
}

function renderTrip(request: WebRequest, view: RunView, trip: GuardTrip): Html {
  const { guard, found, limit, cause, detail, held, acknowledged, id } = trip;
  const open = countOpenOf(view, guard);
  const title = titleTrip(trip, view.standing.kind === 'older' ? 'would have been' : 'would be');
  const said = describeKnown(request, trip);
  const known = said.map((text) => html`<p>${view.reading.show(text)}</p>`);
  const mayDecide = view.mayApprove && !view.isExpired && view.plan !== null && open > 0;
  const forms = mayDecide ? [renderYes(request, view, guard), renderNo(request, view, { ...trip, held: open })] : null;
  const aside =
    id === undefined ? null : renderDecision(request, { id, ...(acknowledged === undefined ? {} : { acknowledged }) });
  return html`<article class="notice tone-${said.length === 0 && open > 0 ? 'bad' : 'plain'}"><h3>${groupDigits(title)}</h3><p class="text"><b>${capitalise(wordCause(cause))}</b>: ${view.reading.show(detail)}.</p>${renderRest(view, { guard, held, open })}${known}<p class="key"><code>${showGuard(guard)}</code>: ${formatNumber(found)} found, ${formatNumber(limit)} allowed</p><div class="actions">${forms}${aside}</div></article>`;
}

/**
 * The form that resolves a guard: an approval, or the answers to its questions. Null if each change must be approved
 * separately.
 */
function renderYes(request: WebRequest, view: RunView, guard: string): Html | null {
  if (asksSameOrAnother(guard)) return renderAnswers(request, guard);
  const count = view.together.get(guard) ?? 0;
  if (count === 0 && !isHeldWhole(guard)) return null;
  return renderApproveForm(request, view, { name: 'guard', value: guard, what: nameAll(guard, count) });
}

/** Names what a decision about a guard applies to: `all 49 changes`. */
function nameAll(guard: string, count: number): string {
  if (isHeldWhole(guard)) return 'this delivery';
  return count === 1 ? 'this change' : groupDigits(`all ${plural(count, 'change')}`);
}

/** Earlier acknowledgements and declines of the held changes. */
function describeKnown(request: WebRequest, { acknowledged, declined }: GuardTrip): readonly string[] {
  return [
    ...(acknowledged === undefined ? [] : [describeAcknowledged(withEnd(request, acknowledged))]),
    ...(declined === undefined ? [] : [`${capitalise(describeDeclined(withEnd(request, declined)))}.`]),
  ];
}

/**
 * The form to decline held changes. Questions of identity are answered instead, and a held state is not a change, so
 * neither can be declined.
 */
function renderNo(request: WebRequest, view: RunView, { guard, held, declined }: GuardTrip): Html | null {
  if (declined !== undefined || asksWhoIsWho(guard) || isHeldState(guard)) return null;
  return renderDeclineForm(request, view, guard, nameAll(guard, held));
}

interface GuardRest {
  readonly guard: string;
  readonly held: number;
  readonly open: number;
}

/** The number of changes still pending, unless all of them are. */
function renderRest({ standing, decided }: RunView, { guard, held, open }: GuardRest): Html | null {
  const isWhole = isHeldWhole(guard);
  if (open === held || (isWhole && standing.kind !== 'older')) return null;
  if (open === 0)
    return html`<p>${isWhole ? 'It is no longer held.' : groupDigits(describeDecided(decided.get(guard), held))}</p>`;
  return html`<p>${groupDigits(`${open} of them still ${open === 1 ? 'needs' : 'need'} a decision`)}.</p>`;
}

/** `All 12 decided: 11 approved, 1 declined.` */
function describeDecided(decided: DecidedChanges | undefined, held: number): string {
  const [approved, declined] = [decided?.get('approved') ?? 0, decided?.get('declined') ?? 0];
  if (approved + declined !== held) return 'None of them needs a decision any more.';
  const parts = [
    ...(approved === 0 ? [] : [`${approved} approved`]),
    ...(declined === 0 ? [] : [`${declined} declined`]),
  ];
  return `${held === 1 ? 'Decided' : `All ${held} decided`}: ${parts.join(', ')}.`;
}

function renderNewcomers({ before, newcomers: { waiting, fresh, labels } }: RunView): Html | null {
  if (before === null || waiting === 0) return null;
  if (fresh === 0) return html`<p id="new">Nothing is new here: everything was pending in the previous run.</p>`;
  const more = fresh - labels.length;
  const rest = more > 0 ? html`<li class="muted">… and ${formatNumber(more)} more</li>` : null;
  return html`<details class="group" id="new"><summary>New since the previous run: ${formatNumber(fresh)} of ${formatNumber(waiting)}</summary><ul class="names">${labels.map((label) => html`<li>${value(label)}</li>`)}${rest}</ul></details>`;
}
