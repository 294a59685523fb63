import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { giveState, type Hand, takeState } from '../../../../src/daemon/tenants/fleet/hand-over.js';
import { type HandOverPlace, openPlace, preparePlace } from '../../../../src/daemon/tenants/fleet/hand-over-place.js';
import { backUpState, copyWithoutApprovals } from '../../../../src/store/backup.js';
import { openStores } from '../../../../src/store/open-stores.js';
import { acquireRunLock } from '../../../../src/store/run-lock.js';
import { writeVolume } from '../../../../src/store/state-token.js';
import { closeAfterTest } from '../../../closing.js';

const T = 'acme';

interface Daemon {
  readonly volume: string;
  readonly state: string;
  readonly hand: Hand;
}

function openFleet(): { readonly folder: string; readonly daemons: readonly [Daemon, Daemon] } {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-fleet-'));
  closeAfterTest({ close: () => rmSync(folder, { recursive: true }) });
  const placeFolder = join(folder, 'hand-over');
  preparePlace(placeFolder);
  const open = (daemon: number): Daemon => {
    const volume = join(folder, `volume-${daemon}`);
    mkdirSync(volume);
    writeVolume(volume, { id: `v${daemon}` });
    const self = { volume: `v${daemon}`, daemon };
    return { volume, state: join(volume, T), hand: { place: openPlace(placeFolder), self, holder: 'test' } };
  };
  return { folder, daemons: [open(0), open(1)] };
}

const take = ({ hand, state }: Daemon): string => takeState(hand, T, state);
const give = ({ hand, state }: Daemon): string => giveState(hand, T, state);

function write({ state }: Daemon, value: string): void {
  const stores = openStores(state);
  stores.history.setFact('value', value);
  stores.close();
}

function read({ state }: Daemon): string | null {
  const stores = openStores(state);
  try {
    return stores.history.fact('value');
  } finally {
    stores.close();
  }
}

function mayRun({ state }: Daemon): boolean {
  try {
    acquireRunLock(state, 'test').close();
    return true;
  } catch {
    return false;
  }
}

describe('a state', () => {
  test('is begun by one, and by no other', () => {
    const { daemons } = openFleet();
    const [a, b] = daemons;
    expect(mayRun(a)).toBe(false);
    expect(take(a)).toBe('began');
    expect(take(a)).toBe('had');
    expect(() => take(b)).toThrow('is with daemon 0');
    expect([mayRun(a), mayRun(b)]).toEqual([true, false]);
  });

  test('that was there before the fleet is begun with what it holds', () => {
    const { daemons } = openFleet();
    const [a] = daemons;
    write(a, 'older');
    expect(take(a)).toBe('began');
    expect(read(a)).toBe('older');
  });

  test('goes over, and back, and stays nowhere behind', () => {
    const { daemons } = openFleet();
    const [a, b] = daemons;
    take(a);
    write(a, 'first');
    expect(give(a)).toBe('given');
    expect([mayRun(a), mayRun(b)]).toEqual([false, false]);
    expect(give(a)).toBe('nothing');
    expect(take(b)).toBe('took');
    expect([mayRun(a), mayRun(b)]).toEqual([false, true]);
    expect(read(b)).toBe('first');
    expect(give(a)).toBe('purged');
    expect(readdirSync(a.state)).toEqual(['moved.json']);
    write(b, 'second');
    give(b);
    expect(take(a)).toBe('took');
    expect(read(a)).toBe('second');
    expect([mayRun(a), mayRun(b)]).toEqual([true, false]);
  });

  test('of a tenant that never ran goes over too', () => {
    const { daemons } = openFleet();
    const [a, b] = daemons;
    take(a);
    expect(give(a)).toBe('given');
    expect(take(b)).toBe('took');
    expect(existsSync(join(b.state, 'state.db'))).toBe(false);
  });

  test('whose run is under way stays', () => {
    const { daemons } = openFleet();
    const [a, b] = daemons;
    take(a);
    const lock = acquireRunLock(a.state, 'a run');
    expect(() => give(a)).toThrow('a run');
    expect(() => take(b)).toThrow('is with daemon 0');
    lock.close();
    expect(give(a)).toBe('given');
  });

  test('that is lost is begun by nobody', () => {
    const { daemons } = openFleet();
    const [a, b] = daemons;
    take(a);
    write(a, 'first');
    rmSync(a.state, { recursive: true });
    expect(() => take(a)).toThrow('is gone');
    expect(() => take(b)).toThrow('is with daemon 0');
    // A new, empty volume for the same daemon.
    const renewed = { ...a, hand: { ...a.hand, self: { volume: 'v0-new', daemon: 0 } } };
    expect(() => take(renewed)).toThrow('is with daemon 0 (volume v0)');
  });

  test('that is offered from a backup is taken, and whoever had it before has it no more', () => {
    const { folder, daemons } = openFleet();
    const [a, b] = daemons;
    take(a);
    write(a, 'first');
    const file = join(folder, 'backup.db');
    backUpState(a.state, file);
    openPlace(join(folder, 'hand-over')).offer(T, 2, (to) => copyWithoutApprovals(file, to));
    expect(() => take(a)).not.toThrow();
    expect(read(a)).toBe('first');
    expect(() => take(b)).toThrow('is with daemon 0');
  });

  test('of a volume that was set back to before the hand-over does not run', () => {
    const { folder, daemons } = openFleet();
    const [a, b] = daemons;
    take(a);
    write(a, 'first');
    cpSync(a.volume, join(folder, 'snapshot'), { recursive: true });
    give(a);
    take(b);
    rmSync(a.volume, { recursive: true });
    cpSync(join(folder, 'snapshot'), a.volume, { recursive: true });
    expect(() => take(a)).toThrow('is with daemon 1');
    expect(() => give(a)).not.toThrow();
    expect(mayRun(b)).toBe(true);
  });

  test('is neither given nor taken where the place is another one, and known there again as soon as it is back', () => {
    const { folder, daemons } = openFleet();
    const [a, b] = daemons;
    take(a);
    rmSync(join(folder, 'hand-over'), { recursive: true });
    expect(() => take(b)).toThrow('not prepared');
    expect(() => give(a)).toThrow('not prepared');
    expect(mayRun(a)).toBe(true);
    preparePlace(join(folder, 'hand-over'));
    take(a);
    expect(() => take(b)).toThrow('is with daemon 0');
  });
});

/** A place whose process dies at its n-th step: before it, or right after it. */
function dyingAt(place: HandOverPlace, step: number, when: 'before' | 'after'): HandOverPlace {
  let left = step;
  const dying = <Args extends unknown[], Result>(work: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      left -= 1;
      if (left === 0 && when === 'before') throw new Error('killed');
      const result = work(...args);
      if (left === 0) throw new Error('killed');
      return result;
    };
  };
  const { offer } = place;
  return {
    ...place,
    claim: dying(place.claim),
    noteHeld: dying(place.noteHeld),
    stateFile: dying(place.stateFile),
    isOffered: dying(place.isOffered),
    offer: dying((tenant: string, generation: number, copy: (file: string) => void) =>
      // Also between the copy and the word that it is whole.
      offer(tenant, generation, dying(copy)),
    ),
  };
}

describe('a process that dies while a state moves', () => {
  const STEPS = [1, 2, 3, 4, 5, 6, 7].flatMap((step) => [[step, 'before'] as const, [step, 'after'] as const]);

  test.each(STEPS)('at step %d, %s it: the state is nowhere twice, and arrives whole', (step, when) => {
    const { daemons } = openFleet();
    const [a, b] = daemons;
    take(a);
    write(a, 'first');
    const check = (): void => expect([mayRun(a), mayRun(b)]).not.toEqual([true, true]);
    const dying = (one: Daemon): Daemon => ({
      ...one,
      hand: { ...one.hand, place: dyingAt(one.hand.place, step, when) },
    });
    for (const work of [() => give(dying(a)), () => take(dying(b))]) {
      try {
        work();
      } catch {
        // Killed, or there was nothing to take yet.
      }
      check();
    }
    give(a);
    check();
    take(b);
    check();
    expect([mayRun(a), mayRun(b)]).toEqual([false, true]);
    expect(read(b)).toBe('first');
    give(a);
    expect(readdirSync(a.state)).toEqual(['moved.json']);
  });
});
