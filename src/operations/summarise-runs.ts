import type { Config } from '../config/config.js';
import { listStreams } from '../model/stream.js';
import { isUnsettled } from '../report/exit-code.js';
import type { Stores } from '../store/open-stores.js';
import { findUnderWay } from '../store/run-lock.js';
import type { Run } from '../store/state/history-store.js';

/** Numbers of one run, for a chart over time; null if unknown. Times are ISO 8601. */
export interface RunNumbers {
  readonly id: string;
  readonly command: string;
  /** The run that this run undid; null for any other run. */
  readonly undoes: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly exitCode: number | null;
  readonly isUnderWay: boolean;
  readonly done: number | null;
  /** Failed changes and deliveries. */
  readonly failed: number | null;
  /** Number of held records, values and conflicts, and of changes that wait for a guard, without settled ones. */
  readonly held: number | null;
  readonly seconds: number | null;
  /** Milliseconds from the oldest complete read among the sources to the end of the run. */
  readonly staleMs: number | null;
}

export interface RunsPage {
  /** Newest first. */
  readonly runs: readonly RunNumbers[];
  readonly hasMore: boolean;
}

/** @param before ISO 8601: only runs that began earlier; null for the newest runs */
export function summariseRuns(
  config: Config,
  { history, folder }: Pick<Stores, 'history' | 'folder'>,
  { before, limit }: { readonly before: string | null; readonly limit: number },
): RunsPage {
  const found = before === null ? history.lastRuns(limit + 1) : history.runsBefore(before, limit + 1);
  const shown = found.slice(0, limit);
  const under = findUnderWay(folder);
  const staleOf = createStaleness(config, history, shown.at(-1)?.startedAt ?? null);
  const runs = shown
    .toReversed()
    .map((run) => numbersOfRun(run, under?.run ?? null, staleOf))
    .toReversed();
  return { runs, hasMore: found.length > limit };
}

function numbersOfRun(run: Run, underWay: string | null, staleOf: (iso: string) => number | null): RunNumbers {
  const { id, command, startedAt, endedAt, exitCode, result } = run;
  const { done, failed, held, conflicts, guards, seconds, deliveries, undoes } = JSON.parse(result ?? '{}') as Readonly<
    Record<string, unknown>
  >;
  const isKnown = typeof done === 'number';
  return {
    id,
    command,
    undoes: typeof undoes === 'string' ? undoes : null,
    startedAt,
    endedAt,
    exitCode,
    isUnderWay: endedAt === null && underWay === id,
    done: isKnown ? done : null,
    failed: isKnown ? listOf(failed).length + listOf(deliveries).filter(isFailed).length : null,
    held: isKnown ? sumOf([held, conflicts], 'count') + sumOf([guards], 'held') : null,
    seconds: typeof seconds === 'number' ? seconds : null,
    staleMs: endedAt === null ? null : staleOf(endedAt),
  };
}

function isFailed({ status }: Readonly<Record<string, unknown>>): boolean {
  return status === 'failed';
}

function listOf(list: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? (list as Readonly<Record<string, unknown>>[]) : [];
}

function sumOf(lists: readonly unknown[], name: string): number {
  return lists
    .flatMap(listOf)
    .filter(isUnsettled)
    .reduce((sum, one) => sum + Number(one[name] ?? 1), 0);
}

/** Returns a function that must be called with ascending times. */
function createStaleness(
  config: Config,
  history: Stores['history'],
  since: string | null,
): (iso: string) => number | null {
  const last = new Map<string, string>();
  if (since === null) return () => null;
  for (const { name } of listStreams(config.sources)) {
    const before = history.completeReadBefore(name, since);
    if (before !== null) last.set(name, before.readAt);
  }
  const names = new Set(listStreams(config.sources).map(({ name }) => name));
  const reads = history.readsSince(since).filter(({ source }) => names.has(source));
  let at = 0;
  return (iso) => {
    for (let read = reads[at]; read !== undefined && read.readAt <= iso; read = reads[at]) {
      last.set(read.source, read.readAt);
      at += 1;
    }
    const oldest = [...last.values()].sort()[0];
    return oldest === undefined ? null : Math.max(0, Date.parse(iso) - Date.parse(oldest));
  };
}
