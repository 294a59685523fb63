import { appendEvent } from '../audit/audit-log.js';
import { isoNow } from '../clock.js';
import { SyncError } from '../errors.js';
import { formatMinute } from '../report/sections/words.js';
import { worded } from '../report/writers/style.js';
import { type CommandContext, type CommandResult, type CommonOptions, nameOperator, readReason } from './context.js';
import { findHold, type ListedHold } from './find-hold.js';
import { parseComing } from './parse-moment.js';
import { decide } from './with-stores.js';

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
  const found = await findHold(context, flags.id);
  if (flags.revoke === true) return revoke(context, found, reason);
  const { id: hold, entity, key, code } = found;
  const [at, by] = [isoNow(context.clock), nameOperator()];
  await decide(context, (stores) => {
    stores.acknowledgements.acknowledge({ hold, entity, key, who: by, reason, until, at });
    appendEvent(stores.audit, { kind: 'hold acknowledged', at, by, hold, entity, key, code, reason, until });
  });
  return {
    json: { acknowledged: hold, who: by, reason, until, at },
    text: worded`Acknowledged ${hold} ${until === null ? 'until something else is held' : `until ${formatMinute(until)}`} (\`talent-sync holds ack ${hold} --revoke\` takes it back).`,
  };
}

async function revoke(context: CommandContext, found: ListedHold, reason: string): Promise<CommandResult> {
  const { id: hold, entity, key, acknowledged } = found;
  if (acknowledged === undefined) {
    throw new SyncError('SYNC_HOLD_UNKNOWN', {
      message: `Nobody has acknowledged ${hold}.`,
      place: '--revoke',
      remedy: '`talent-sync holds list` shows what is held, and which of it is acknowledged.',
    });
  }
  const [at, by] = [isoNow(context.clock), nameOperator()];
  await decide(context, (stores) => {
    stores.acknowledgements.forget(hold);
    appendEvent(stores.audit, { kind: 'acknowledgement revoked', at, by, hold, entity, key, reason });
  });
  const text = worded`Revoked: ${hold} counts again from the next run on.`;
  return { json: { revoked: hold, who: by, reason }, text };
}
