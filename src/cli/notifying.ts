import { asSyncError, isOfTheAsker, type SyncError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import { findWeb } from '../config/load-web.js';
import { notifyAfterRun } from '../operations/notify/notify-after.js';
import type { CommandContext, CommandResult } from './context.js';
import { openLogger } from './open-logger.js';

/** Performs a run, then sends pending messages, because a CronJob has no daemon to send them. The result stays the same. */
export async function notifying(context: CommandContext, work: () => Promise<CommandResult>): Promise<CommandResult> {
  const { config, clock, signal, console, held } = context;
  // Without `notify` in the configuration, only the run is performed.
  if (config.notify === null) return work();
  const logger = openLogger(console);
  const pagesLink = findPagesLink(config);
  const ending = { config, pagesLink, now: () => clock.now(), logger, signal, fence: held?.fence ?? null };
  const tell = (hindrance: SyncError | null, isGood: boolean): Promise<void> =>
    notifyAfterRun({ ...ending, hindrance, isGood });
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

/** Address of the pages of the daemon with the same configuration; null if none is configured. */
export function findPagesLink({ file }: Pick<Config, 'file'>): string | null {
  return findWeb(file)?.publicUrl ?? null;
}

/** Uses the exit code in the run's document, because `--complete-on` changes only the exit code of the command. */
function isGoodRun({ json }: CommandResult): boolean {
  return (json as { readonly exit_code?: number }).exit_code !== 1;
}
