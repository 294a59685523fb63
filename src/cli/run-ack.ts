import { shortenDigest } from '../model/sha256.js';
import { ACKNOWLEDGE, FORGET_ACKNOWLEDGEMENT } from '../operations/decide-hold.js';
import { formatMinute } from '../report/sections/words.js';
import { worded } from '../report/writers/style.js';
import { type AskFlags, type AskingContext, type CommandResult, readReason } from './context.js';
import { parseComing } from './parse-moment.js';

export interface AckFlags extends AskFlags {
  readonly id: string;
  readonly reason?: string;
  readonly until?: string;
  readonly revoke?: boolean;
}

/**
 * `holds ack ID`: acknowledges a hold until a time, or until something else is held. `--revoke` revokes the
 * acknowledgement.
 */
export async function runHoldsAck(context: AskingContext, flags: AckFlags): Promise<CommandResult> {
  const { id: hold } = flags;
  const reason = readReason(flags);
  if (flags.revoke === true) {
    const json = await context.perform(FORGET_ACKNOWLEDGEMENT, { hold, reason });
    return { json, text: worded`Revoked: ${shortenDigest(json.revoked)} counts again from the next run on.` };
  }
  const until = flags.until === undefined ? null : parseComing(flags.until, '--until', context.clock.now());
  const json = await context.perform(ACKNOWLEDGE, { hold, reason, until });
  const acknowledged = shortenDigest(json.acknowledged);
  return {
    json,
    text: worded`Acknowledged ${acknowledged} ${until === null ? 'until something else is held' : `until ${formatMinute(until)}`} (\`talent-sync holds ack ${acknowledged} --revoke\` revokes it).`,
  };
}
