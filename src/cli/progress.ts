import type { Ora } from 'ora';
import { type Change, isImported } from '../model/plan.js';
import type { OnProgress, ProgressStep } from '../model/progress.js';
import { formatSeconds, groupThousands } from '../report/sections/words.js';
import { type Console, isInCi } from './context.js';
import { print } from './print.js';

interface StepState {
  readonly startedMs: number;
  done: number;
}

/** On a terminal the line is drawn so often; elsewhere a line is written so often, so that short steps are quiet there. */
const DRAWN_EACH_MS = 100;
const WRITTEN_EACH_MS = 10_000;

/**
 * How far the long steps have come, with rate and time left: one line that moves on a terminal, plain lines elsewhere. By
 * the process's own time: rates are for people who wait.
 */
export function createProgress({ stderr, env }: Pick<Console, 'stderr' | 'env'>) {
  const isLive = stderr.isTTY === true && !isInCi(env) && env.TERM !== 'dumb';
  const steps = new Map<string, StepState>();
  let toldMs = performance.now();
  let line = isLive ? openLine(stderr) : null;
  return {
    on(step: ProgressStep): void {
      const nowMs = performance.now();
      const state = steps.get(step.step) ?? { startedMs: nowMs, done: 0 };
      steps.set(step.step, state);
      state.done += step.more;
      if (nowMs - toldMs < (isLive ? DRAWN_EACH_MS : WRITTEN_EACH_MS)) return;
      toldMs = nowMs;
      const text = describeStep(step, state, nowMs);
      if (isLive) line?.draw(text);
      else void print(stderr, `${text}\n`);
    },
    clear(): void {
      line?.close();
      line = null;
    },
  };
}

/** The line of a terminal; what draws it is loaded when there is something to draw. */
function openLine(stream: Console['stderr']): { draw(text: string): void; close(): void } {
  let spinner: Ora | null = null;
  let [isLoading, isClosed] = [false, false];
  const open = async (text: string): Promise<void> => {
    const { default: ora } = await import('ora');
    if (!isClosed) spinner = ora({ text, stream, discardStdin: false }).start();
  };
  return {
    draw(text) {
      if (spinner !== null) {
        spinner.text = text;
        // Work between two pauses lets no timer through.
        spinner.render();
      } else if (!isLoading) {
        isLoading = true;
        void open(text);
      }
    },
    close() {
      isClosed = true;
      spinner?.stop();
    },
  };
}

/** `reading hr: 12,300 of 100,000 rows, 8,500/s, 11 s left` */
export function describeStep({ step, of, total }: ProgressStep, { startedMs, done }: StepState, nowMs: number): string {
  const rate = done / Math.max(0.001, (nowMs - startedMs) / 1_000);
  const all = total === null || total < done ? '' : ` of ${groupThousands(total)}`;
  const left =
    all === '' || total === null || nowMs - startedMs < 1_000 ? '' : `, ${formatSeconds((total - done) / rate)} left`;
  // Of documents there is one in some seconds.
  const pace = nowMs - startedMs < 1_000 || rate < 1 ? '' : `, ${groupThousands(Math.round(rate))}/s`;
  return `${step}: ${groupThousands(done)}${all} ${of}${pace}${left}`;
}

/** How many changes there are to be carried out. */
export interface ChangeTotals {
  /** People who go by the service's own import. */
  readonly imported: number;
  readonly others: number;
}

/** Tells of each change that has ended. People of an import are a step of their own: they come when the service has read its file. */
export function countChanges(count: () => ChangeTotals, on: OnProgress): (change: Pick<Change, 'batch'>) => void {
  let known: ChangeTotals | null = null;
  return (change) => {
    known ??= count();
    if (isImported(change)) on({ step: 'waiting for the import', of: 'people', more: 1, total: known.imported });
    else on({ step: 'applying', of: 'changes', more: 1, total: known.others });
  };
}
