import { constants, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { backUpState } from '../../../store/backup.js';
import { lockFolder } from '../../../store/run-lock.js';
import {
  describeElsewhere,
  isFolder,
  KEPT_OF_MOVED,
  readToken,
  readTombstone,
  removeAll,
  writeToken,
  writeTombstone,
} from '../../../store/state-token.js';
import { type Claim, type HandOverPlace, syncFile } from './hand-over-place.js';

export interface Hand {
  readonly place: HandOverPlace;
  readonly self: Claim;
  /** Who holds the lock of a state while it is handed over. */
  readonly holder: string;
}

export type GivenStep = 'given' | 'purged' | 'nothing';

/**
 * Gives a state away, in steps of which each can be the last one of a process:
 *
 *     tombstone ──► copy at the place ──► offer ──► (another takes it) ──► all but the tombstone is removed
 *
 * The tombstone is first: from then on nothing runs here, so the copy is the newest there is.
 *
 * @throws SyncError SYNC_STATE_LOCKED while a run of it is under way
 */
export function giveState(hand: Hand, tenant: string, state: string): GivenStep {
  const known = readTombstone(state) ?? readToken(state);
  if (known === null) return 'nothing';
  const { place, holder } = hand;
  place.check();
  const next = known.generation + 1;
  if (place.isOffered(tenant, next)) return place.isHeld(tenant, next) ? purge(state) : 'nothing';
  checkNewest(hand, tenant, state, known.generation);
  const lock = lockFolder(state, holder);
  try {
    writeTombstone(state, { tenant, generation: known.generation });
    place.offer(tenant, next, (file) => {
      if (existsSync(join(state, 'state.db'))) backUpState(state, file);
    });
  } finally {
    lock.close();
  }
  return 'given';
}

function purge(state: string): GivenStep {
  const names = readdirSync(state).filter((name) => !KEPT_OF_MOVED.has(name));
  for (const name of names) removeAll(join(state, name));
  return names.length > 0 ? 'purged' : 'nothing';
}

/**
 * Sees to it that the state in that folder is the one that counts, and takes it over where it is offered:
 *
 * | found at the place | done |
 * |---|---|
 * | our token is of the newest generation | run |
 * | nothing of this tenant | begin: claim generation 1, with the state that is here, if any |
 * | an offer that nobody has claimed | claim it, copy the state, take the token |
 * | our claim, and its copy has not arrived | the same from where it ended |
 * | our claim, and it had arrived, but the token is gone | refuse: the state is lost, and only a backup brings it back |
 * | a claim of another | refuse: it runs there, until it is offered |
 *
 * @throws SyncError SYNC_STATE_ELSEWHERE when it must not run here
 */
export function takeState(hand: Hand, tenant: string, state: string): 'had' | 'began' | 'took' {
  const { place, self } = hand;
  place.check();
  const token = readTombstone(state) === null ? readToken(state) : null;
  if (token !== null && place.newest(tenant) <= token.generation) {
    checkNewest(hand, tenant, state, token.generation);
    place.noteHeld(tenant, token.generation);
    return 'had';
  }
  const generation = Math.max(1, place.newest(tenant));
  const claimed = place.claimOf(tenant, generation);
  if (claimed === null && !place.claim(tenant, generation, self)) throw notOurs(state, tenant, null);
  if (claimed !== null && !isSame(claimed, self)) throw notOurs(state, tenant, claimed);
  if (place.isHeld(tenant, generation)) throw lost(state, tenant);
  receive(place.stateFile(tenant, generation), place.isOffered(tenant, generation), state);
  writeToken(state, { tenant, generation });
  place.noteHeld(tenant, generation);
  return place.isOffered(tenant, generation) ? 'took' : 'began';
}

/** What was here before goes: it is older than what comes. A state that nobody offered is begun where it is. */
function receive(from: string | null, isOffered: boolean, state: string): void {
  if (!isOffered) {
    mkdirSync(state, { recursive: true, mode: 0o700 });
    return;
  }
  const draft = `${state}.arriving`;
  removeAll(draft);
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  if (from !== null) {
    copyFileSync(from, join(draft, 'state.db'), constants.COPYFILE_EXCL);
    syncFile(join(draft, 'state.db'));
  }
  if (isFolder(state)) removeAll(state);
  renameSync(draft, state);
  syncFile(dirname(state));
}

/** An older copy of the volume, restored from a snapshot, has a token too. */
function checkNewest({ place, self }: Hand, tenant: string, state: string, generation: number): void {
  const newest = place.newest(tenant);
  const claimed = place.claimOf(tenant, newest);
  if (newest > generation) throw notOurs(state, tenant, claimed);
  if (claimed !== null && !isSame(claimed, self)) throw notOurs(state, tenant, claimed);
  // The place has forgotten it, as after a restore of its volume: the daemon that holds a state says so again.
  if (claimed === null) place.claim(tenant, generation, self);
}

function isSame(one: Claim, other: Claim): boolean {
  return one.volume === other.volume;
}

function notOurs(state: string, tenant: string, claimed: Claim | null): Error {
  const where = claimed === null ? 'another daemon' : `daemon ${claimed.daemon} (volume ${claimed.volume})`;
  return describeElsewhere(
    state,
    `The state of ${tenant} is with ${where}, which has not handed it over.`,
    'Nothing, while that daemon runs: it hands the state over by itself. If its volume is lost, see docs/fleet.md.',
  );
}

function lost(state: string, tenant: string): Error {
  return describeElsewhere(
    state,
    `The state of ${tenant} was here, and is gone.`,
    'Put the newest backup in its place, as docs/fleet.md says.',
  );
}
