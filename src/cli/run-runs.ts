import { SyncError } from '../errors.js';
import { describeRun } from '../operations/describe-run.js';
import { withStores } from '../operations/with-stores.js';
import { renderPastRun } from '../report/texts/run-lines.js';
import { joinLines } from '../report/writers/style.js';
import { findUnderWay } from '../store/run-lock.js';
import type { CommandContext, CommandResult, CommonOptions } from './context.js';

export interface RunsFlags extends CommonOptions {
  readonly run?: string;
  readonly last: number;
}

/** `runs [RUN]`: the history, newest first; of one run the whole document it ended with. Works during a run. */
export function runRuns(context: CommandContext, { run: id, last }: RunsFlags): Promise<CommandResult> {
  return withStores(context, ({ history, folder }) => {
    const now = findUnderWay(folder);
    if (id !== undefined) {
      const run = history.findRun(id);
      if (run === null) throw unknownRun(id);
      const past = describeRun(run, now);
      const document = past.result === null ? '' : `\n${JSON.stringify(past.result, null, 2)}`;
      return { json: past, text: `${joinLines(renderPastRun(past))}${document}` };
    }
    const runs = history.lastRuns(last).map((run) => describeRun(run, now));
    const text = runs.length === 0 ? '  no run yet' : joinLines(runs.flatMap(renderPastRun));
    return { json: { runs }, text };
  });
}

function unknownRun(id: string): SyncError {
  return new SyncError('SYNC_NOT_FOUND', {
    message: `There is no run ${id} in the history.`,
    place: 'runs',
    remedy: '`talent-sync runs` lists those that are kept.',
  });
}
