import { isHeldSource } from '../../../../model/held-source.js';
import { asksSameOrAnother } from '../../../../model/identity-guards.js';
import { shortenDigest } from '../../../../model/sha256.js';
import type { WaitingItem } from '../../../../model/waiting.js';
import { isSamePerson } from '../../../../operations/weigh-approval.js';
import { describeAcknowledged } from '../../../../report/sections/held.js';
import { needsPerson, titleWaiting } from '../../../../report/texts/waiting-text.js';
import { renderField, renderRemoval } from '../../../../report/writers/page/form-parts.js';
import { formatNumber, type Html, html, showText } from '../../../../report/writers/page/html-text.js';
import { mayHere, tenantPath } from '../deciding.js';
import { type Reading, showCause } from '../reading.js';
import type { WebRequest } from '../route.js';
import { renderRevokeDecline } from './decline-form.js';
import { renderPosted, whyField } from './form-parts.js';
import { renderCommand, renderRemedy } from './remedies.js';
import { renderEnd, renderTime, withEnd } from './times.js';

/** Pending items of one tenant. Items that need someone come first, then acknowledged ones. */
export function renderWaiting(request: WebRequest, items: readonly WaitingItem[], reading: Reading): Html {
  const open = items.filter(({ acknowledged }) => acknowledged === undefined);
  const known = items.filter(({ acknowledged }) => acknowledged !== undefined);
  if (items.length === 0) return html`<p>Nothing.</p>`;
  const render = (item: WaitingItem): Html => renderItem(request, item, reading);
  const aside =
    known.length === 0
      ? null
      : html`<details class="group"><summary>Acknowledged (${known.length})</summary>${known.map(render)}</details>`;
  return html`${open.map(render)}${aside}`;
}

function renderItem(request: WebRequest, item: WaitingItem, reading: Reading): Html {
  const { show } = reading;
  const { id, kind, cause, until, acknowledged, count, keys, code } = item;
  const then = until === null ? null : renderThen(request, kind, until);
  const rest = count - keys.length;
  const named =
    keys.length === 0 || count === 1
      ? null
      : html`<p class="key">${keys.map(show)}${rest > 0 ? ` … and ${formatNumber(rest)} more` : null}</p>`;
  const tone = acknowledged === undefined && isFor(request, item) ? 'warn' : 'plain';
  const aside =
    acknowledged === undefined
      ? null
      : html`<p class="muted">${show(describeAcknowledged(withEnd(request, acknowledged)))}</p>`;
  return html`<article class="notice tone-${tone}" id="w-${id}"><h3><a href="${itemPath(request, item)}">${showText(titleFor(reading, item))}</a>${renderAge(item, request)}${then}</h3><p class="text">${showCause(reading, item, cause)}</p>${named}
<div>${renderResolve(request, item, reading)}</div>${aside}<p class="key">${shortenDigest(id)}${code === null ? null : html` <code>${code}</code>`}</p>${renderDecision(request, item)}</article>`;
}

/** The end of an item. A declined change is proposed again when the day begins. */
function renderThen(request: WebRequest, kind: WaitingItem['kind'], until: string): Html {
  if (kind === 'declined') return html`, proposed again on ${renderEnd(request, until)}`;
  return html`, until ${renderTime(request, until)}`;
}

/** The title of an item, as the reader may see its record. */
export function titleFor({ veil, veilName }: Reading, item: WaitingItem): string {
  const { label } = item;
  return veil(titleWaiting(label === undefined ? item : { ...item, label: veilName(label) }));
}

/** True if the item needs the person viewing the page. False if it resolves itself, or needs a different second person. */
export function isFor({ person }: Pick<WebRequest, 'person'>, item: WaitingItem): boolean {
  return needsPerson(item) && !isSamePerson(item.approved_by ?? null, person?.who ?? '');
}

/** How to resolve an item. Changes and deliveries that a guard holds are decided on the page of the plan. */
export function renderResolve(
  request: Pick<WebRequest, 'tenant' | 'accessTo'>,
  { kind, of, resolve }: WaitingItem,
  { show }: Reading,
): Html {
  if (kind === 'undo')
    return html`<a href="${tenantPath(request)}/plans/${encodeURIComponent(of)}">Review the undo</a>${renderCommand(show(resolve))}`;
  if (kind !== 'guard' && !isHeldSource(of)) return renderRemedy(resolve, show);
  const verb = asksSameOrAnother(of) ? 'answer' : 'decide';
  const words = mayHere(request, 'approver') ? `Review the plan and ${verb}` : 'Look at the plan';
  const rest = /^`[^`]*`$/.test(resolve) ? renderCommand(show(resolve)) : html`<p>${renderRemedy(resolve, show)}</p>`;
  return html`<a href="${tenantPath(request)}/plans/newest#guards">${words}</a>${rest}`;
}

/** `, waiting since 2026-11-28 07:17 CET` */
function renderAge({ since }: WaitingItem, request: WebRequest): Html | null {
  return since === null ? null : html`, waiting since ${renderTime(request, since)}`;
}

/** Path of the page that decides an item. An undo has its plan, and everything else has a page of its own. */
export function itemPath(request: Pick<WebRequest, 'tenant'>, { kind, of, id }: WaitingItem): string {
  return kind === 'undo' ? `${tenantPath(request)}/plans/${encodeURIComponent(of)}` : waitingPath(request, id);
}

/** The page of one pending item. */
export function waitingPath(request: Pick<WebRequest, 'tenant'>, id: string): string {
  return `${tenantPath(request)}/waiting/${encodeURIComponent(id)}`;
}

/** A form to try a failed delivery again. The delivery stays due until it is made. No run starts, so no change is made. */
function renderTryAgain(request: WebRequest): Html | null {
  if (!mayHere(request, 'operator')) return null;
  const body = html`<button>Try again</button> <span class="muted">makes every due delivery, and no other change</span>`;
  return renderPosted(request, { look: 'inline', action: `${tenantPath(request)}/now/deliveries` }, body);
}

/** Forms for people who may decide; null for others. The forms lead back to the current page. */
export function renderDecision(
  request: WebRequest,
  item: Pick<WaitingItem, 'id' | 'acknowledged'> & Partial<Pick<WaitingItem, 'kind'>>,
): Html | null {
  if (item.kind === 'undo' || item.kind === 'decided') return null;
  if (item.kind !== 'delivery') return renderWord(request, item);
  return html`<div class="actions">${renderTryAgain(request)}${renderWord(request, item)}</div>`;
}

function renderWord(
  request: WebRequest,
  item: Pick<WaitingItem, 'id' | 'acknowledged'> & Partial<Pick<WaitingItem, 'kind'>>,
): Html | null {
  if (item.kind === 'declined') return renderRevokeDecline(request, item);
  const { path } = request;
  const { id, acknowledged } = item;
  if (!mayHere(request, 'approver')) return null;
  const hidden = { id, to: path };
  const action = `${tenantPath(request)}/ack`;
  if (acknowledged !== undefined) {
    const form = { look: 'line', action: `${action}/revoke`, hidden } as const;
    return renderPosted(request, form, html`<button>Revoke the acknowledgement</button>`);
  }
  const until = { id: `until-${id}`, name: 'until', type: 'date' };
  const body = html`<p class="muted">This says that you have seen it, and changes nothing. Reminders stop until the day below, or until a delivery changes it.</p><div class="fields">${renderField('Why it may stay on hold', whyField(`reason-${id}`))}
${renderField('List it as open again on (empty: when a delivery changes it)', until)}</div><p><button>Acknowledge</button></p>`;
  return renderRemoval('Acknowledge', renderPosted(request, { look: 'record', action, hidden }, body));
}
