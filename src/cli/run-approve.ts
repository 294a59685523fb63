import { showGuard } from '../model/held-source.js';
import { APPROVALS, APPROVE, REVOKE_APPROVAL, type ToldApproval } from '../operations/approve.js';
import { ONE_PERSON_HERE } from '../operations/weigh-approval.js';
import { formatMinute, plural, withOneMoreRun } from '../report/sections/words.js';
import { joinLines, type TerminalLook, worded } from '../report/writers/style.js';
import { fold } from '../report/writers/terminal-blocks.js';
import { type AskFlags, type AskingContext, type CommandResult, readReason, terminalLook } from './context.js';
import { requireReason } from './require-reason.js';

export interface ApproveFlags extends AskFlags {
  readonly plan?: string;
  readonly guard?: string;
  readonly action?: string;
  readonly who?: string;
  readonly reason?: string;
  /** Milliseconds until the approval lapses; by default `approvals.expires`. */
  readonly expires?: number;
  readonly list?: boolean;
  readonly revoke?: string;
}

/** `approve [PLAN]`: approves changes that a guard holds, by guard, action or person, until the approval lapses. */
export async function runApprove(context: AskingContext, flags: ApproveFlags): Promise<CommandResult> {
  if (flags.list === true) return printApprovals(context);
  const reason = readReason(flags);
  if (flags.revoke !== undefined) return revoke(context, flags.revoke, reason);
  requireReason(context, reason, 'Outside a terminal, an approval needs a reason.');
  const { plan, guard, action, who, expires } = flags;
  const chosen = Object.entries({ plan, guard, action, who, expires }).filter(([, value]) => value !== undefined);
  const json = await context.perform(APPROVE, { ...Object.fromEntries(chosen), reason });
  return { json, text: chooseText(json)(json, terminalLook(context)) };
}

function chooseText({ approved, waiting_for_second: half }: ToldApproval): typeof renderGiven {
  if (half > 0) return renderHalf;
  return approved === 0 ? renderAlready : renderGiven;
}

/** The first of two approvals was given. */
function renderHalf(given: ToldApproval, look: TerminalLook): string {
  const { approval, plan, approved, waiting_for_second: half, guards, whole } = given;
  const what = whole ?? `${plural(half, 'change')} of`;
  return joinLines([
    `Half approved: ${what} plan ${plan},`,
    ...fold(`as ${approval} (${guards.map(showGuard).join(', ')}), ${approvalEndText(given)}.`, 2, look),
    ...listLeftOut(given, look),
    ...(approved === 0
      ? []
      : fold(`${plural(approved, 'change')} already had a first approval, and can go through now.`, 2, look)),
    'A second person must approve the same changes; until then they are not made.',
    ...fold(ONE_PERSON_HERE, 0, look),
    `To revoke it: talent-sync approve --revoke ${approval}`,
  ]);
}

function renderGiven(given: ToldApproval, look: TerminalLook): string {
  const { approval, plan, approved, already, guards, causes, whole, before, undoes } = given;
  const what = whole ?? `${plural(approved, 'change')} of`;
  return joinLines([
    `Approved ${what} plan ${plan},`,
    ...fold(`as ${approval} (${guards.map(showGuard).join(', ')}), ${approvalEndText(given)}.`, 2, look),
    ...listLeftOut(given, look),
    ...(before === null
      ? []
      : fold(
          `${already} of them ${already === 1 ? 'was' : 'were'} approved before, as ${before.id} by ${before.who}.`,
          2,
          look,
        )),
    ...causes.flatMap(({ guard, cause, detail }) => fold(`${showGuard(guard)}: ${cause} — ${detail}`, 2, look)),
    `To revoke it: talent-sync approve --revoke ${approval}`,
    `Now: ${undoes === null ? 'talent-sync sync' : `talent-sync undo ${undoes}`}`,
    ...(whole === null ? [` or: talent-sync apply ${plan}`] : []),
  ]);
}

/** `until 2026-12-05 08:37 UTC, and for one more run if no run has written by then` */
function approvalEndText({
  expires,
  until_next_run: isUntilRun,
}: Pick<ToldApproval, 'expires' | 'until_next_run'>): string {
  return `until ${withOneMoreRun(formatMinute(expires), isUntilRun)}`;
}

/** Changes of the plan that no longer need an approval. */
function listLeftOut({ left_out: leftOut }: ToldApproval, look: TerminalLook): readonly string[] {
  return leftOut.flatMap(({ changes, because }) =>
    fold(`Not approved: ${plural(changes, 'change')}, ${because}.`, 2, look),
  );
}

/** An identical approval is still valid, so nothing is written. */
function renderAlready(given: ToldApproval, look: TerminalLook): string {
  const { approval, plan, already, who, reason } = given;
  return joinLines([
    `Approved already: ${plural(already, 'change')} of plan ${plan},`,
    ...fold(`as ${approval} by ${who} ${approvalEndText(given)}: ${reason || 'no reason given'}`, 2, look),
    ...listLeftOut(given, look),
    'Nothing was changed. `--expires` sets another expiry time.',
  ]);
}

/** `approve --list`. */
async function printApprovals(context: AskingContext): Promise<CommandResult> {
  const json = await context.perform(APPROVALS, {});
  const look = terminalLook(context);
  const tell = ({
    guards,
    who,
    reason,
  }: NonNullable<(typeof json)['lapsed']>[number] | (typeof json)['approvals'][number]) =>
    fold(`${guards.map(showGuard).join(', ')}, by ${who}: ${reason || 'no reason given'}`, 4, look);
  const lines = [
    ...json.approvals.flatMap((one) => [
      `${one.id}  ${plural(one.changes, 'change')}, ${approvalEndText(one)}${one.waits_for_second ? ', needs a second person' : ''}`,
      ...tell(one),
    ]),
    ...(json.lapsed ?? []).flatMap((one) => [`${one.id}  no longer valid: ${one.because}`, ...tell(one)]),
  ];
  return { json, text: lines.length === 0 ? 'There is no valid approval.' : joinLines(lines) };
}

/** `approve --revoke ID`. */
async function revoke(context: AskingContext, id: string, reason: string): Promise<CommandResult> {
  const json = await context.perform(REVOKE_APPROVAL, { approval: id, reason });
  const { changes } = json;
  return {
    json,
    text: worded`Revoked ${id}: ${plural(changes, 'change')} need${changes === 1 ? 's' : ''} an approval again from the next run on.`,
  };
}
