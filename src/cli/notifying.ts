import { asSyncError, isOfTheAsker, type SyncError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import { findWeb } from '../config/load-web.js';
import { notifyAfterRun } from '../operations/notify/notify-after.js';
import type { CommandContext, CommandResult } from './context.js';
import { openLogger } from './open-logger.js';

/** Carries out a run, then sends what there is to say: a CronJob has no daemon that would. The result stays what it is. */
export async function notifying(context: CommandContext, work: () => Promise<CommandResult>): Promise<CommandResult> {
  const { config, clock, signal, console, held } = context;
  // Without a word about messages nothing of it is done.
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

/** Where the pages of the daemon are that has this configuration too; null where nobody has said. */
export function findPagesLink({ file }: Pick<Config, 'file'>): string | null {
  return findWeb(file)?.publicUrl ?? null;
}

/** By the code in the run's own document: `--complete-on` changes that of the command. */
function isGoodRun({ json }: CommandResult): boolean {
  return (json as { readonly exit_code?: number }).exit_code !== 1;
}
