import type { Ora } from 'ora';
import { createStepCounter, type ProgressStep } from '../model/progress.js';
import { describeStep } from '../report/texts/progress-text.js';
import { type Console, isInCi } from './context.js';
import { print } from './print.js';

/** On a terminal the line is drawn so often; elsewhere a line is written so often, so that short steps are quiet there. */
const DRAWN_EACH_MS = 100;
const WRITTEN_EACH_MS = 10_000;

/**
 * How far the long steps have come, with rate and time left: one line that moves on a terminal, plain lines elsewhere. By
 * the process's own time: rates are for people who wait.
 */
export function createProgress({ stderr, env }: Pick<Console, 'stderr' | 'env'>) {
  const isLive = stderr.isTTY === true && !isInCi(env) && env.TERM !== 'dumb';
  const count = createStepCounter(() => performance.now());
  let toldMs = performance.now();
  let line = isLive ? openLine(stderr) : null;
  return {
    on(step: ProgressStep): void {
      const nowMs = performance.now();
      const progress = count(step);
      if (nowMs - toldMs < (isLive ? DRAWN_EACH_MS : WRITTEN_EACH_MS)) return;
      toldMs = nowMs;
      const text = describeStep(progress, nowMs);
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
