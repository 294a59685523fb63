import { SyncError } from '../errors.js';
import { type ApprovalOutcome, approve, listApprovals, revokeApproval } from '../operations/approve.js';
import { formatMinute, plural } from '../report/sections/words.js';
import { joinLines, type TerminalLook, worded } from '../report/writers/style.js';
import { fold } from '../report/writers/terminal-blocks.js';
import { type CommandContext, type CommandResult, type CommonOptions, lookFor, readReason } from './context.js';

export interface ApproveFlags extends CommonOptions {
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
export async function runApprove(context: CommandContext, flags: ApproveFlags): Promise<CommandResult> {
  if (flags.list === true) return printApprovals(context);
  const reason = readReason(flags);
  if (flags.revoke !== undefined) return revoke(context, flags.revoke, reason);
  requireReason(context, reason);
  const outcome = await approve(context, { ...flags, reason });
  return {
    json: outcome.document,
    text: (outcome.document.approved === 0 ? renderAlready : renderGiven)(outcome, lookFor(context)),
  };
}

function renderGiven({ document, whole, before, undoes }: ApprovalOutcome, look: TerminalLook): string {
  const { approval, plan, approved, already, guards, causes, expires } = document;
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
function renderAlready(
  { document: { approval, plan, already, who, reason, expires } }: ApprovalOutcome,
  look: TerminalLook,
): string {
  return joinLines([
    `Approved already: ${plural(already, 'change')} of plan ${plan},`,
    ...fold(`as ${approval} by ${who} until ${formatMinute(expires)}: ${reason || 'no reason given'}`, 2, look),
    'Nothing was changed; `--expires` gives it another time.',
  ]);
}

/** In a script nobody remembers why; on a terminal the person who types it is there to be asked. */
function requireReason({ console }: CommandContext, reason: string): void {
  const isTyped = console.stdout.isTTY === true || console.stderr.isTTY === true;
  if (isTyped || reason.trim() !== '') return;
  throw new SyncError('SYNC_CLI_USAGE', {
    message: 'Say why it may pass: this is not a terminal.',
    place: '--reason',
    remedy: 'Write `--reason "site closed, ticket 4711"`; it is kept in the audit.',
  });
}

/** `approve --list`. */
async function printApprovals(context: CommandContext): Promise<CommandResult> {
  const approvals = await listApprovals(context);
  const look = lookFor(context);
  const lines = approvals.flatMap(({ id, changes, guards, who, reason, expires }) => [
    `${id}  ${plural(changes, 'change')}, until ${formatMinute(expires)}`,
    ...fold(`${guards.join(', ')}, by ${who}: ${reason || 'no reason given'}`, 4, look),
  ]);
  return { json: { approvals }, text: lines.length === 0 ? 'No approval is in force.' : joinLines(lines) };
}

/** `approve --revoke ID`. */
async function revoke(context: CommandContext, id: string, reason: string): Promise<CommandResult> {
  const changes = await revokeApproval(context, id, reason);
  return {
    json: { revoked: id, changes, who: context.by, reason },
    text: worded`Revoked ${id}: ${plural(changes, 'change')} wait${changes === 1 ? 's' : ''} again from the next run on.`,
  };
}
