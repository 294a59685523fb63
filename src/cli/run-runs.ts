import { SyncError } from '../errors.js';
import { type PastRun, renderPastRun } from '../report/texts/run-lines.js';
import { joinLines } from '../report/writers/style.js';
import { openStores } from '../store/open-stores.js';
import type { Run } from '../store/state/history-store.js';
import { type CommonOptions, type Console, runCommand } from './context.js';

export interface RunsFlags extends CommonOptions {
  readonly last: number;
}

/** `runs [RUN]`: the history, newest first; of one run the whole document it ended with. Works during a run. */
export async function runRuns(console: Console, id: string | undefined, flags: RunsFlags): Promise<void> {
  await runCommand(console, flags, async ({ config }) => {
    const stores = openStores(config.state);
    try {
      if (id !== undefined) {
        const run = stores.history.findRun(id);
        if (run === null) throw unknownRun(id);
        const past = describeRun(run);
        const document = past.result === null ? '' : `\n${JSON.stringify(past.result, null, 2)}`;
        return { json: past, text: `${joinLines(renderPastRun(past))}${document}`, exitCode: 0 };
      }
      const runs = stores.history.lastRuns(flags.last).map(describeRun);
      const text = runs.length === 0 ? '  no run yet' : joinLines(runs.flatMap(renderPastRun));
      return { json: { runs }, text, exitCode: 0 };
    } finally {
      stores.close();
    }
  });
}

/** A row of the history, its document parsed. */
export function describeRun(run: Run): PastRun {
  const { id, command, startedAt, endedAt, exitCode, plan, result } = run;
  const parsed = result === null ? null : (JSON.parse(result) as PastRun['result']);
  return { id, command, started_at: startedAt, ended_at: endedAt, exit_code: exitCode, plan, result: parsed };
}

function unknownRun(id: string): SyncError {
  return new SyncError('SYNC_NOT_FOUND', {
    message: `There is no run ${id} in the history.`,
    place: 'runs',
    remedy: '`talent-sync runs` lists those that are kept.',
  });
}
