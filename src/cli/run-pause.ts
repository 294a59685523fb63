import { PAUSE, RESUME } from '../operations/pause.js';
import { formatMinute } from '../report/sections/words.js';
import { describeUnderWay } from '../report/texts/run-lines.js';
import { joinLines, worded } from '../report/writers/style.js';
import { fold } from '../report/writers/terminal-blocks.js';
import { type AskFlags, type AskingContext, type CommandResult, readReason, terminalLook } from './context.js';

export interface PauseFlags extends AskFlags {
  readonly until: string;
  readonly reason: string;
}

/** `pause --until …`: stops plans and writes until that time. */
export async function runPause(context: AskingContext, flags: PauseFlags): Promise<CommandResult> {
  const reason = readReason(flags);
  const json = await context.perform(PAUSE, { until: flags.until, reason });
  const { paused, under_way: work } = json;
  const look = terminalLook(context);
  const text = joinLines([
    worded`Paused until ${formatMinute(paused.until)}.`,
    ...fold(
      'Nothing is planned or written before then. Pushes are accepted; approvals and declines keep the time they have left.',
      2,
      look,
    ),
    ...(work === null
      ? []
      : fold(`${work.holder} is at work (${describeUnderWay(work)}), and ends before its next change.`, 2, look)),
    'To end the pause earlier: talent-sync resume --reason "…"',
  ]);
  return { json, text };
}

/** `resume`: ends the pause. */
export async function runResume(context: AskingContext, flags: Omit<PauseFlags, 'until'>): Promise<CommandResult> {
  const reason = readReason(flags);
  const json = await context.perform(RESUME, { reason });
  const { until } = json.resumed;
  return {
    json,
    text: worded`Resumed: the pause until ${formatMinute(until)} is over. One run makes up for the missed ones; approvals and declines keep the time that they had left.`,
  };
}
