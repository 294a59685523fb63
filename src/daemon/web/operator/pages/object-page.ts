import { TRAITS } from '../../../../model/entity.js';
import { asksSameOrAnother } from '../../../../model/identity-guards.js';
import { foldKey } from '../../../../model/observed.js';
import { type PlannedFor, SHOW_OBJECT, type ShownObject, type SidedValue } from '../../../../operations/show-object.js';
import { withStores } from '../../../../operations/with-stores.js';
import { capitalise, plural } from '../../../../report/sections/words.js';
import { nameDone, nameField } from '../../../../report/texts/audit-names.js';
import { renderField, renderHidden, renderRemoval } from '../../../../report/writers/page/form-parts.js';
import { type Html, html, value } from '../../../../report/writers/page/html-text.js';
import { EVERY_LINE } from '../../../../store/audit/log-filter.js';
import { readLogPage } from '../../../../store/audit/read-log.js';
import { decisionOf, mayHere, perform, tenantPath } from '../deciding.js';
import { type Reading, readingFor, showCause, showField } from '../reading.js';
import type { OperatorPage, WebRequest, WebRoute } from '../route.js';
import { auditPath } from './audit-filter.js';
import { renderLines } from './audit-page.js';
import { renderDecided } from './decided-conflict.js';
import { renderRevokeDecline } from './decline-form.js';
import { renderEraseLink } from './erase-page.js';
import { AGAIN_LABEL, renderPosted, whyField } from './form-parts.js';
import { renderSignalled } from './now-page.js';
import { ACTIVITY, explainPath, RECORD_STATES, readMeant } from './object-words.js';
import { renderReleasePin } from './pin-form.js';
import { renderRemedy } from './remedies.js';
import { nextRunText, renderEnd, renderTime } from './times.js';
import { waitingPath } from './waiting-list.js';

/** One person or object: both sides next to each other, pending items and history. Uses stored data only. */
export const OBJECT_ROUTE: WebRoute = {
  method: 'GET',
  path: '/tenants/:tenant/people/:kind/:key',
  audience: 'viewer',
  answer: renderObjectPage,
};

/** Number of entries in the timeline, and of entries examined for it. */
const MOST = 30;
const MOST_LOOKED = 20_000;

async function renderObjectPage(request: WebRequest): Promise<OperatorPage> {
  const { kind = '' } = request.params;
  const { entity, key } = readMeant(request);
  const told = await perform(request, SHOW_OBJECT, { entity, key });
  return await withStores(decisionOf(request), async ({ audit }) => {
    const reading = readingFor(request, audit);
    const who = { entity, words: foldKey(told.key ?? told.id ?? key) };
    const filter = { ...EVERY_LINE, who, isVeiled: reading.key !== null };
    const page = await readLogPage(audit, filter, { before: null, most: MOST, mostLooked: MOST_LOOKED });
    const all = auditPath(request, { who: `${kind}:${told.key ?? key}` });
    const more = page.before === null ? null : html`<p class="pager"><a href="${all}">All entries</a></p>`;
    const body = html`${renderSignalled(request)}${renderPending(request, told, reading)}
<section aria-labelledby="sides-heading"><h2 id="sides-heading">Both sides</h2>${renderSides(entity, told, reading)}<p><a href="${explainPath(request, kind, told.key ?? key)}">Read the sources now</a> <span class="muted">shows the row of each source and the expressions</span></p></section>
<section aria-labelledby="story-heading"><h2 id="story-heading">What happened</h2>${renderLines(request, page, reading, who)}${more}</section>${entity === 'users' ? renderEraseLink(request, told.key ?? told.id ?? key) : null}`;
    const name = told.label === null ? null : reading.veilName(told.label);
    const title = name ?? `${capitalise(TRAITS[entity].singular)} ${reading.veil(told.key ?? key)}`;
    return { title: title.replace(/\s*<[^>]*>$/, ''), under: '/', lead: renderLead(request, told, reading), body };
  });
}

/** `key E12 · in hr: reported · in the service: active` */
function renderLead(request: WebRequest, { key, active, record, id }: ShownObject, { show }: Reading): Html {
  const there = active === null ? 'not there' : ACTIVITY[active ? 'yes' : 'no'];
  const said =
    record === null
      ? 'no source has it'
      : html`in ${value(record.source)}: ${RECORD_STATES[record.state] ?? record.state}${renderDay(record, show)}`;
  const next = nextRunText(request);
  const named = key === null ? html`not managed` : html`key ${show(key)}`;
  return html`${named} · ${said} · in the service: ${there}${id === null ? null : html` <code>${id}</code>`}.${next === null ? null : ` ${next}`}`;
}

/** The first day of a person who starts later, or the last day of a leaver. */
function renderDay({ starts, left }: NonNullable<ShownObject['record']>, show: Reading['show']): Html | null {
  if (starts !== null) return html` (first day <time>${starts.slice(0, 10)}</time>)`;
  return left === null ? null : html` (last day ${show(left)})`;
}

/** The object's pending changes, holds, declines and undone values, each with its forms. */
function renderPending(request: WebRequest, told: ShownObject, reading: Reading): Html {
  const { holds, declines, pins } = told;
  const parts = [
    renderPlanned(request, told, reading),
    ...holds.map((hold) => renderHeld(request, hold, reading)),
    ...declines.map(
      (one) =>
        html`<article class="notice"><h3>${one.path === '' || one.path === 'existence' ? 'Declined' : html`${nameField(one.path)} declined`} by ${reading.show(one.who)}${one.until === null ? null : html`, proposed again on ${renderEnd(request, one.until)}`}</h3><p class="text">${reading.show(one.reason)}</p><div class="actions">${renderRevokeDecline(request, one)}</div></article>`,
    ),
    ...pins.map(
      (pin) =>
        html`<article class="notice"><h3>${nameField(pin.path)} kept undone since ${renderTime(request, pin.at)}</h3><p>It stays undone until a source asks for something else. <a href="${tenantPath(request)}/runs/${encodeURIComponent(pin.run)}">The run that undid it</a></p><div class="actions">${renderReleasePin(request, told.key ?? request.params.key ?? '', pin.path)}</div></article>`,
    ),
  ].filter((part) => part !== null);
  const content = parts.length === 0 ? html`<p>Nothing needs a decision.</p>` : html`${parts}`;
  return html`<section aria-labelledby="pending-heading" id="pending"><h2 id="pending-heading">Waiting</h2>${content}</section>`;
}

function renderHeld(request: WebRequest, hold: ShownObject['holds'][number], reading: Reading): Html {
  const { id, field, decision } = hold;
  if (decision !== null)
    return html`<article class="notice"><h3><a href="${waitingPath(request, id)}">Decided: ${field === undefined ? 'conflict' : nameField(field)}</a></h3>${renderDecided(request, { id, decision }, reading)}</article>`;
  const about = { code: hold.code, kind: 'record', of: hold.entity } as const;
  const known = hold.acknowledged === undefined ? null : html`<p class="muted">Acknowledged.</p>`;
  return html`<article class="notice tone-warn"><h3><a href="${waitingPath(request, id)}">${field === undefined ? 'On hold' : html`${nameField(field)} on hold`}</a>, since ${renderTime(request, hold.since)}</h3><p class="text">${showCause(reading, about, hold.reason)}</p><div>${renderRemedy(hold.remedy, reading.show)}</div>${known}<p><a href="${waitingPath(request, id)}">${mayHere(request, 'approver') ? 'Decide' : 'Details'}</a></p></article>`;
}

function renderPlanned(request: WebRequest, { plan, planned }: ShownObject, reading: Reading): Html | null {
  if (plan === null || planned.length === 0) return null;
  const held = planned.filter(({ withheld, since }) => withheld?.by === 'guard' && isOpen(since) && !isAsked(withheld));
  const rows = planned.map((change) => html`<li>${describePlanned(change, reading)}</li>`);
  const link = html`<a href="${tenantPath(request)}/plans/${encodeURIComponent(plan)}#changes">the newest plan</a>`;
  const ids = held.map(({ id }) => id);
  return html`<article class="notice tone-${held.length === 0 ? 'plain' : 'warn'}"><h3>In ${link}</h3><ul class="plainly">${rows}</ul><div class="actions">${ids.length === 0 ? null : renderDecide(request, { plan, ids })}</div></article>`;
}

/** True if nobody has decided yet, or if a second person must still decide. */
function isOpen(since: PlannedFor['since']): boolean {
  return since === null || since.kind === 'half approved';
}

/** True if the change waits for the answer to a question, which is a hold below it. An approval does not answer it. */
function isAsked(withheld: PlannedFor['withheld']): boolean {
  return withheld?.by === 'guard' && withheld.name.split(' + ').some(asksSameOrAnother);
}

const WITHHELD: Readonly<Record<string, string>> = {
  guard: 'this needs approval',
  declined: 'declined',
  pause: 'paused after several rejections',
};

function describePlanned({ action, fields, withheld, since }: PlannedFor, { show }: Reading): Html {
  const names = action === 'update' || action === 'overwrite' ? ` (${fields.map(nameField).join(', ')})` : '';
  const what = html`Would be <b>${nameDone(action)}</b>${names}: `;
  if (since?.kind === 'approved') return html`${what}${show(since.text)}; the next run does it`;
  if (since?.kind === 'half approved') return html`${what}${show(since.text)}; a second person must approve it`;
  if (since !== null) return html`${what}${show(since.text)}`;
  if (withheld === null) return html`${what}the next run does it`;
  if (isAsked(withheld)) return html`${what}this needs an answer (<code>${withheld.name}</code>)`;
  return html`${what}${WITHHELD[withheld.by] ?? 'it waits for another change'} (<code>${withheld.name}</code>)`;
}

interface HeldTogether {
  readonly plan: string;
  readonly ids: readonly string[];
}

/** One form to approve or decline a change. The form leads back to this page. */
function renderDecide(request: WebRequest, { plan, ids }: HeldTogether): Html | null {
  const { path } = request;
  if (!mayHere(request, 'approver')) return null;
  const base = `${tenantPath(request)}/plans/${encodeURIComponent(plan)}`;
  const boxes = ids.map((id) => renderHidden({ change: id }));
  const day = { id: 'until', name: 'until', type: 'date' };
  const fields = [renderField('Why', whyField('decide-why')), renderField(`If you decline: ${AGAIN_LABEL}`, day)];
  const body = html`${boxes}<div class="fields">${fields}</div><p class="actions"><button class="main">Approve</button> <button formaction="${base}/decline">Decline</button></p>`;
  const form = { look: 'record', action: `${base}/approve`, hidden: { back: path } } as const;
  return renderRemoval(`Approve or decline ${plural(ids.length, 'change')}`, renderPosted(request, form, body));
}

const OWNERS: Readonly<Record<SidedValue['owner'], string>> = {
  source: 'the sources',
  service: 'the service',
  newest: 'the newer change',
};

function renderSides(entity: string, { values, record }: ShownObject, reading: Reading): Html {
  if (values.length === 0) return html`<p>No value is managed.</p>`;
  const show = (field: string, text: string | null): Html =>
    text === null ? html`<span class="empty">(empty)</span>` : showField(reading, entity, { field, text });
  const rows = values.map(({ field, wanted, service, owner, same }) => {
    const badge = same ? null : html` <span class="badge tone-warn">differs</span>`;
    return html`<tr><th scope="row">${nameField(field)}${badge}</th><td data-name="Sources:" class="text">${show(field, wanted)}</td><td data-name="Service:" class="text">${show(field, service)}</td><td data-name="Owner:">${OWNERS[owner]}</td></tr>`;
  });
  const from = record === null ? 'As the sources want it' : html`As the sources want it (${value(record.source)})`;
  return html`<div class="scroll"><table class="plain stack sides"><thead><tr><th scope="col">Field</th><th scope="col">${from}</th><th scope="col">In the service</th><th scope="col">Owned by</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}
