import { appendEvent } from '../audit/audit-log.js';
import { isoNow } from '../clock.js';
import { SyncError } from '../errors.js';
import { findMembers, type WaitingMember } from '../operations/find-hold.js';
import { decide } from '../operations/with-stores.js';
import { formatMinute } from '../report/sections/words.js';
import { worded } from '../report/writers/style.js';
import { type CommandContext, type CommandResult, type CommonOptions, nameOperator, readReason } from './context.js';
import { parseComing } from './parse-moment.js';

export interface AckFlags extends CommonOptions {
  readonly id: string;
  readonly reason?: string;
  readonly until?: string;
  readonly revoke?: boolean;
}

/** `holds ack ID`: leaves a hold as it is, until a time or until something else is held; `--revoke` takes that back. */
export async function runHoldsAck(context: CommandContext, flags: AckFlags): Promise<CommandResult> {
  const reason = readReason(flags);
  if (flags.revoke !== true && reason.trim() === '') {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: 'Say why it may stay as it is.',
      place: '--reason',
      remedy: 'Write `--reason "agreed with sales"`; it is kept in the audit.',
    });
  }
  const until = flags.until === undefined ? null : parseComing(flags.until, '--until', context.clock.now());
  const found = await findMembers(context, flags.id);
  if (flags.revoke === true) return revoke(context, found, reason);
  const [at, by] = [isoNow(context.clock), nameOperator()];
  await decide(context, (stores) => {
    for (const { hold, entity, key, code } of found) {
      stores.acknowledgements.acknowledge({ hold, entity, key, who: by, reason, until, at });
      appendEvent(stores.audit, { kind: 'hold acknowledged', at, by, hold, entity, key, code, reason, until });
    }
  });
  const { acknowledged, holds } = nameMembers(found, flags.id);
  return {
    json: { acknowledged, holds, who: by, reason, until, at },
    text: worded`Acknowledged ${acknowledged} ${until === null ? 'until something else is held' : `until ${formatMinute(until)}`} (\`talent-sync holds ack ${acknowledged} --revoke\` takes it back).`,
  };
}

/** Of one hold its whole id; of a cause what was typed, and how many wait for it. */
function nameMembers(found: readonly WaitingMember[], typed: string): { acknowledged: string; holds: number } {
  const [first] = found;
  return { acknowledged: found.length === 1 && first !== undefined ? first.hold : typed, holds: found.length };
}

async function revoke(
  context: CommandContext,
  found: readonly WaitingMember[],
  reason: string,
): Promise<CommandResult> {
  const known = found.filter(({ acknowledged }) => acknowledged !== undefined);
  const { acknowledged: revoked } = nameMembers(found, found[0]?.hold ?? '');
  if (known.length === 0) {
    throw new SyncError('SYNC_HOLD_UNKNOWN', {
      message: `Nobody has acknowledged ${revoked}.`,
      place: '--revoke',
      remedy: '`talent-sync holds list` shows what is held, and which of it is acknowledged.',
    });
  }
  const [at, by] = [isoNow(context.clock), nameOperator()];
  await decide(context, (stores) => {
    for (const { hold, entity, key } of known) {
      stores.acknowledgements.forget(hold);
      appendEvent(stores.audit, { kind: 'acknowledgement revoked', at, by, hold, entity, key, reason });
    }
  });
  const text = worded`Revoked: ${revoked} counts again from the next run on.`;
  return { json: { revoked, who: by, reason }, text };
}
