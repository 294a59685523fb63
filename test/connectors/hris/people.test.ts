import { describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import { IS_THOROUGH, oneIn, SEEDS, sweep } from '../../depth.js';
import type { Fault } from '../crm/imitations/vendor-server.js';
import { catchSyncError } from '../fixtures.js';
import { playMonth } from './month.js';
import { REQUESTS, STAFFS } from './staffs.js';
import { countAsked, type Staff } from './vendor.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FAULTS: readonly Fault[] = ['reset', 'truncated', 503, 'html'];

function pass({ time }: Staff, ms: number): void {
  time.now += ms;
}

/** Matches only the call with this number, not counting those for a token. */
function matchCall(number: number, login: RegExp): RegExp {
  let calls = 0;
  return Object.assign(/./, { test: (request: string) => !login.test(request) && calls++ === number });
}

describe.each(STAFFS)('%s', (name, open) => {
  it('reads everyone, with the columns that every vendor has', async () => {
    const staff = await open(5);
    const read = await staff.people.read();
    expect([...read.cells.keys()].sort()).toEqual([...staff.ids].sort());
    expect(read.rejected).toEqual([]);
    const [, second = ''] = staff.ids;
    const cells = read.cells.get(second);
    expect(cells).toMatchObject({ first_name: 'p2', last_name: 'Person', email: 'p2@example.com', title: 'Adviser' });
    expect(staff.hasLeft(cells ?? {})).toBe(false);
    expect(Object.keys(cells ?? {}).join(' ')).not.toMatch(/salary|birth|gender|iban|ssn|home/i);
  });

  // The others read 10,000 people in the same way, and Personio takes 101 requests.
  (name === 'bamboohr' ? it : sweep)('makes as few requests as the guide promises', async () => {
    const staff = await open(10_000);
    pass(staff, DAY);
    staff.promote(staff.ids[0] ?? '', 'Partner');
    const full = await staff.people.read();
    pass(staff, HOUR);
    const quiet = await staff.people.read();
    expect([countAsked(full, staff), countAsked(quiet, staff)]).toEqual(REQUESTS[name]);
    expect([full.cells.size, quiet.cells.size, full.gone, quiet.gone]).toEqual([10_000, 10_000, [], []]);
  });

  it('shows new colleagues and new titles in the next read', async () => {
    const staff = await open(120);
    await staff.people.read();
    pass(staff, HOUR);
    const [first = ''] = staff.ids;
    staff.promote(first, 'Partner');
    const hired = staff.hire('novice');
    const read = await staff.people.read();
    expect([read.cells.get(first)?.title, read.cells.get(hired)?.first_name]).toEqual(['Partner', 'novice']);
    expect([read.cells.size, read.gone, read.rejected]).toEqual([121, [], []]);
  });

  it('takes nobody for a leaver who is on leave or starts later', async () => {
    const staff = await open(5);
    await staff.people.read();
    pass(staff, HOUR);
    const [resting = '', leaving = ''] = staff.ids;
    staff.rest(resting);
    staff.leave(leaving);
    const hired = staff.hire('later', staff.time.now + 20 * DAY);
    const { cells, gone } = await staff.people.read();
    const left = [resting, leaving, hired].map((id) => [cells.has(id), staff.hasLeft(cells.get(id) ?? {})]);
    expect({ left, gone }).toEqual({
      left: [
        [true, false],
        [true, true],
        [true, false],
      ],
      gone: [],
    });
  });

  it('reports only the deleted person as gone', async () => {
    const staff = await open(120);
    await staff.people.read();
    const [, , third = ''] = staff.ids;
    staff.remove(third);
    pass(staff, 25 * HOUR);
    const read = await staff.people.read();
    expect(read.gone).toEqual([third]);
    expect(read.cells.size).toBe(119);
  });

  it('reports nobody as gone whom the key may no longer see', async () => {
    const staff = await open(5);
    if (staff.hide === undefined) return;
    await staff.people.read();
    const [, , third = ''] = staff.ids;
    staff.hide(third);
    pass(staff, 25 * HOUR);
    const read = await staff.people.read();
    expect({ gone: read.gone, complete: read.complete }).toEqual({ gone: [], complete: false });
    expect((await staff.people.connector.probe()).unproven).toBeDefined();
  });

  it('doubts a column that the key can no longer read, until it returns', async () => {
    const staff = await open(20);
    if (staff.hideColumn === undefined) return;
    await (await staff.people.read()).settle();
    const show = staff.hideColumn('title');
    const doubted: (readonly string[])[] = [];
    const readLater = async (ms: number): Promise<void> => {
      pass(staff, ms);
      doubted.push((await staff.people.read()).emptied);
    };
    await readLater(25 * HOUR);
    await readLater(HOUR);
    show();
    await readLater(HOUR);
    expect(doubted).toEqual([[expect.stringMatching(/title|position/i)], [expect.any(String)], []]);
  });

  it('waits as long as the vendor asks, and does not take this for a lost permission', async () => {
    const staff = await open(5);
    const reply = { body: {}, ...staff.throttle };
    staff.server.failNext(reply, matchCall(0, staff.login));
    staff.server.failNext(reply, matchCall(0, staff.login));
    expect((await staff.people.read()).cells.size).toBe(5);
    expect(staff.people.slept).toEqual([7_000, 7_000]);
  });

  it('does not take a lost permission for throttling', async () => {
    const staff = await open(5);
    staff.server.failNext(403, matchCall(0, staff.login));
    const { code } = await catchSyncError(staff.people.read());
    expect([code, staff.people.slept]).toEqual(['SYNC_SOURCE_DENIED', []]);
  });

  it.each(oneIn(1, FAULTS, 1))('loses and invents nobody after %s at any call', async (fault) => {
    const staff = await open(220);
    const calls = countAsked(await staff.people.read(), staff);
    for (let failing = 0; failing < calls; failing++) {
      pass(staff, 25 * HOUR);
      staff.server.failNext(fault, matchCall(failing, staff.login));
      const read = await staff.people.read().catch((error: unknown) => error);
      if (read instanceof SyncError) expect(['SYNC_SOURCE_FORMAT', 'SYNC_SOURCE_DOWN']).toContain(read.code);
      else expect(read).toMatchObject({ gone: [], rejected: [] });
      staff.server.faults.length = 0;
      const next = await staff.people.read();
      expect([next.cells.size, next.gone]).toEqual([220, []]);
    }
  });

  // The others have the same faults at any call of a read.
  (name === 'bamboohr' ? it : sweep)('takes nobody for a leaver in a month of events and faults', async () => {
    for (let seed = 1; seed <= (IS_THOROUGH ? 40 : 1); seed++) {
      const staff = await open(120);
      expect({ seed, ...(await playMonth(staff, seed, IS_THOROUGH ? 60 : 15)) }).toEqual({
        seed,
        wrong: [],
        missed: [],
      });
    }
  });

  sweep.each(SEEDS)('takes none of 10,000 people for a leaver in month %i', async (seed) => {
    expect(await playMonth(await open(10_000), seed, 8)).toEqual({ wrong: [], missed: [] });
  });
});
