import { SyncError } from '../errors.js';
import { withStores } from '../operations/with-stores.js';
import { type PastRun, renderPastRun, type WorkUnderWay } from '../report/texts/run-lines.js';
import { joinLines } from '../report/writers/style.js';
import { findUnderWay, type UnderWay } from '../store/run-lock.js';
import type { Run } from '../store/state/history-store.js';
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

/**
 * A row of the history, its document parsed.
 *
 * @param now who works on the state at this moment
 */
export function describeRun(run: Run, now: UnderWay | null): PastRun {
  const { id, command, startedAt, endedAt, exitCode, plan, result } = run;
  const parsed = result === null ? null : (JSON.parse(result) as PastRun['result']);
  const past = { id, command, started_at: startedAt, ended_at: endedAt, exit_code: exitCode, plan, result: parsed };
  return endedAt === null && now?.run === id ? { ...past, under_way: describeWork(now) } : past;
}

export function describeWork({ holder, since, stage, stageSince }: UnderWay): WorkUnderWay {
  return { holder, since, stage, stage_since: stageSince };
}

function unknownRun(id: string): SyncError {
  return new SyncError('SYNC_NOT_FOUND', {
    message: `There is no run ${id} in the history.`,
    place: 'runs',
    remedy: '`talent-sync runs` lists those that are kept.',
  });
}
