import { extname } from 'node:path';
import { SyncError } from '../../base/errors.js';
import { cleanLine } from '../../model/clean-text.js';
import { nearestName } from '../../model/nearest.js';
import { describeUnreadableNames, type Overlooked, type UnreadableNames } from '../../model/source.js';
import { refuseUnsettled } from './faults.js';
import { compareNames, lastingName, matchesPattern } from './file-names.js';
import type { FileFacts } from './file-system.js';
import { findParts } from './find-parts.js';
import { type Manifest, nameManifest, readManifest } from './manifest.js';
import { sortByAge } from './newest.js';
import { nameDelivery } from './put-away.js';
import type { FileStreamConfig } from './resolve-file-stream.js';
import { restOf, type Settling, waitUntilWhole } from './settle.js';
import { type DropStore, isSameFile, statOther } from './store.js';

const NAMES_SHOWN = 10;

/** An open delivery. It keeps reading the same file, even if another file takes the name in the meantime. */
export interface DropFile {
  /** The absolute path or address. */
  readonly at: string;
  readonly name: string;
  /** The delivery as `name|size|mtimeMs`; other deliveries differ in at least one part. */
  readonly delivery: string;
  readonly size: number;
  /** The sender's manifest; null if none is configured. */
  readonly manifest: Manifest | null;
  /** True if the file may still be growing, so that only its trailer shows that it is complete. */
  readonly isYoung: boolean;
  /** Yields the bytes from the start, in chunks of 256 KiB. May be called more than once. */
  bytes(): AsyncGenerator<Buffer>;
  /** Throws SYNC_SOURCE_UNSETTLED if the opened file was changed, replaced or removed. Call this after reading. */
  assertUnchanged(): Promise<void>;
  close(): Promise<void>;
}

export interface NewestFiles {
  readonly files: readonly DropFile[];
  readonly overlooked: Overlooked | null;
  /** Files with names that are not UTF-8; these files are not read. */
  readonly unreadable: UnreadableNames | null;
}

/** A folder and the files to look for in it. */
export type Drop = Settling &
  Pick<FileStreamConfig, 'pattern' | 'rules'> & {
    /** The patterns of other files in the folder. */
    readonly others: readonly string[];
  };

/**
 * Opens the newest delivery of a folder: the last match in natural name order, unless `newest` says otherwise. Names
 * contain the date of the delivery (`employees-2025-02-01.csv`); modification times only show when someone last copied
 * the file. If the newest file is still being written, no older file is read instead.
 *
 * A file is complete if `<file>.done` is next to it, or if it has not changed for long enough (`restOf`). A manifest or
 * a trailer is sufficient on its own. Several files may form one delivery. If one file cannot be opened, the other files
 * are closed again.
 */
export async function openNewestFiles(drop: Drop, signal?: AbortSignal): Promise<NewestFiles> {
  const files: DropFile[] = [];
  try {
    const { newest, ...others } = await findNewest(drop);
    for (const name of newest) files.push(await openDropFile(drop, name, signal));
    return { files, ...others };
  } catch (error) {
    for (const file of files) await file.close();
    throw error;
  }
}

async function openDropFile(drop: Drop, name: string, signal?: AbortSignal): Promise<DropFile> {
  const { store } = drop;
  const at = store.locate(name);
  const first = await fileFacts(store, name);
  const manifest = drop.rules.manifest === null ? null : await readManifest(store, name, drop.rules.manifest);
  const { trailer } = drop.rules;
  if (manifest === null && trailer === null) await waitUntilWhole(drop, name, first, signal);
  const file = await store.open(name);
  const { facts } = file;
  return {
    at,
    manifest,
    isYoung: trailer !== null && restOf(drop, name, first) > 0,
    name,
    delivery: nameDelivery(name, facts),
    size: facts.size,
    bytes: file.bytes,
    assertUnchanged: async () => {
      const now = await store.stat(name);
      if (now === null || !isSameFile(now, facts) || !isSameFile(first, facts)) throw refuseUnsettled(at);
    },
    close: file.close,
  };
}

async function findNewest(drop: Drop): Promise<Omit<NewestFiles, 'files'> & { readonly newest: readonly string[] }> {
  const { store, pattern, rules } = drop;
  const odd: string[] = [];
  const all = await store.list((name) => void odd.push(name));
  const unreadable = odd.length === 0 ? null : { names: odd.sort().slice(0, NAMES_SHOWN), files: odd.length };
  // Files next to a delivery are not deliveries, even if the pattern matches them.
  const manifests = new Set(
    all.map((name) => (rules.manifest === null ? '' : nameManifest(rules.manifest.pattern, name))),
  );
  const files = all
    .filter((name) => !name.startsWith('.') && !name.endsWith('.done') && !manifests.has(name))
    .sort(compareNames);
  const matching = files.filter((name) => matchesPattern(name, pattern));
  const times = await store.times(matching);
  const sorted = sortByAge(matching, rules.newest, times);
  const newest = rules.parts === null ? sorted.slice(-1) : findParts(sorted, rules.parts, store.at, rules.newest);
  if (newest.length > 0) return { newest, overlooked: await findOverlooked(drop, newest, files, times), unreadable };
  throw refuseMissing(pattern, store.at, files, unreadable);
}

/**
 * Finds files that arrived later than the file being read. Their names may sort before its name by accident:
 * `employees-01-01-2027.csv` comes before `employees-31-12-2026.csv`. Or the pattern may be too narrow (`users-*
 * AM.csv`).
 */
async function findOverlooked(
  drop: Drop,
  inUse: readonly string[],
  files: readonly string[],
  times: ReadonlyMap<string, number>,
): Promise<Overlooked | null> {
  const { store, pattern } = drop;
  const usedMs = Math.max(...inUse.map((name) => times.get(name) ?? Infinity));
  const early = await findLater(drop, usedMs, times);
  if (early !== null) return early;
  const near = files.filter((name) => isNearMiss(name, drop));
  const found = near.length === 0 ? null : await findLater(drop, usedMs, await store.times(near));
  return found === null ? null : { ...found, pattern };
}

/** True if no pattern matches the name, but the name equals the pattern except for dates, times and numbers. */
function isNearMiss(name: string, { pattern, others }: Drop): boolean {
  return (
    extname(name).toLowerCase() === extname(pattern).toLowerCase() &&
    lastingName(name) === lastingName(pattern) &&
    ![pattern, ...others].some((one) => matchesPattern(name, one))
  );
}

/** Finds files newer than the file being read. Files that a run has already used do not count. */
async function findLater(
  { source, store, context }: Drop,
  usedMs: number,
  times: ReadonlyMap<string, number>,
): Promise<Overlooked | null> {
  const later = [...times].filter(([, time]) => time > usedMs).sort((a, b) => b[1] - a[1]);
  const missed: string[] = [];
  for (const [name] of later.slice(0, NAMES_SHOWN)) {
    const facts = await statOther(store, name);
    if (facts !== null && !context.deliveries.isTaken(source, nameDelivery(name, facts))) missed.push(name);
  }
  const [last] = missed;
  if (last === undefined) return null;
  return { at: store.locate(last), arrivedAt: new Date(times.get(last) ?? 0).toISOString(), files: missed.length };
}

async function fileFacts(store: DropStore, name: string): Promise<FileFacts> {
  const facts = await store.stat(name);
  if (facts === null) throw refuseUnsettled(store.locate(name));
  return facts;
}

function refuseMissing(
  pattern: string,
  place: string,
  files: readonly string[],
  unreadable: UnreadableNames | null,
): SyncError {
  const near = nearestName(pattern, files.map(cleanLine));
  const shown = files.slice(-NAMES_SHOWN).map(cleanLine).join(', ');
  const more = files.length > NAMES_SHOWN ? ` and ${files.length - NAMES_SHOWN} more` : '';
  const odd = unreadable === null ? '' : ` Other files were ${describeUnreadableNames(unreadable)}.`;
  const found = files.length === 0 ? 'The folder is empty.' : `The folder has: ${shown}${more}.`;
  return new SyncError('SYNC_SOURCE_MISSING', {
    message: `No file matches ${pattern}. ${found}${near === null ? '' : ` Nearest: ${near}.`}${odd}`,
    place,
    remedy: 'Deliver the file, or correct `pattern` in the configuration (`*` any characters, `?` one; case counts).',
  });
}
