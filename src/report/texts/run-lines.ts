import type { ReportedHold } from '../../model/desired.js';
import { countByWhatWaits, describeHeldCounts } from '../sections/held.js';
import { formatMinute, plural } from '../sections/words.js';

/** One run of the history in the form of `--json`, with its document parsed. */
export interface PastRun {
  readonly id: string;
  readonly command: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly exit_code: number | null;
  readonly plan: string | null;
  /** Null if the run did not end, or if it is so old that its document was deleted. */
  readonly result: Readonly<Record<string, unknown>> | null;
  /** Set while the run is in progress. */
  readonly under_way?: WorkUnderWay;
}

/** The process that is working on a state. Times are ISO 8601; null immediately after the start. */
export interface WorkUnderWay {
  /** `daemon, process 4711 on worker-1` */
  readonly holder: string;
  readonly since: string | null;
  readonly stage: string | null;
  readonly stage_since: string | null;
}

/** How a run ended, by its exit code. */
export const ENDINGS: Readonly<Record<number, string>> = {
  0: 'well',
  1: 'with an error (exit 1)',
  3: 'with something to decide (exit 3)',
  4: 'with failed or held records (exit 4)',
};

/** A run in two lines: its start and result, then its id and how it ended. */
export function renderPastRun(run: PastRun): readonly string[] {
  const { id, command, started_at, under_way } = run;
  const did = under_way === undefined ? describeDone(run) : describeUnderWay(under_way);
  const ended = under_way === undefined ? describeEnding(run) : `under way: ${under_way.holder}`;
  return [`  ${formatMinute(started_at)}  ${command.padEnd(7)}  ${did}`, `      ${id}, ${ended}`];
}

function describeEnding({ ended_at, exit_code }: PastRun): string {
  if (ended_at === null) return 'did not end';
  return `ended ${ENDINGS[exit_code ?? 1] ?? `with ${exit_code}`}`;
}

function describeDone({ command, ended_at, result }: PastRun): string {
  return ended_at === null ? 'its process died; the next run finishes what it began' : describeResult(command, result);
}

/** `applying, since 2026-11-20 10:05` */
export function describeUnderWay({ stage, stage_since }: WorkUnderWay): string {
  return `${stage ?? 'starting'}${stage_since === null ? '' : `, since ${formatMinute(stage_since)}`}`;
}

function describeResult(command: string, result: PastRun['result']): string {
  if (result === null) return 'its result is no longer kept';
  if (command === 'restore') return `state.db from ${String(result.restored ?? 'a backup')}`;
  if (typeof result.error === 'string') return result.error;
  const count = (list: unknown): number => (Array.isArray(list) ? list.length : 0);
  const [failed, guards] = [count(result.failed), count(result.guards)];
  const errors = (Array.isArray(result.errors) ? result.errors : []) as readonly { readonly source: string }[];
  const unread = [...new Set(errors.map(({ source }) => source))];
  const held = [result.held, result.conflicts].flatMap((list) => (Array.isArray(list) ? (list as ReportedHold[]) : []));
  return [
    `${plural(Number(result.done ?? 0), 'change')} done`,
    failed > 0 ? `${failed} failed` : '',
    ...describeHeldCounts(countByWhatWaits(held)),
    unread.length > 0 ? `not read: ${unread.join(', ')}` : '',
    guards > 0 ? `${plural(guards, 'guard')} tripped` : '',
  ]
    .filter(Boolean)
    .join(', ');
}
