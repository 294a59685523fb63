import { isHeldWhole, STATE_LOST } from '../../../model/held-source.js';
import type { GuardTrip } from '../../../model/plan.js';
import type { SourceCounts } from '../../../operations/compare-runs.js';
import { asksWhoIsWho } from '../../../operations/refuse-identity.js';
import { describeDeclined } from '../../../report/sections/declined.js';
import { describeAcknowledged } from '../../../report/sections/held.js';
import { capitalise, formatMinute, plural } from '../../../report/sections/words.js';
import { formatNumber, groupDigits, type Html, html, value } from '../../../report/writers/page/html-text.js';
import type { WebRequest } from '../route.js';
import { renderApproveForm } from './approve-form.js';
import { renderDeclineForm } from './decline-form.js';
import { renderAskForms } from './now-page.js';
import type { RunView } from './run-page.js';
import { renderDecision } from './waiting-list.js';

/** What the sources had before and after, beside each other, and who has come to the list of what waits. */
export function renderCause(view: RunView): Html | null {
  const { sources } = view;
  if (sources.length === 0) return null;
  const rows = sources.map(renderSource);
  return html`<section id="sources" aria-labelledby="sources-heading"><h2 id="sources-heading">The sources before and now</h2><div class="scroll"><table class="plain stack"><thead><tr><th scope="col">Source</th><th scope="col" class="number">Rows before</th><th scope="col" class="number">Rows now</th><th scope="col" class="number">Difference</th><th scope="col">Read</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

function renderSource({ source, at, readAt, rows, complete, because, before }: SourceCounts): Html {
  const difference = rows === null || before === null ? null : rows - before.rows;
  const whole = complete
    ? html`<span class="badge tone-good">whole</span>`
    : html`<span class="badge tone-bad">not whole</span>${because === null ? null : html`<p class="muted">${value(because)}</p>`}`;
  const since = before === null ? null : html`<p class="key">${formatMinute(before.readAt)}</p>`;
  return html`<tr><th scope="row">${value(source)}<p class="key">${value(at.replace(/^.*\//, ''))}</p></th><td data-name="Before:" class="number">${before === null ? 'none' : formatNumber(before.rows)}${since}</td><td data-name="Now:" class="number">${rows === null ? 'not read' : formatNumber(rows)}</td>
<td data-name="Difference:" class="number">${difference === null ? '·' : sign(difference)}</td><td>${readAt === null ? null : html`${formatMinute(readAt)} `}${whole}</td></tr>`;
}

function sign(difference: number): string {
  if (difference === 0) return '0';
  return difference > 0 ? `+${formatNumber(difference)}` : `−${formatNumber(-difference)}`;
}

/** Each guard with its cause in a sentence, who is new in it, and how to let it pass or leave it. */
export function renderGuards(request: WebRequest, view: RunView): Html | null {
  const { guards } = view.report;
  if (guards.length === 0) return null;
  return html`<section id="guards" aria-labelledby="guards-heading"><h2 id="guards-heading">What a guard holds</h2>${renderExpired(request, view)}${guards.map((trip) => renderTrip(request, view, trip))}${renderNewcomers(view)}</section>`;
}

function renderTrip(request: WebRequest, view: RunView, trip: GuardTrip): Html {
  const { guard, found, limit, cause, detail, held, acknowledged, id } = trip;
  const isWhole = isHeldWhole(guard);
  const what = isWhole ? `a delivery of ${plural(held, 'row')}` : plural(held, 'change');
  const given = isWhole ? view.approvals.has(guard) : view.mayApprove && !canApprove(view, guard);
  const said = describeKnown(trip);
  const known = said.map((text) => html`<p>${view.reading.show(text)}</p>`);
  const forms =
    view.mayApprove && !view.isExpired && view.plan !== null && !given
      ? renderApproveForm(request, view, {
          name: 'guard',
          value: guard,
          what: isWhole ? 'this delivery' : groupDigits(`all ${plural(held, 'change')}`),
        })
      : null;
  const no = forms === null ? null : renderNo(request, view, trip);
  const aside =
    id === undefined ? null : renderDecision(request, { id, ...(acknowledged === undefined ? {} : { acknowledged }) });
  return html`<article class="notice tone-${said.length === 0 ? 'bad' : 'plain'}"><h3><code>${guard}</code> holds ${groupDigits(what)}: ${formatNumber(found)} found, ${formatNumber(limit)} allowed</h3><p class="text"><b>${capitalise(cause)}</b>: ${view.reading.show(detail)}.</p>${known}<div class="actions">${forms}${no}${aside}</div></article>`;
}

/** What somebody has said of it already. */
function describeKnown({ acknowledged, declined }: GuardTrip): readonly string[] {
  return [
    ...(acknowledged === undefined ? [] : [describeAcknowledged(acknowledged)]),
    ...(declined === undefined ? [] : [`${capitalise(describeDeclined(declined))}.`]),
  ];
}

/** Who is who has an answer, and a state that was lost is no change: neither can be declined. */
function renderNo(request: WebRequest, view: RunView, { guard, held, declined }: GuardTrip): Html | null {
  if (declined !== undefined || asksWhoIsWho(guard) || guard === STATE_LOST) return null;
  const what = isHeldWhole(guard) ? 'this delivery' : groupDigits(`all ${plural(held, 'change')}`);
  return renderDeclineForm(request, view, guard, what);
}

/** Whether something of the guard waits that nobody has approved. */
function canApprove({ selected, approvals }: RunView, guard: string): boolean {
  const mine = selected.rows.filter(({ state, about }) => state === 'waits' && about.includes(guard));
  return mine.length === 0 || mine.some(({ id }) => !approvals.has(id));
}

function renderExpired(request: WebRequest, { isExpired, plan }: RunView): Html | null {
  if (!isExpired || plan === null) return null;
  return html`<p>This plan was good until ${formatMinute(plan.meta.expires)}: make a new one to decide.</p>${renderAskForms(request)}`;
}

function renderNewcomers({ before, newcomers: { waiting, fresh, labels } }: RunView): Html | null {
  if (before === null || waiting === 0) return null;
  if (fresh === 0) return html`<p id="new">Nobody and nothing is new here: all of it waited in the run before.</p>`;
  const more = fresh - labels.length;
  const rest = more > 0 ? html`<li class="muted">… and ${formatNumber(more)} more</li>` : null;
  return html`<details class="group" id="new"><summary>New since the run before: ${formatNumber(fresh)} of ${formatNumber(waiting)}</summary><ul class="names">${labels.map((label) => html`<li>${value(label)}</li>`)}${rest}</ul></details>`;
}
