import type { WaitingItem } from '../../../../model/waiting.js';
import { DECLINE, type DeclineOrder, type GivenDecline, REVOKE_DECLINE } from '../../../../operations/decline.js';
import { plural } from '../../../../report/sections/words.js';
import { renderField, renderLabelled, renderRemoval } from '../../../../report/writers/page/form-parts.js';
import { type Html, html } from '../../../../report/writers/page/html-text.js';
import { demandReason, fieldOf, mayHere, perform, tenantPath } from '../deciding.js';
import { readGoal } from '../read-goal.js';
import { type Onward, WebRefusal, type WebRequest, type WebRoute } from '../route.js';
import { AGAIN_LABEL, backTo, joinSaid, renderPosted, renderRevoke, runOf, SELECTED, whyField } from './form-parts.js';
import type { RunView } from './run-view.js';
import { endText, nextRunText } from './times.js';

/**
 * Declines changes, as `decline` does. Declined changes are not proposed again until the source value changes or the date
 * comes.
 */
export const DECLINE_ROUTES: readonly WebRoute[] = [
  { method: 'POST', path: '/tenants/:tenant/plans/:plan/decline', audience: 'approver', answer: giveDecline },
  { method: 'POST', path: '/tenants/:tenant/declines/:decline/revoke', audience: 'approver', answer: takeDecline },
];

/** The button that declines the selected changes, with an end date, inside the form that approves them. */
export function renderDeclineSelected(request: WebRequest, view: RunView): Html {
  const until = { id: 'decline-until', name: 'until', type: 'date' };
  const body = html`${renderLabelled(AGAIN_LABEL, until)} <button formaction="${declinePath(request, view)}">Decline the selected ${SELECTED}</button>`;
  return renderRemoval('Decline instead', body);
}

/** A form that declines everything a guard holds, or a held delivery. */
export function renderDeclineForm(request: WebRequest, view: RunView, guard: string, what: string): Html {
  const id = `decline-${guard.replace(/[^\w]/g, '-')}`;
  const form = { look: 'record', action: declinePath(request, view), hidden: { ...runOf(view), guard } } as const;
  const until = { id: `${id}-until`, name: 'until', type: 'date' };
  const body = html`<div class="fields">${renderField('Why not', whyField(id))}
${renderField(AGAIN_LABEL, until)}</div><p><button>Decline ${what}</button></p>`;
  return renderRemoval(`Decline ${what}`, renderPosted(request, form, body));
}

/** A form that revokes a decline, for people who may decide. The form leads back to the current page. */
export function renderRevokeDecline(request: WebRequest, { id }: Pick<WaitingItem, 'id'>): Html | null {
  const { path } = request;
  if (!mayHere(request, 'approver')) return null;
  const action = `${tenantPath(request)}/declines/${encodeURIComponent(id)}/revoke`;
  return renderRevoke(request, 'Propose it again', { id, action, hidden: { to: path } });
}

function declinePath(request: WebRequest, { plan }: RunView): string {
  return `${tenantPath(request)}/plans/${encodeURIComponent(plan?.meta.plan ?? '')}/decline`;
}

async function giveDecline(request: WebRequest): Promise<Onward> {
  const { form, params } = request;
  const plan = (params.plan ?? '').replace(/[^\w-]/g, '');
  const reason = demandReason(request);
  const [guard, until, changes] = [fieldOf(request, 'guard'), fieldOf(request, 'until'), form.getAll('change')];
  if (guard === '' && changes.length === 0) throw new WebRefusal(400, 'Nothing was selected.');
  const chosen = guard === '' ? { changes } : { guard };
  const order: DeclineOrder = { plan, reason, ...chosen, ...(until === '' ? {} : { until }) };
  return { to: backTo(request, plan), said: tellDeclined(request, await perform(request, DECLINE, order)) };
}

function tellDeclined(request: WebRequest, { declined, until, changes, ends }: GivenDecline): string {
  const isDelivery = changes[0]?.action === 'delivery';
  const approvals = ends.filter((id) => id.startsWith('a')).length;
  const again = until === null ? null : `on ${endText(request, until)}`;
  const [what, usual] = isDelivery
    ? ['this delivery', 'until another delivery arrives']
    : [plural(declined, 'change'), 'until the source value changes'];
  return joinSaid([
    `Declined ${what}${again === null ? ` ${usual}` : `. Proposed again ${again}`}.`,
    approvals > 0 && `This ended ${plural(approvals, 'approval')} of the selected changes.`,
    approvals === 0 && ends.length > 0 && 'This replaced an earlier decline.',
    approvals === 0 && 'No approval was ended.',
    nextRunText(request),
  ]);
}

async function takeDecline(request: WebRequest): Promise<Onward> {
  const reason = demandReason(request);
  const declined = request.params.decline ?? '';
  const { changes } = await perform(request, REVOKE_DECLINE, { decline: declined, reason });
  const said = [
    `Revoked the decline of ${plural(changes, 'change')}.`,
    'The next run proposes it again.',
    nextRunText(request),
  ];
  return { to: readGoal(fieldOf(request, 'to')), said: joinSaid(said) };
}
