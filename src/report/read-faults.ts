import { describeError, type SyncError } from '../errors.js';
import {
  listOverlooked,
  listUnreadableNames,
  type ReadEvidence,
  tellOverlooked,
  tellUnreadableNames,
} from '../model/source.js';
import type { Unread } from '../planning/reads/unread.js';
import type { StreamRead } from '../staging/read-streams.js';
import type { StagedEntity } from '../staging/stage-sources.js';

/** What a run staged. */
interface Staged {
  readonly staged: readonly StagedEntity[];
}

interface FaultyRead extends Staged {
  readonly unread: readonly Unread[];
}

/**
 * Sources that could not be read, and what the service refused to show, in the form of errors; absent when there are
 * none. The first one is under `error` too, where every command tells what went wrong.
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

/** A delivery that waits for an approval is no fault of the source. */
export function countWaiting({ staged }: Staged): number {
  return listFailed(staged).filter(({ error }) => error.trip !== undefined).length;
}

export function isBroken({ staged, unread }: FaultyRead): boolean {
  return unread.length > 0 || listFailed(staged).some(({ error }) => error.trip === undefined);
}

/** Each once, whatever number of entities use the stream. */
function listFailed(
  staged: readonly StagedEntity[],
): readonly { readonly source: string; readonly error: SyncError }[] {
  const failed = listReads(staged).flatMap(({ source, error }) => (error === null ? [] : [{ source, error }]));
  return [...new Map(failed.map((one) => [`${one.source} ${one.error.code}`, one])).values()];
}

function listReads(staged: readonly StagedEntity[]): readonly StreamRead[] {
  return staged.flatMap(({ deciding, enriching }) => [...deciding, ...enriching]);
}

/** Sources whose content has been the same for longer than `stale_after`, those with files that are not read (newer ones, unreadable names), and those with an older content; absent when there are none. */
export function listStale({ staged }: Staged): {
  readonly stale?: readonly unknown[];
  readonly overlooked?: readonly unknown[];
  readonly older_content?: readonly unknown[];
  readonly unreadable_names?: readonly unknown[];
} {
  const stale = findStale(staged);
  const overlooked = listOverlooked(listRead(staged));
  const older = listOlder(staged);
  const names = listUnreadableNames(listRead(staged));
  return {
    ...(stale.length === 0
      ? {}
      : { stale: stale.map(({ source, at, staleSince }) => ({ source, at, since: staleSince })) }),
    ...(overlooked.length === 0 ? {} : { overlooked }),
    ...(older.length === 0 ? {} : { older_content: older }),
    ...(names.length === 0 ? {} : { unreadable_names: names }),
  };
}

/** The same for people, a line each. */
export function tellStale(staged: readonly StagedEntity[]): readonly string[] {
  return [
    ...findStale(staged).map(
      ({ source, at, staleSince }) =>
        `${source} has had the same content since ${staleSince}: see whether its export still runs (${at}).\n`,
    ),
    ...listOlder(staged).map(
      ({ source, at, used, replaced }) =>
        `${source} has the content of ${used.slice(0, 10)} again, which a later delivery replaced on ${replaced.slice(0, 10)} (${at}). It is used, as it takes nobody in or out of use.\n`,
    ),
    ...listUnreadableNames(listRead(staged)).map((one) => `${one.source}: ${tellUnreadableNames(one)}.\n`),
    ...listOverlooked(listRead(staged)).map(
      ({ source, in_use, at, arrived, files }) =>
        `${source} reads ${in_use}. ${tellOverlooked({ at, arrivedAt: arrived, files })}.\n`,
    ),
  ];
}

function listOlder(staged: readonly StagedEntity[]) {
  const found = listRead(staged).flatMap(({ source, at, replaced }) =>
    replaced === undefined ? [] : [{ source, at, used: replaced.usedAt, replaced: replaced.at }],
  );
  return [...new Map(found.map((one) => [one.source, one])).values()];
}

function listRead(staged: readonly StagedEntity[]): readonly ReadEvidence[] {
  return staged
    .flatMap(({ deciding, enriching }) => [...deciding, ...enriching])
    .flatMap(({ evidence }) => (evidence === null ? [] : [evidence]));
}

function findStale(staged: readonly StagedEntity[]): readonly (ReadEvidence & { readonly staleSince: string })[] {
  const found = new Map<string, ReadEvidence & { readonly staleSince: string }>();
  for (const { evidence } of listReads(staged)) {
    if (evidence?.staleSince === undefined) continue;
    found.set(evidence.source, { ...evidence, staleSince: evidence.staleSince });
  }
  return [...found.values()];
}

/** Sources that were read but cannot prove themselves whole, though they should; absent when there are none. */
export function listIncomplete({ staged }: Staged): { readonly incomplete?: readonly unknown[] } {
  const open = new Map(
    listReads(staged).flatMap(({ source, evidence, error }) =>
      error === null && evidence?.complete === false && evidence.partial !== true ? [[source, evidence] as const] : [],
    ),
  );
  if (open.size === 0) return {};
  return {
    incomplete: [...open.values()].map(({ source, at, incompleteBecause }) => ({
      source,
      at,
      because: incompleteBecause ?? null,
    })),
  };
}
