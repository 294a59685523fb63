import type { StepProgress } from '../../model/progress.js';
import { formatSeconds, groupThousands } from '../sections/words.js';

/** `reading hr: 12,300 of 100,000 rows, 8,500/s, 11 s left` */
export function describeStep({ step, of, total, startedMs, done }: StepProgress, nowMs: number): string {
  const rate = done / Math.max(0.001, (nowMs - startedMs) / 1_000);
  const all = total === null || total < done ? '' : ` of ${groupThousands(total)}`;
  const left =
    all === '' || total === null || nowMs - startedMs < 1_000 ? '' : `, ${formatSeconds((total - done) / rate)} left`;
  // A document takes several seconds, so a rate below 1/s is not shown.
  const pace = nowMs - startedMs < 1_000 || rate < 1 ? '' : `, ${groupThousands(Math.round(rate))}/s`;
  return `${step}: ${groupThousands(done)}${all} ${of}${pace}${left}`;
}
