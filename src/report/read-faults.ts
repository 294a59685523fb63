import { describeError, type SyncError } from '../base/errors.js';
import { createDayFinder } from '../model/date-in-zone.js';
import type { GuardTrip } from '../model/plan.js';
import { plural } from '../model/plural.js';
import { describeOverlooked, describeUnreadableNames, listOverlooked, listUnreadableNames } from '../model/source.js';
import type { Unread } from '../planning/reads/unread.js';
import type { StreamRead } from '../planning/staging/read-streams.js';
import type { StagedEntity } from '../planning/staging/stage-sources.js';

/** The staged entities of a run. */
interface Staged {
  readonly staged: readonly StagedEntity[];
}

interface FaultyRead extends Staged {
  readonly unread: readonly Unread[];
}

/**
 * Errors of sources that could not be read, and of reads that the service rejected; absent if there are none. The first
 * error is also under `error`, where every command reports its error.
 */
export function listErrors({ staged, unread }: FaultyRead): {
  readonly error?: unknown;
  readonly errors?: readonly unknown[];
} {
  const ofSources = listFailed(staged).map(({ source, error }) => ({ source, ...describeError(error) }));
  const ofService = unread.map(({ leftAlone, error }) => ({
    source: 'service',
    ...describeError(error),
    left_alone: leftAlone,
  }));
  const errors = [...ofSources, ...ofService];
  const [first] = errors;
  return first === undefined ? {} : { error: first.error, errors };
}

/**
 * Number of deliveries that need approval, which is not an error of the source. A declined delivery needs no further
 * decision.
 */
export function countWaiting({ staged }: Staged, guards: readonly GuardTrip[]): number {
  const declined = new Set(guards.flatMap(({ guard, declined: words }) => (words === undefined ? [] : [guard])));
  return listFailed(staged).filter(({ error }) => error.trip !== undefined && !declined.has(error.trip.guard)).length;
}

export function isBroken({ staged, unread }: FaultyRead): boolean {
  return unread.length > 0 || listFailed(staged).some(({ error }) => error.trip === undefined);
}

/** Lists each error once, even if several entities use the stream. */
export function listFailed(
  staged: readonly StagedEntity[],
): readonly { readonly source: string; readonly error: SyncError }[] {
  const failed = listReads(staged).flatMap(({ source, error }) => (error === null ? [] : [{ source, error }]));
  return [...new Map(failed.map((one) => [`${one.source} ${one.error.code}`, one])).values()];
}

function listReads(staged: readonly StagedEntity[]): readonly StreamRead[] {
  return staged.flatMap(({ deciding, enriching }) => [...deciding, ...enriching]);
}

/** Deliveries that were read but may be wrong. An operator should check them. */
function listDoubtful(staged: readonly StagedEntity[]) {
  const reads = listReads(staged).flatMap(({ evidence }) => evidence ?? []);
  return {
    /** Sources whose content has not changed for longer than `stale_after`. */
    stale: bySource(
      reads.flatMap(({ source, at, staleSince: since }) => (since === undefined ? [] : [{ source, at, since }])),
    ),
    /** Newer files that were not read. */
    overlooked: listOverlooked(reads),
    older_content: bySource(
      reads.flatMap(({ source, at, replaced }) =>
        replaced === undefined ? [] : [{ source, at, used: replaced.usedAt, replaced: replaced.at }],
      ),
    ),
    unreadable_names: listUnreadableNames(reads),
    /** People missing since earlier reads, if there are too many for an ordinary day and nobody has acknowledged them. */
    missing_people: bySource(
      reads.flatMap(({ source, at, missing }) => {
        if (missing === undefined || missing.acknowledged === true) return [];
        const { id, count, seen, seenAt, since, text } = missing;
        return [{ id, source, at, missing: count, seen, seen_at: seenAt, since, text }];
      }),
    ),
    /** Complete reads with notably fewer rows than the last complete read. */
    fewer_rows: bySource(
      reads.flatMap(({ source, at, rows, rowsBefore: before }) =>
        before === undefined ? [] : [{ source, at, rows, before }],
      ),
    ),
  };
}

/** Lists stale sources for `--json`, where empty lists are absent. */
export function listStale({ staged }: Staged): Partial<Record<string, readonly unknown[]>> {
  return Object.fromEntries(Object.entries(listDoubtful(staged)).filter(([, found]) => found.length > 0));
}

/** Describes stale sources for people, one line each. */
export function describeStale(staged: readonly StagedEntity[], timezone: string): readonly string[] {
  const dayOf = createDayFinder(timezone);
  const {
    stale,
    overlooked,
    older_content: older,
    unreadable_names: names,
    fewer_rows: fewer,
    missing_people: missing,
  } = listDoubtful(staged);
  return [
    ...stale.map(
      ({ source, at, since }) =>
        `${source} has had the same content since ${dayOf(since)}: see whether its export still runs (${at}).\n`,
    ),
    ...older.map(
      ({ source, at, used, replaced }) =>
        `${source} has the content of ${dayOf(used)} again, which a later delivery replaced on ${dayOf(replaced)} (${at}). It is used, because it activates and deactivates nobody, or corrects that delivery.\n`,
    ),
    ...fewer.map(
      ({ source, at, rows, before }) =>
        `${source} has ${plural(rows, 'row')}, ${before - rows} fewer than its last complete read (${before}): see whether its export is complete (${at}).\n`,
    ),
    ...missing.map(({ source, text, at }) => `${source}: ${text}. See whether its export is complete (${at}).\n`),
    ...names.map((one) => `${one.source}: ${describeUnreadableNames(one)}.\n`),
    ...overlooked.map(
      ({ source, in_use, arrived, ...file }) =>
        `${source} reads ${in_use}. ${describeOverlooked({ ...file, arrivedAt: arrived })}.\n`,
    ),
  ];
}

/** Sources that should have been proven complete but were not; absent if there are none. */
export function listIncomplete({ staged }: Staged): { readonly incomplete?: readonly unknown[] } {
  const open = listReads(staged).flatMap(({ source, evidence, error }) => {
    if (error !== null || evidence === null || evidence.complete || evidence.partial === true) return [];
    return [{ read: source, source: evidence.source, at: evidence.at, because: evidence.incompleteBecause ?? null }];
  });
  if (open.length === 0) return {};
  return { incomplete: [...new Map(open.map(({ read, ...rest }) => [read, rest])).values()] };
}

/** One entry per source, in order of first appearance. Each has the content of the last entry for that source. */
function bySource<T extends { readonly source: string }>(found: readonly T[]): readonly T[] {
  return [...new Map(found.map((one) => [one.source, one])).values()];
}
