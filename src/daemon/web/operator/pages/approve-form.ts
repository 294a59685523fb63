import { isoNow } from '../../../../base/clock.js';
import { APPROVE, REVOKE_APPROVAL, type ToldApproval } from '../../../../operations/approve.js';
import { openPlan } from '../../../../operations/open-report.js';
import { withStores } from '../../../../operations/with-stores.js';
import { plural, withOneMoreRun } from '../../../../report/sections/words.js';
import { renderRemoval } from '../../../../report/writers/page/form-parts.js';
import { type Html, html } from '../../../../report/writers/page/html-text.js';
import { decided, decisionOf, demandReason, fieldOf, perform, tenantPath } from '../deciding.js';
import { type Onward, WebRefusal, type WebRequest, type WebRoute } from '../route.js';
import { renderDeclineSelected } from './decline-form.js';
import { backTo, joinSaid, renderPosted, renderReason, runOf, SELECTED } from './form-parts.js';
import type { RunView } from './run-view.js';
import { nextRunText, timeText } from './times.js';

/** Approves changes that a guard holds, as `approve` does. An approval is bound to the displayed plan and to each change. */
export const APPROVAL_ROUTES: readonly WebRoute[] = [
  { method: 'POST', path: '/tenants/:tenant/plans/:plan/approve', audience: 'approver', answer: giveApproval },
  { method: 'POST', path: '/tenants/:tenant/approvals/:approval/revoke', audience: 'approver', answer: takeApproval },
];

/** Id of the form. The checkboxes of the table belong to it, wherever they are on the page. */
export const APPROVE_FORM = 'approve';

export function renderApprove(request: WebRequest, view: RunView, isOne: boolean): Html {
  const all = html`<label class="script"><input type="checkbox" id="select-all"> All on this page</label>`;
  const approve = html`<button class="main">Approve the selected ${SELECTED}</button>`;
  return renderPosted(
    request,
    { look: 'tools decide', id: APPROVE_FORM, action: approvePath(request, view), hidden: runOf(view) },
    [isOne ? null : all, renderReason('reason', 'Why'), approve, renderDeclineSelected(request, view)],
  );
}

/** Changes approved together: all changes that a guard holds, or those that another person has already approved. */
export interface ApprovedTogether {
  readonly name: 'guard' | 'confirm';
  readonly value: string;
  /** `all 49 changes` */
  readonly what: string;
}

export function renderApproveForm(request: WebRequest, view: RunView, { name, value, what }: ApprovedTogether): Html {
  const id = `${name}-${value.replace(/[^\w]/g, '-')}`;
  const form = { look: 'line', action: approvePath(request, view), hidden: { ...runOf(view), [name]: value } } as const;
  const body = [renderReason(id, 'Why'), html`<button class="main">Approve ${what}</button>`];
  return renderRemoval(`Approve ${what}`, renderPosted(request, form, body));
}

function approvePath(request: WebRequest, { plan }: RunView): string {
  return `${tenantPath(request)}/plans/${encodeURIComponent(plan?.meta.plan ?? '')}/approve`;
}

async function giveApproval(request: WebRequest): Promise<Onward> {
  const { form, params } = request;
  const context = decisionOf(request);
  const plan = (params.plan ?? '').replace(/[^\w-]/g, '');
  const reason = demandReason(request);
  const guard = fieldOf(request, 'guard');
  const changes = [...form.getAll('change'), ...(await listConfirmed(request))];
  if (guard === '' && changes.length === 0) throw new WebRefusal(400, 'Nothing was selected.');
  const { meta } = await decided(
    withStores(context, async (stores) => {
      const { plan: kept } = await openPlan(context.config, stores, plan);
      if (kept === null) throw new WebRefusal(404, 'This plan is no longer kept.');
      return kept;
    }),
  );
  if (meta.expires <= isoNow(context.clock)) {
    const text = `This plan expired at ${timeText(request, meta.expires)}, so its data may be out of date.`;
    throw new WebRefusal(409, `${text} Nothing was approved. Create a new plan, and decide there.`);
  }
  const order = guard === '' ? { plan, reason, changes } : { plan, reason, guard };
  const given = await perform(request, APPROVE, order);
  return { to: backTo(request, plan), said: tellApproved(request, given) };
}

function tellApproved(request: WebRequest, given: ToldApproval): string {
  const { approved, already, waiting_for_second: half, left_out: leftOut, whole } = given;
  const end = withOneMoreRun(timeText(request, given.expires), given.until_next_run);
  const name = (count: number): string => (whole === null ? plural(count, 'change') : 'what this guard holds');
  const left = leftOut.reduce((sum, { changes }) => sum + changes, 0);
  return joinSaid([
    approved > 0 && `Approved ${name(approved)}. The approval is valid until ${end}.`,
    half > 0 && `Approved ${name(half)} as the first person. A second person must approve the same until ${end}.`,
    already > 0 && `Approved earlier, and unchanged: ${name(already)}.`,
    left > 0 && `Not approved: ${plural(left, 'change')}, because each is decided or must be selected by itself.`,
    nextRunText(request),
  ]);
}

/** Lists the changes that another person has approved, by the id of that approval. */
async function listConfirmed(request: WebRequest): Promise<readonly string[]> {
  const confirmed = fieldOf(request, 'confirm');
  if (confirmed === '') return [];
  const context = decisionOf(request);
  const halves = await withStores(context, ({ history }) => history.halfApprovalsAt(isoNow(context.clock)));
  const changes = [...halves.values()].filter(({ id }) => id === confirmed).map(({ changeId }) => changeId);
  if (changes.length === 0) throw new WebRefusal(409, 'None of these changes waits for a second person any more.');
  return changes;
}

async function takeApproval(request: WebRequest): Promise<Onward> {
  const approval = request.params.approval ?? '';
  const { changes } = await perform(request, REVOKE_APPROVAL, { approval, reason: demandReason(request) });
  const said = `Revoked the approval of ${plural(changes, 'change')}. ${changes === 1 ? 'It needs' : 'They need'} approval again.`;
  return { to: backTo(request, fieldOf(request, 'plan')), said };
}
