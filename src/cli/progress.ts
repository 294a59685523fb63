import type { Ora } from 'ora';
import { createStepCounter, type ProgressStep } from '../model/progress.js';
import { describeStep } from '../report/texts/progress-text.js';
import { type Console, isInCi } from './context.js';
import { print } from './print.js';

/** Intervals between updates on a terminal, and between lines elsewhere. Elsewhere, short steps print nothing. */
const DRAWN_EACH_MS = 100;
const WRITTEN_EACH_MS = 10_000;

/**
 * Shows the progress of long steps with rate and remaining time: one moving line on a terminal, plain lines elsewhere. Uses
 * real time instead of a given clock, because people read the rates while they wait.
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

/** The moving line on a terminal. The library is loaded only when there is something to draw. */
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
        // Draw now, because busy work blocks the spinner's timer.
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
