import { describe, expect, it } from 'vitest';
import { PEOPLE_VENDORS } from '../../../src/connectors/hris/vendors.js';
import { IS_THOROUGH, oneIn, SEEDS, sweep } from '../../depth.js';
import type { Fault } from '../crm/imitations/vendor-server.js';
import { startTime, type Time } from '../crm/vendor.js';
import { playMonth } from './month.js';
import { openPeople, type People, readOrFail } from './open-vendor.js';
import { dayOf } from './staffs.js';
import { type Colleague, colleague, type HrSystem, type ListedSystemOfPeople, SYSTEMS } from './systems.js';
import type { Staff } from './vendor.js';

const HOUR = 3_600_000;

interface Opened {
  readonly system: HrSystem;
  readonly people: People;
  readonly time: Time;
}

async function open(listed: ListedSystemOfPeople, count: number, page?: number, timeout = '60s'): Promise<Opened> {
  const time = startTime();
  const system = await listed.open(() => time.now, page === undefined ? {} : { page });
  for (let number = 1; number <= count; number++) system.hire(colleague(number));
  const rest = `${system.rest}, timeout: ${timeout}`;
  const people = openPeople(system.server, time, { ...system, rest });
  time.now += HOUR;
  return { system, people, time };
}

const id = (number: number): string => colleague(number).id;
const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => id(at + 1));
const lists = (asked: readonly string[]): readonly string[] => asked.filter((call) => !/token/.test(call));
const cellsOf = ({ first, last, email, title, office, country }: Colleague) => ({
  ...{ email, title, office, country },
  ...{ first_name: first, last_name: last },
});

/** Matches only the call with this number, counted from its creation. */
function matchCall(number: number): RegExp {
  let calls = 0;
  return Object.assign(/./, { test: () => calls++ === number });
}

const DAY_MS = 24 * 3_600_000;

/** Opens a system with people for the same simulated month as the other vendors. */
async function openStaff({ open }: ListedSystemOfPeople, count: number): Promise<Staff> {
  const time = startTime();
  const system = await open(() => time.now);
  const { preset, rest, env, path, leaver, server } = system;
  let newest = 0;
  const hire = (startsAt: number): string => {
    const person = colleague(++newest, { start: dayOf(startsAt) });
    system.hire(person);
    return person.id;
  };
  const ids = Array.from({ length: count }, () => hire(time.now - 300 * DAY_MS));
  return {
    ...{ server, time, ids, leaver, login: /^$/, throttle: { status: 429 } },
    people: openPeople(server, time, { preset, rest, env, path }),
    source: { preset, auth: {} },
    hire: (_, startsAt) => hire(startsAt ?? time.now),
    promote: (id, title) => system.edit(id, { title }),
    rest: (id) => system.suspend(id),
    leave: (id) => system.edit(id, { end: dayOf(time.now - DAY_MS) }),
    remove: (id) => system.erase(id),
    hide: (id) => system.hide(id),
    hasLeft: ({ end_date: end }) => end instanceof Date && end.getTime() < time.now - DAY_MS,
  };
}

describe.each(SYSTEMS)('%s', (_, listed) => {
  sweep('reads everyone completely, with one request per page of the largest size', async () => {
    const { people } = await open(listed, 10_000);
    const read = await people.read();
    expect([...read.cells.keys()]).toEqual(ids(10_000));
    expect(read.cells.get(id(7_777))).toMatchObject(cellsOf(colleague(7_777)));
    expect(read).toMatchObject({ complete: false, partial: true, rejected: [], gone: [] });
    expect(lists(read.asked)).toHaveLength(listed.complete);
  });

  it('finds changed and new people by few requests in a quiet read', async () => {
    const { system, people, time } = await open(listed, 250);
    system.edit(id(1), {});
    await people.read();
    time.now += HOUR;
    system.edit(id(3), { title: 'Manager' });
    system.hire(colleague(251));
    const read = await people.read();
    expect(lists(read.asked)).toHaveLength(1);
    expect([...read.cells.keys()].toSorted()).toEqual(ids(251));
    expect(read.cells.get(id(3))?.title).toBe('Manager');
    expect(read).toMatchObject({ complete: false, partial: true, rejected: [], gone: [] });
  });

  it('does not report a hidden person as gone, and an erased person only if the vendor shows it', async () => {
    const { system, people, time } = await open(listed, 5);
    await people.read();
    system.hide(id(2));
    system.erase(id(4));
    time.now += 25 * HOUR;
    const read = await people.read();
    expect([...read.cells.keys()]).toEqual([1, 3, 5].map(id));
    expect(read).toMatchObject({ complete: false, partial: true, gone: listed.provesErasure ? [id(4)] : [] });
    system.show(id(2));
    time.now += 25 * HOUR;
    expect((await people.read()).cells.has(id(2))).toBe(true);
  });

  sweep('says in a check that absence proves nothing', async () => {
    const { system, people } = await open(listed, 3);
    const { unproven, detail } = await people.connector.probe();
    expect(unproven).toBe(PEOPLE_VENDORS[system.preset].absence);
    expect(detail).toMatch(/^3 rows/);
  });

  it('ends the read after a permission is withdrawn, and does not take this for throttling', async () => {
    const { system, people, time } = await open(listed, 3);
    await people.read();
    time.now += HOUR;
    system.revoke();
    expect(await readOrFail(people)).toMatchObject({ code: 'SYNC_SOURCE_DENIED' });
    expect(people.slept).toEqual([]);
  });

  sweep('waits during throttling, and does not take this for a lost permission', async () => {
    const { system, people } = await open(listed, 3);
    system.server.failNext(429);
    const read = await people.read();
    expect([read.cells.size, people.slept.length]).toEqual([3, 1]);
  });

  const FAULTS: readonly Fault[] = ['reset', 'truncated', 429, 503, 'html'];

  it.each(oneIn(2, FAULTS, 1))('loses and invents nobody after %s at any call of a read', async (fault) => {
    const { system, people, time } = await open(listed, 25, 10);
    const calls = (await people.read()).asked.length + 2;
    for (let failing = 0; failing < calls; failing += IS_THOROUGH ? 1 : 2) {
      time.now += 25 * HOUR;
      system.server.failNext(fault, matchCall(failing));
      const read = await readOrFail(people);
      if ('code' in read) expect(['SYNC_SOURCE_FORMAT', 'SYNC_SOURCE_DOWN']).toContain(read.code);
      else expect([read.cells.size, read.gone, read.rejected]).toEqual([25, [], []]);
      system.server.faults.length = 0;
      const next = await people.read();
      expect([next.cells.size, next.gone]).toEqual([25, []]);
    }
  });

  sweep('loses nobody when a page has fewer people than requested', async () => {
    const { people } = await open(listed, 95, 10);
    const read = await people.read();
    expect([read.cells.size, read.rejected]).toEqual([95, []]);
  });

  it('reads dates in the configured time zone, including a future end date', async () => {
    const { system, people } = await open(listed, 1);
    system.hire(colleague(2, { start: '2027-01-04', end: '2027-06-30' }));
    const { cells } = await people.read();
    // Midnight in Oslo.
    expect(cells.get(id(1))).toMatchObject({ start_date: new Date('2020-02-29T23:00:00Z') });
    expect(cells.get(id(1))).not.toHaveProperty('end_date');
    expect(cells.get(id(2))).toMatchObject({
      start_date: new Date('2027-01-03T23:00:00Z'),
      end_date: new Date('2027-06-29T22:00:00Z'),
    });
  });

  sweep.each(SEEDS)('takes none of 10,000 people for a leaver in month %i', async (seed) => {
    const { wrong, missed } = await playMonth(await openStaff(listed, 10_000), seed, 8);
    expect(wrong).toEqual([]);
    if (listed.provesErasure) expect(missed).toEqual([]);
  });
});
