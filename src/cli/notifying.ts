import { asSyncError, isOfTheAsker, type SyncError } from '../base/errors.js';
import { notifyAfterRun } from '../operations/notify/notify-after.js';
import type { CommandContext, CommandResult } from './context.js';
import { openLogger } from './open-logger.js';

/** Carries out a run, then sends what there is to say: a CronJob has no daemon that would. The result stays what it is. */
export async function notifying(context: CommandContext, work: () => Promise<CommandResult>): Promise<CommandResult> {
  const { config, clock, signal, console, held } = context;
  // Without a word about messages nothing of it is done.
  if (config.notify === null) return work();
  const logger = openLogger(console);
  const tell = (hindrance: SyncError | null, isGood: boolean): Promise<void> =>
    notifyAfterRun({ config, hindrance, isGood, now: () => clock.now(), logger, signal, fence: held?.fence ?? null });
  try {
    const result = await work();
    await tell(null, isGoodRun(result));
    return result;
  } catch (thrown) {
    const error = asSyncError(thrown);
    if (!isOfTheAsker(error)) await tell(error, false);
    throw thrown;
  }
}

/** By the code in the run's own document: `--complete-on` changes that of the command. */
function isGoodRun({ json }: CommandResult): boolean {
  return (json as { readonly exit_code?: number }).exit_code !== 1;
}
