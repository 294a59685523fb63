import { groupBy } from '../../../../model/group-by.js';
import { isSameApprover } from '../../../../operations/weigh-approval.js';
import { saysNo } from '../../../../report/sections/declined.js';
import { plural, withOneMoreRun } from '../../../../report/sections/words.js';
import { type Html, html } from '../../../../report/writers/page/html-text.js';
import type { Approval } from '../../../../store/state/history-store.js';
import { tenantPath } from '../deciding.js';
import type { WebRequest } from '../route.js';
import { renderApproveForm } from './approve-form.js';
import { renderRevokeDecline } from './decline-form.js';
import { renderRevoke, runOf } from './form-parts.js';
import type { RunView } from './run-view.js';
import { endText, timeText } from './times.js';

/** The approvals of this plan, with their authors and reasons, and those that need a second person. */
export function renderApprovals(request: WebRequest, view: RunView): Html | null {
  const [given, half] = [countOf(view, view.approvals), countOf(view, view.halfApproved)];
  if (given.length + half.length === 0) return null;
  const halves = half.map((one) => {
    const { approval } = one;
    const mayConfirm = view.mayApprove && !view.isExpired && !isSameApprover(approval, view);
    const confirm = mayConfirm
      ? renderApproveForm(request, view, {
          name: 'confirm',
          value: approval.id,
          what: `the same ${plural(one.changes, 'change')}`,
        })
      : null;
    return html`<li>${renderApproval(view, one)} ${describeEnd(request, view, approval)} A second person must approve the same before. ${renderId(approval)}${confirm}${renderTakeBack(request, view, approval)}</li>`;
  });
  const passing = given.map(
    (one) =>
      html`<li>${renderApproval(view, one)} Approved at ${timeText(request, one.approval.at)}. The next run carries it out. ${describeEnd(request, view, one.approval)} ${renderId(one.approval)}${renderTakeBack(request, view, one.approval)}</li>`,
  );
  const title = given.length === 0 ? 'Half approved' : 'Approved, and not carried out yet';
  return html`<section id="approvals" aria-labelledby="approvals-heading"><h2 id="approvals-heading">${title}</h2><ul class="plainly">${halves}${passing}</ul></section>`;
}

/** The declines that concern the displayed changes, each with a form to revoke it. */
export function renderDeclines(request: WebRequest, { selected, declines, reading }: RunView): Html | null {
  const rows = selected.rows.filter(({ state }) => state === 'declined').flatMap(({ id }) => declines.get(id) ?? []);
  if (rows.length === 0) return null;
  const given = [...groupBy(rows, ({ id }) => id).values()].map((of) => {
    const [first] = of;
    const end = (iso: string): string => endText(request, iso);
    return html`<li><b>${plural(of.length, 'change')}</b> declined ${reading.show(saysNo(first, end))}. Declined at ${timeText(request, first.at)}. <span class="key">${first.id}</span>${renderRevokeDecline(request, first)}</li>`;
  });
  return html`<section id="declines" aria-labelledby="declines-heading"><h2 id="declines-heading">Declined</h2><ul class="plainly">${given}</ul></section>`;
}

interface CountedApproval {
  readonly approval: Approval;
  readonly changes: number;
}

/** The approvals that concern the displayed changes, with the number of changes in each. */
function countOf({ selected, report }: RunView, approvals: ReadonlyMap<string, Approval>): readonly CountedApproval[] {
  const found = new Map<string, { approval: Approval; changes: number }>();
  for (const id of [...selected.rows.map((change) => change.id), ...report.guards.map(({ guard }) => guard)]) {
    const approval = approvals.get(id);
    if (approval === undefined) continue;
    const one = found.get(approval.id) ?? { approval, changes: 0 };
    one.changes += 1;
    found.set(approval.id, one);
  }
  return [...found.values()];
}

function renderApproval({ reading }: RunView, { approval, changes }: CountedApproval): Html {
  return html`<b>${plural(changes, 'change')}</b> approved by ${reading.show(approval.who)}: ${reading.show(approval.reason || 'no reason given')}.`;
}

function describeEnd(request: WebRequest, { untilRun }: RunView, { id, expiresAt }: Approval): string {
  return `The approval is valid until ${withOneMoreRun(timeText(request, expiresAt), untilRun.has(id))}.`;
}

function renderId({ id }: Approval): Html {
  return html`<span class="key">${id}</span>`;
}

function renderTakeBack(request: WebRequest, view: RunView, { id }: Approval): Html | null {
  if (!view.mayApprove) return null;
  const action = `${tenantPath(request)}/approvals/${encodeURIComponent(id)}/revoke`;
  const hidden = { ...runOf(view), plan: view.plan?.meta.plan ?? '' };
  return renderRevoke(request, 'Revoke', { id, action, hidden });
}
