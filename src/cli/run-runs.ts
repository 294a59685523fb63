import { RUN, RUNS } from '../operations/list-runs.js';
import { renderPastRun } from '../report/texts/run-lines.js';
import { joinLines } from '../report/writers/style.js';
import type { AskFlags, AskingContext, CommandResult } from './context.js';

export interface RunsFlags extends AskFlags {
  readonly run?: string;
  readonly last: number;
}

/** `runs [RUN]`: the history, newest first; for one run, the complete document of its result. Works during a run. */
export async function runRuns(context: AskingContext, { run, last }: RunsFlags): Promise<CommandResult> {
  if (run !== undefined) {
    const past = await context.perform(RUN, { run });
    const document = past.result === null ? '' : `\n${JSON.stringify(past.result, null, 2)}`;
    return { json: past, text: `${joinLines(renderPastRun(past))}${document}` };
  }
  const json = await context.perform(RUNS, { last });
  const { runs } = json;
  return { json, text: runs.length === 0 ? '  no run yet' : joinLines(runs.flatMap(renderPastRun)) };
}
