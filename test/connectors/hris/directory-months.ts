import { expect } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import type { Random } from '../../campaign/random.js';
import type { Fault } from '../crm/imitations/vendor-server.js';
import { DAY, type Directory, passMinutes, type Read } from './open-directory.js';

const DAYS = 30;
const FAULTS: readonly Fault[] = ['reset', 'truncated', 'html', 401, 429, 500, 503];

/** The people of the directory: id → first name. */
interface Truth {
  readonly there: Map<string, string>;
  readonly deleted: Map<string, string>;
  /** People in the last read. */
  readonly seen: Set<string>;
  /** Restored people who are in no read yet: a truncated list may miss them. */
  readonly restored: Set<string>;
}

type Act = (directory: Directory, truth: Truth, random: Random) => void;

const somebody = ({ there }: Truth, random: Random): string => random.pick([...there.keys()]);

function move(id: string, from: Map<string, string>, to: Map<string, string>): void {
  to.set(id, from.get(id) ?? '');
  from.delete(id);
}

/** The possible events of a day. */
const ACTS: readonly Act[] = [
  (directory, { there }) => {
    const name = `hired ${there.size}`;
    there.set(directory.create(name), name);
  },
  (directory, truth, random) => {
    const id = somebody(truth, random);
    truth.there.set(id, `renamed ${random.below(1_000)}`);
    directory.rename(id, truth.there.get(id) ?? '');
  },
  (directory, truth, random) =>
    directory.setManager(somebody(truth, random), random.chance(0.3) ? null : somebody(truth, random)),
  (directory, truth, random) => directory.disable(somebody(truth, random)),
  (directory, truth, random) => {
    const id = somebody(truth, random);
    move(id, truth.there, truth.deleted);
    directory.remove(id);
  },
  (directory, truth, random) => {
    if (truth.deleted.size === 0) return;
    const id = random.pick([...truth.deleted.keys()]);
    move(id, truth.deleted, truth.there);
    truth.seen.delete(id);
    truth.restored.add(id);
    directory.restore(id);
  },
  (directory) => directory.expireTokens(),
  (directory) => directory.lapse(),
  (directory, truth, random) => {
    const shown = [...truth.there.keys()].filter((id) => truth.seen.has(id));
    directory.omit(shown.length === 0 || random.chance(0.5) ? null : random.pick(shown));
  },
  (directory, _, random) => directory.setStuck(random.chance(0.3)),
  (directory, _, random) => directory.allow(random.chance(0.8)),
  (directory, _, random) => directory.server.failNext(random.pick(FAULTS)),
];

/** Plays a month at a company in which nobody may be wrongly taken for a leaver. */
export async function liveThrough(directory: Directory, random: Random): Promise<void> {
  const truth: Truth = {
    there: new Map(directory.ids.map((id, at) => [id, `p${at}`])),
    deleted: new Map(),
    seen: new Set(),
    restored: new Set(),
  };
  const isWrong = (id: string): boolean => !truth.deleted.has(id) && !truth.restored.has(id);
  const check = (read: Read): void => {
    // People leave only by deletion, because absence proves nothing.
    expect([read.gone.filter(isWrong), read.rejected, read.complete]).toEqual([[], [], false]);
    truth.seen.clear();
    for (const id of read.people.keys()) {
      truth.seen.add(id);
      truth.restored.delete(id);
    }
  };
  check(await directory.feed.read());
  for (let day = 0; day < DAYS; day++) {
    for (let acts = random.below(4); acts >= 0; acts--) random.pick(ACTS)(directory, truth, random);
    passMinutes(directory, random.pick([30, 8 * 60, DAY]));
    const read = await directory.feed.read().catch((error: unknown) => error);
    if (!(read instanceof SyncError)) check(read as Read);
    else expect(['SYNC_SOURCE_DENIED', 'SYNC_SOURCE_DOWN', 'SYNC_SOURCE_FORMAT']).toContain(read.code);
  }
  directory.allow(true);
  directory.setStuck(false);
  directory.omit(null);
  directory.server.faults.length = 0;
  passMinutes(directory, 2 * DAY);
  const last = await directory.feed.read();
  check(last);
  const names = [...last.people].map(([id, { first_name }]) => [id, first_name]);
  expect(new Map(names as [string, string][])).toEqual(new Map(truth.there));
}
