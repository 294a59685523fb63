import { type ComparedField, type ComparedSides, compareSides } from '../../../../operations/compare-sides.js';
import { ACKNOWLEDGE, FORGET_ACKNOWLEDGEMENT, RESOLVE, REVOKE_RESOLUTION } from '../../../../operations/decide-hold.js';
import {
  findQuestion,
  type ListedHold,
  readWaitingDetail,
  type WaitingDetail,
} from '../../../../operations/find-hold.js';
import { ANSWER } from '../../../../operations/under-lock.js';
import { withStores } from '../../../../operations/with-stores.js';
import { describeAcknowledged, reasonOf } from '../../../../report/sections/held.js';
import { nameOne } from '../../../../report/sections/kinds.js';
import { capitalise } from '../../../../report/sections/words.js';
import { nameField } from '../../../../report/texts/audit-names.js';
import { showValue } from '../../../../report/texts/values-text.js';
import { renderField, renderRemoval } from '../../../../report/writers/page/form-parts.js';
import { formatNumber, type Html, html } from '../../../../report/writers/page/html-text.js';
import {
  configOf,
  decided,
  demandReason,
  fieldOf,
  mayHere,
  perform,
  readEnd,
  reasonOfForm,
  tenantPath,
} from '../deciding.js';
import { readGoal } from '../read-goal.js';
import { type Reading, readingFor, showCause, showField } from '../reading.js';
import { type Onward, type OperatorPage, WebRefusal, type WebRequest, type WebRoute } from '../route.js';
import { renderDecided } from './decided-conflict.js';
import { joinSaid, renderPosted, renderReason, whyField } from './form-parts.js';
import { renderRemedy } from './remedies.js';
import { endText, nextRunText, renderTime, withEnd } from './times.js';
import { renderDecision, renderResolve, titleFor, waitingPath } from './waiting-list.js';

const PATH = '/tenants/:tenant';

/** One pending item with its cause, its records, both sides of a question and the possible decisions. */
export const WAITING_ROUTES: readonly WebRoute[] = [
  { method: 'GET', path: `${PATH}/waiting/:id`, audience: 'viewer', answer: showWaiting },
  { method: 'POST', path: `${PATH}/ack`, audience: 'approver', answer: setAside },
  { method: 'POST', path: `${PATH}/ack/revoke`, audience: 'approver', answer: takeBack },
  { method: 'POST', path: `${PATH}/resolve`, audience: 'approver', answer: resolve },
  { method: 'POST', path: `${PATH}/resolve/revoke`, audience: 'approver', answer: askAgain },
];

/** Number of a cause's records to show. */
const MOST = 50;
const WIDEST = 300;

interface HoldShown {
  readonly hold: ListedHold;
  readonly sides: ComparedSides | null;
}

async function showWaiting(request: WebRequest): Promise<OperatorPage> {
  const context = { config: configOf(request), clock: request.parts.clock };
  const id = request.params.id ?? '';
  const answered = await findDecided(request, id);
  if (answered !== null) return answered;
  const { detail, reading, shown } = await decided(
    withStores(context, (stores) => {
      const detail = readWaitingDetail(context, stores, { id, most: MOST });
      const shown = detail.holds.map((hold) => ({ hold, sides: compareSides(stores, hold) }));
      return { detail, reading: readingFor(request, stores.audit), shown };
    }),
  );
  const { item } = detail;
  const { since, acknowledged } = item;
  // A single record already shows its cause and its resolution.
  const isOne = item.count === 1 && shown.length === 1;
  const age = since === null ? null : html`Waiting since ${renderTime(request, since)}. `;
  const known =
    acknowledged === undefined
      ? null
      : html`<p class="notice">${reading.show(describeAcknowledged(withEnd(request, acknowledged)))}</p>`;
  const body = html`${isOne ? null : html`<p class="text">${showCause(reading, item, item.cause)}</p><div><b>To resolve it:</b> ${renderResolve(request, item, reading)}</div>`}
${known}${renderHolds(request, detail, { reading, shown })}${renderDecision(request, item)}`;
  const code = item.code === null ? null : html`<code>${item.code}</code>`;
  return { title: titleFor(reading, item), under: '/inbox', lead: html`${age}${code}`, body };
}

/** A conflict that was decided but not yet carried out by a run; null for anything else. */
async function findDecided(request: WebRequest, id: string): Promise<OperatorPage | null> {
  const context = { config: configOf(request), clock: request.parts.clock };
  const hold = await findQuestion(context, id).catch(() => null);
  const question = hold?.conflict;
  if (hold === null || question === undefined) return null;
  return await withStores(context, ({ outbox, audit }) => {
    const decision = outbox.decisionOn(question);
    if (decision === null) return null;
    const reading = readingFor(request, audit);
    const body = html`<div class="notice">${renderDecided(request, { id: hold.id, decision }, reading)}</div>`;
    const title = `Decided: ${hold.field === undefined ? '' : `${nameField(hold.field)} of `}${nameOne(hold.entity)} ${hold.key}`;
    return { title: reading.veil(title), under: '/inbox', body };
  });
}

interface HoldsLook {
  readonly reading: Reading;
  readonly shown: readonly HoldShown[];
}

function renderHolds(request: WebRequest, { item }: WaitingDetail, { reading, shown }: HoldsLook): Html | null {
  if (shown.length === 0 && item.keys.length === 0) return null;
  const more =
    item.count > shown.length && shown.length > 0
      ? html`<p class="muted">The first ${shown.length} of ${formatNumber(item.count)}.</p>`
      : null;
  const named = shown.length === 0 ? html`<p class="key">${item.keys.map(reading.show)}</p>` : null;
  return html`<section id="records" aria-labelledby="records-heading"><h2 id="records-heading">Records</h2>${more}${named}${shown.map((one) => renderHold(request, one, { reading, isDecided: item.kind === 'decided' }))}</section>`;
}

function renderHold(
  request: WebRequest,
  { hold, sides }: HoldShown,
  { reading, isDecided }: { readonly reading: Reading; readonly isDecided: boolean },
): Html {
  const { show } = reading;
  const { entity, key, place, since, remedy, id } = hold;
  return html`<article class="card" id="h-${id}"><h3>${capitalise(nameOne(entity))} ${show(key)}</h3><p class="text">${showCause(reading, { kind: 'record', of: entity, code: hold.code }, reasonOf(hold))}</p>
<div>${renderRemedy(remedy, show)}</div><p class="muted">${show(place)}, since ${renderTime(request, since)}.${renderWhy(request, { entity, key }, reading)}</p>
${sides === null ? null : renderSides(sides, entity, reading)}${isDecided ? html`<p><a href="${waitingPath(request, id)}">Look at the decision</a></p>` : renderQuestion(request, { hold, sides }, reading)}</article>`;
}

/** A link to the explanation of the record. A link must not contain an address that is shown as a pseudonym. */
function renderWhy(
  request: WebRequest,
  { entity, key }: Pick<ListedHold, 'entity' | 'key'>,
  { veil }: Reading,
): Html | null {
  if (veil(key) !== key) return null;
  const asked = new URLSearchParams({ kind: nameOne(entity), q: key });
  return html` <a href="${tenantPath(request)}/people/explain?${asked.toString()}">Why?</a>`;
}

/** Both sides of a question next to each other. */
function renderSides({ id, label, active, linkedTo, fields }: ComparedSides, entity: string, reading: Reading): Html {
  const { show, veilName } = reading;
  const cell = (field: string, value: ComparedField['source']): Html =>
    showField(reading, entity, { field, text: showValue(value, WIDEST) });
  const hasBase = fields.some(({ base }) => base !== null);
  const rows = fields.map(
    ({ field, source, base, service, isSame }) =>
      html`<tr><th scope="row">${field}</th><td data-name="Source:">${cell(field, source)}</td>${hasBase ? html`<td data-name="Last agreed:">${cell(field, base)}</td>` : null}<td data-name="Service:">${cell(field, service)}</td><td><span class="badge tone-${isSame ? 'good' : 'warn'}">${isSame ? 'same' : 'differs'}</span></td></tr>`,
  );
  const link = linkedTo === null ? 'not linked' : html`linked to ${show(linkedTo)}`;
  return html`<p>In the service: ${show(veilName(label))} <span class="muted">(<code>${id}</code>, ${active ? 'active' : 'deactivated'}, ${link})</span></p>
<div class="scroll"><table class="plain stack sides"><thead><tr><th scope="col">Field</th><th scope="col">The source says</th>${hasBase ? html`<th scope="col">Last agreed</th>` : null}<th scope="col">The service holds</th><td></td></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** Possible answers, with the value and the text of each button. */
const ANSWERS = {
  conflict: [
    ['source', 'Use the source’s value'],
    ['service', 'Keep the service’s value'],
  ],
  relink: [
    ['same', 'They are the same'],
    ['new', 'They are different: the record gets its own object'],
  ],
} as const;

function renderQuestion(request: WebRequest, { hold, sides }: HoldShown, reading: Reading): Html | null {
  if (!mayHere(request, 'approver')) return null;
  const kind = (['conflict', 'relink'] as const).find((name) => hold[name] !== undefined);
  if (kind === undefined) return null;
  const { id } = hold;
  const buttons = ANSWERS[kind].map(
    ([take, words]) =>
      html`<button name="take" value="${take}">${words}${kind === 'conflict' ? nameValue(take, { hold, sides }, reading) : null}</button>`,
  );
  const hidden = { id, ...(sides === null ? {} : { object: sides.id }) };
  const body = [renderField('Reason', whyField(`why-${id}`)), html`<p class="actions">${buttons}</p>`];
  return renderPosted(request, { look: 'record', action: `${tenantPath(request)}/resolve`, hidden }, body);
}

/** The value that the answer to a conflict about one field keeps: `: +47 888 00 002`. */
function nameValue(take: string, { hold, sides }: HoldShown, reading: Reading): Html | null {
  const [field, ...others] = sides?.fields ?? [];
  if (field === undefined || others.length > 0) return null;
  const side = take === 'source' ? field.source : field.service;
  const text = typeof side === 'string' ? side : showValue(side, WIDEST);
  return html`: ${showField(reading, hold.entity, { field: field.field, text })}`;
}

async function setAside(request: WebRequest): Promise<Onward> {
  const until = readEnd(request);
  const hold = fieldOf(request, 'id');
  await perform(request, ACKNOWLEDGE, { hold, reason: reasonOfForm(request), until });
  return goOn(
    request,
    until === null ? 'Acknowledged.' : `Acknowledged. Listed as open again on ${endText(request, until)}.`,
  );
}

async function takeBack(request: WebRequest): Promise<Onward> {
  await perform(request, FORGET_ACKNOWLEDGEMENT, { hold: fieldOf(request, 'id'), reason: '' });
  return goOn(request, 'Revoked the acknowledgement.');
}

/** Records which side of a question is right, or whether a record and an object are the same. */
async function resolve(request: WebRequest): Promise<Onward> {
  const [hold, take, reason] = [fieldOf(request, 'id'), fieldOf(request, 'take'), reasonOfForm(request)];
  if (take === 'source' || take === 'service') {
    await perform(request, RESOLVE, { hold, take, reason, isOpen: true });
    const said = `Recorded: the ${take} is right. The next run carries it out.`;
    return { to: waitingPath(request, hold), said: joinSaid([said, nextRunText(request)]) };
  }
  if (take === 'same' || take === 'new') await perform(request, ANSWER, { ...named(request), answer: take, reason });
  else throw new WebRefusal(400, 'Choose one of the two answers.');
  const said = take === 'same' ? 'Recorded: they are the same.' : 'Recorded: they are different.';
  return goOn(request, joinSaid([said, nextRunText(request)]));
}

async function askAgain(request: WebRequest): Promise<Onward> {
  const hold = fieldOf(request, 'id');
  await perform(request, REVOKE_RESOLUTION, { hold, reason: demandReason(request) });
  return { to: waitingPath(request, hold), said: 'Revoked the decision.' };
}

/** The subject of an answer: one hold, or all questions of a guard. */
function named(request: WebRequest): { readonly hold: string } | { readonly guard: string } {
  const guard = fieldOf(request, 'guard');
  return guard === '' ? { hold: fieldOf(request, 'id') } : { guard };
}

/** A form that gives the same answer to all questions of a guard. */
export function renderAnswers(request: WebRequest, guard: string): Html {
  const id = `answer-${guard.replace(/[^\w]/g, '-')}`;
  const buttons = ANSWERS.relink.map(
    ([take, words]) => html`<button name="take" value="${take}">${words}, all of them</button>`,
  );
  const here = tenantPath(request);
  const form = { look: 'line', action: `${here}/resolve`, hidden: { guard, to: here } } as const;
  return renderRemoval('Answer all of them', renderPosted(request, form, [renderReason(id, 'Why'), buttons]));
}

function goOn({ form, tenant }: WebRequest, said: string): Onward {
  const to = form.get('to');
  return { to: to === null ? tenantPath({ tenant }) : readGoal(to), said };
}
