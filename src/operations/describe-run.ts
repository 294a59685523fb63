import type { PastRun, WorkUnderWay } from '../report/texts/run-lines.js';
import type { UnderWay } from '../store/run-lock.js';
import type { Run } from '../store/state/history-store.js';

/**
 * A run of the history with its parsed document.
 *
 * @param now the current work on the state
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
