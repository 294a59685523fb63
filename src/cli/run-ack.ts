import { appendEvent } from '../audit/audit-log.js';
import { isoNow } from '../clock.js';
import { SyncError } from '../errors.js';
import { formatMinute } from '../report/sections/words.js';
import { worded } from '../report/writers/style.js';
import { openStores, type Stores } from '../store/open-stores.js';
import {
  type CommandContext,
  type CommonOptions,
  type Console,
  nameOperator,
  readReason,
  runCommand,
} from './context.js';
import { findHold } from './find-hold.js';
import { parseComing } from './parse-moment.js';

export interface AckFlags extends CommonOptions {
  readonly reason?: string;
  readonly until?: string;
  readonly revoke?: boolean;
}

/** `holds ack ID`: leaves a hold as it is, until a time or until something else is held; `--revoke` takes that back. */
export async function runHoldsAck(console: Console, id: string, flags: AckFlags): Promise<void> {
  await runCommand(console, flags, async (context) => {
    const reason = readReason(flags);
    const revoke = flags.revoke === true;
    if (!revoke && reason.trim() === '') {
      throw new SyncError('SYNC_CLI_USAGE', {
        message: 'Say why it may stay as it is.',
        place: '--reason',
        remedy: 'Write `--reason "agreed with sales"`; it is kept in the audit.',
      });
    }
    const until = flags.until === undefined ? null : parseComing(flags.until, '--until', context.clock.now());
    const { id: hold, entity, key, code, acknowledged } = await findHold(context, id);
    const [at, by] = [isoNow(context.clock), nameOperator()];
    if (revoke) {
      if (acknowledged === undefined) {
        throw new SyncError('SYNC_HOLD_UNKNOWN', {
          message: `Nobody has acknowledged ${hold}.`,
          place: '--revoke',
          remedy: '`talent-sync holds list` shows what is held, and which of it is acknowledged.',
        });
      }
      changeState(context, (stores) => {
        stores.acknowledgements.forget(hold);
        appendEvent(stores.audit, { kind: 'acknowledgement revoked', at, by, hold, entity, key, reason });
      });
      const text = worded`Revoked: ${hold} counts again from the next run on.`;
      return { json: { revoked: hold, who: by, reason }, text, exitCode: 0 };
    }
    changeState(context, (stores) => {
      stores.acknowledgements.acknowledge({ hold, entity, key, who: by, reason, until, at });
      appendEvent(stores.audit, { kind: 'hold acknowledged', at, by, hold, entity, key, code, reason, until });
    });
    return {
      json: { acknowledged: hold, who: by, reason, until, at },
      text: worded`Acknowledged ${hold} ${until === null ? 'until something else is held' : `until ${formatMinute(until)}`} (\`talent-sync holds ack ${hold} --revoke\` takes it back).`,
      exitCode: 0,
    };
  });
}

/** State and audit together. */
function changeState({ config }: CommandContext, change: (stores: Stores) => void): void {
  const stores = openStores(config.state, { lockedAt: null }, config.audit);
  try {
    stores.state.transaction(() => change(stores));
  } finally {
    stores.close();
  }
}
