import { APPROVALS, APPROVE, REVOKE_APPROVAL, type ToldApproval } from '../operations/approve.js';
import { formatMinute, plural } from '../report/sections/words.js';
import { joinLines, type TerminalLook, worded } from '../report/writers/style.js';
import { fold } from '../report/writers/terminal-blocks.js';
import { type AskFlags, type AskingContext, type CommandResult, lookFor, readReason } from './context.js';
import { requireReason } from './require-reason.js';

export interface ApproveFlags extends AskFlags {
  readonly plan?: string;
  readonly guard?: string;
  readonly action?: string;
  readonly who?: string;
  readonly reason?: string;
  /** Milliseconds it holds; `plan.expires` without it. */
  readonly expires?: number;
  readonly list?: boolean;
  readonly revoke?: string;
}

/** `approve [PLAN]`: lets what a guard holds pass, by guard, action or person, until the approval lapses. */
export async function runApprove(context: AskingContext, flags: ApproveFlags): Promise<CommandResult> {
  if (flags.list === true) return printApprovals(context);
  const reason = readReason(flags);
  if (flags.revoke !== undefined) return revoke(context, flags.revoke, reason);
  requireReason(context, reason, 'Say why it may pass: this is not a terminal.');
  const { plan, guard, action, who, expires } = flags;
  const chosen = Object.entries({ plan, guard, action, who, expires }).filter(([, value]) => value !== undefined);
  const json = await context.perform(APPROVE, { ...Object.fromEntries(chosen), reason });
  return { json, text: chooseText(json)(json, lookFor(context)) };
}

function chooseText({ approved, waiting_for_second: half }: ToldApproval): typeof renderGiven {
  if (half > 0) return renderHalf;
  return approved === 0 ? renderAlready : renderGiven;
}

/** It takes two people, and this was the first of them. */
function renderHalf(given: ToldApproval, look: TerminalLook): string {
  const { approval, plan, approved, waiting_for_second: half, guards, expires, whole } = given;
  return joinLines([
    `Half approved: ${whole ?? `${plural(half, 'change')} of`} plan ${plan},`,
    ...fold(`as ${approval} (${guards.join(', ')}), until ${formatMinute(expires)}.`, 2, look),
    ...(approved === 0 ? [] : fold(`${plural(approved, 'change')} had a first word, and may pass now.`, 2, look)),
    'A second person approves the same changes; until then they wait.',
    `To take it back: talent-sync approve --revoke ${approval}`,
  ]);
}

function renderGiven(given: ToldApproval, look: TerminalLook): string {
  const { approval, plan, approved, already, guards, causes, expires, whole, before, undoes } = given;
  const what = whole ?? `${plural(approved, 'change')} of`;
  return joinLines([
    `Approved ${what} plan ${plan},`,
    ...fold(`as ${approval} (${guards.join(', ')}), until ${formatMinute(expires)}.`, 2, look),
    ...(before === null
      ? []
      : fold(`${already} of them were approved before, as ${before.id} by ${before.who}.`, 2, look)),
    ...causes.flatMap(({ guard, cause, detail }) => fold(`${guard}: ${cause} — ${detail}`, 2, look)),
    `To take it back: talent-sync approve --revoke ${approval}`,
    `Now: ${undoes === null ? 'talent-sync sync' : `talent-sync undo ${undoes}`}`,
    ...(whole === null ? [` or: talent-sync apply ${plan}`] : []),
  ]);
}

/** The same was approved before, and holds still: nothing is written twice. */
function renderAlready({ approval, plan, already, who, reason, expires }: ToldApproval, look: TerminalLook): string {
  return joinLines([
    `Approved already: ${plural(already, 'change')} of plan ${plan},`,
    ...fold(`as ${approval} by ${who} until ${formatMinute(expires)}: ${reason || 'no reason given'}`, 2, look),
    'Nothing was changed; `--expires` gives it another time.',
  ]);
}

/** `approve --list`. */
async function printApprovals(context: AskingContext): Promise<CommandResult> {
  const json = await context.perform(APPROVALS, {});
  const look = lookFor(context);
  const lines = json.approvals.flatMap(({ id, changes, guards, who, reason, expires, waits_for_second: half }) => [
    `${id}  ${plural(changes, 'change')}, until ${formatMinute(expires)}${half ? ', waits for a second person' : ''}`,
    ...fold(`${guards.join(', ')}, by ${who}: ${reason || 'no reason given'}`, 4, look),
  ]);
  return { json, text: lines.length === 0 ? 'No approval is in force.' : joinLines(lines) };
}

/** `approve --revoke ID`. */
async function revoke(context: AskingContext, id: string, reason: string): Promise<CommandResult> {
  const json = await context.perform(REVOKE_APPROVAL, { approval: id, reason });
  const { changes } = json;
  return {
    json,
    text: worded`Revoked ${id}: ${plural(changes, 'change')} wait${changes === 1 ? 's' : ''} again from the next run on.`,
  };
}
