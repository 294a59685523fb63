import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, SyncError } from '../base/errors.js';
import { createDraft } from '../base/new-file.js';
import { isWorkingCopy } from './remote/working-copy.js';

/*
 * Of a fleet of daemons each has a volume, and on it the states of its tenants. Three small files of JSON keep two of them from
 * running one account:
 *
 * | file | says |
 * |---|---|
 * | `fleet-volume.json` in the folder of the volume | states here are those of a fleet: none runs without its token |
 * | `fleet-token.json` in a state folder | this state is the one that counts, in its so-many-th hand |
 * | `moved.json` in a state folder, the tombstone | it has been handed over: it never runs again |
 */
const VOLUME = 'fleet-volume.json';
const TOKEN = 'fleet-token.json';
const TOMBSTONE = 'moved.json';

export interface StateToken {
  readonly tenant: string;
  /** 1 where the state was begun; one more with each hand-over. */
  readonly generation: number;
}

export interface FleetVolume {
  /** Of this volume alone; a new one has another. */
  readonly id: string;
}

/** @returns null where the folder is not the volume of a fleet */
export function readVolume(folder: string): FleetVolume | null {
  return readJson<FleetVolume>(join(folder, VOLUME));
}

export function writeVolume(folder: string, volume: FleetVolume): void {
  writeJson(join(folder, VOLUME), volume);
}

/** @returns null without one */
export function readToken(state: string): StateToken | null {
  return readJson<StateToken>(join(state, TOKEN));
}

export function writeToken(state: string, token: StateToken): void {
  writeJson(join(state, TOKEN), token);
}

/** What was handed over; null where nothing was. */
export function readTombstone(state: string): StateToken | null {
  return readJson<StateToken>(join(state, TOMBSTONE));
}

export function writeTombstone(state: string, token: StateToken): void {
  writeJson(join(state, TOMBSTONE), token);
}

/** The tombstone stays, and nothing else: the people in the state are in other hands now. */
export const KEPT_OF_MOVED: ReadonlySet<string> = new Set([TOMBSTONE]);

/**
 * The one rule that all runs and commands keep: what was handed over does not run, nor does a state on the volume of a fleet
 * that nobody has handed to it.
 *
 * @throws SyncError SYNC_STATE_ELSEWHERE
 */
export function checkInHand(state: string): void {
  if (isWorkingCopy(state)) {
    throw describeElsewhere(state, 'The state of this tenant is in PostgreSQL.', REMOTE_REMEDY);
  }
  const moved = readTombstone(state);
  if (moved !== null) throw describeElsewhere(state, `The state of ${moved.tenant} was handed over to another daemon.`);
  if (readVolume(dirname(state)) === null || readToken(state) !== null) return;
  throw describeElsewhere(state, 'No state of this tenant has been handed to this daemon.');
}

const REMOTE_REMEDY =
  'Leave it to the daemons, or bring it back: `talent-sync state pull` into a folder without a state.';

export function describeElsewhere(place: string, message: string, remedy?: string): SyncError {
  return new SyncError('SYNC_STATE_ELSEWHERE', {
    message,
    place,
    remedy: remedy ?? 'Run it where its state is: each daemon of a fleet says in its log which tenants it has.',
  });
}

/** @throws SyncError SYNC_STATE_UNUSABLE: what cannot be read proves nothing, so nothing runs */
export function readJson<T>(file: string): T | null {
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch (error) {
    throw new SyncError('SYNC_STATE_UNUSABLE', {
      message: `A file of the fleet cannot be read: ${messageOf(error)}`,
      place: file,
      remedy: 'See whether its disk is there and may be read; docs/fleet.md says what each of them is for.',
      cause: error,
    });
  }
}

/** On the disk, or not there at all. */
export function writeJson(file: string, value: object): void {
  const draft = createDraft(file);
  draft.write(`${JSON.stringify(value)}\n`);
  draft.finish();
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

export function removeAll(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
