import { describe, expect, it, test } from 'vitest';
import { loadSample, SAMPLE } from '../../config/sample.js';
import { sweep } from '../../depth.js';
import { catchSyncError } from '../fixtures.js';
import { openBamboohr, openHibob, openPersonio } from './staffs.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const custom = (from: string) => ({ columns: { grade: { type: 'string', from, optional: true } } });

describe('personio', () => {
  it('requests only the attributes of its columns, and keeps the written date', async () => {
    const { people, server } = await openPersonio(3, { more: custom('/attributes/dynamic_24407/value') });
    const read = await people.read();
    const asked = server.requests.at(-1)?.query.getAll('attributes[]') ?? [];
    expect([asked.includes('dynamic_24407'), asked.includes('fix_salary')]).toEqual([true, false]);
    const { start_date: start, ...cells } = read.cells.get('2') ?? {};
    expect(cells).toMatchObject({ grade: 'Dr', office: 'Oslo', department: 'Sales', country: 'NO', manager_id: '1' });
    // Midnight in Oslo, the time zone of the configuration.
    expect(start).toEqual(new Date('2019-12-31T23:00:00Z'));
  });

  sweep('continues after the received rows if a page is short', async () => {
    const { people, personio } = await openPersonio(230, { mostPerPage: 30 });
    const { cells, asked } = await people.read();
    expect([cells.size, asked.length]).toEqual([230, 1 + 8]);
    expect(personio.staff.size).toBe(230);
  });

  sweep('renews a token that expires between two pages', async () => {
    const { people, personio, server } = await openPersonio(230);
    server.failNext(401, /employees/);
    personio.endTokens();
    const { cells, asked } = await people.read();
    expect([cells.size, asked.filter((one) => one.endsWith('/auth')).length]).toEqual([230, 2]);
  });

  it('rejects people whose status the key may not see, and takes nobody for a leaver', async () => {
    const { people, personio } = await openPersonio(3);
    personio.hidden.add('status');
    const { rejected, cells, gone, complete } = await people.read();
    expect({ rejected: rejected.length, cells: cells.size, gone, complete }).toEqual({
      ...{ rejected: 3, cells: 0, gone: [], complete: false },
    });
  });

  it('reports nobody as gone who was skipped because others were deleted between pages', async () => {
    const { people, personio, time, hire } = await openPersonio(150);
    await people.read();
    time.now += DAY + HOUR;
    const asked = people.read();
    // Between the first and the second page, row 101 moves to the page that was already read.
    personio.onRequest = (path) => {
      if (!path.includes('offset=100')) return;
      personio.onRequest = null;
      personio.staff.delete(5);
      hire('novice');
    };
    const read = await asked;
    expect([read.complete, read.gone]).toEqual([false, []]);
    time.now += DAY + HOUR;
    expect((await people.read()).gone).toEqual(['5']);
  });
});

describe('bamboohr', () => {
  it('keeps the key out of the printed configuration', async () => {
    const { people, bamboohr } = await openBamboohr(1);
    expect(JSON.stringify(people.config)).not.toContain(bamboohr.key);
  });

  sweep('takes 503 without a time for a failure, and gives up after three attempts', async () => {
    const { people, server } = await openBamboohr(3);
    for (let times = 0; times < 3; times++) server.failNext({ status: 503 });
    const { code } = await catchSyncError(people.read());
    expect([code, people.slept]).toEqual(['SYNC_SOURCE_DOWN', [1_000, 4_000]]);
  });

  sweep('reads custom fields with a call per person, and later only for changed people', async () => {
    const { people, time, promote } = await openBamboohr(30, { more: custom('/customGrade') });
    time.now += DAY;
    promote('1', 'Chair');
    const full = await people.read();
    expect([full.asked.length, full.cells.get('7')?.grade]).toEqual([3 + 30, 'Dr']);
    time.now += HOUR;
    promote('7', 'Partner');
    const changed = await people.read();
    expect(changed.asked).toEqual([
      'GET /api/v1/employees/changed',
      'GET /api/v1/employees',
      'GET /api/v1/employees/7',
    ]);
    expect(changed.cells.get('7')).toMatchObject({ title: 'Partner', grade: 'Dr' });
    time.now += DAY;
    promote('9', 'Lead');
    const again = await people.read();
    expect(again.asked.filter((request) => /employees\/\d/.test(request))).toEqual(['GET /api/v1/employees/9']);
    expect(['7', '9'].map((id) => again.cells.get(id)?.grade)).toEqual(['Dr', 'Dr']);
    time.now += 21 * DAY;
    expect((await people.read()).asked.filter((request) => /employees\/\d/.test(request))).toHaveLength(30);
  });

  it('reads everyone if the feed of changes exceeds the size limit of an answer', async () => {
    const { people, server, time, promote } = await openBamboohr(30);
    time.now += DAY;
    promote('1', 'Chair');
    await people.read();
    time.now += HOUR;
    promote('7', 'Partner');
    server.failNext({ status: 200, body: { employees: { '1': { padding: 'x'.repeat(5_000_000) } } } }, /changed/);
    const read = await people.read();
    expect(read.asked).toEqual([
      'GET /api/v1/employees/changed',
      'GET /api/v1/employees',
      'GET /api/v1/employees/changed',
      'GET /api/v1/employees/changed',
    ]);
    expect([read.cells.size, read.cells.get('7')?.title]).toEqual([30, 'Partner']);
  });

  sweep('restarts after a cursor expires', async () => {
    const { people, server } = await openBamboohr(2_600);
    server.failNext(400, Object.assign(/./, { test: onCall(2) }));
    expect((await people.read()).cells.size).toBe(2_600);
  });

  sweep('does not trust a cursor that does not advance', async () => {
    const { people, bamboohr } = await openBamboohr(2_600);
    bamboohr.isStuck = true;
    const { complete, because } = await people.read();
    expect([complete, because]).toEqual([false, expect.stringMatching(/again|repeat|more/)]);
  });

  it('keeps an inactive person without a last day: a future hire, or a leaver with hidden dates', async () => {
    const { people, hire, time, hasLeft, bamboohr, leave } = await openBamboohr(3);
    const hired = hire('later', time.now + 20 * DAY);
    leave('1');
    bamboohr.restricted.add('terminationDate');
    const { cells } = await people.read();
    expect([hired, '1'].map((id) => hasLeft(cells.get(id) ?? {}))).toEqual([false, false]);
  });
});

describe('hibob', () => {
  const SHAPES = ['path', 'value', 'nested'] as const;
  test.each(SHAPES)('reads fields in the form "%s", with words for ids', async (shape) => {
    const { people, server } = await openHibob(3, { shape, more: custom('/values/work.custom.field_1700000000001') });
    const { cells } = await people.read();
    expect(cells.get('2')).toMatchObject({
      ...{ title: 'Adviser', department: 'Sales', office: 'Oslo', manager_id: '1', status: 'Employed', grade: 'Dr' },
    });
    expect(server.requests[0]?.body).not.toMatch(/private|salary|birth/);
  });

  it('shows leavers, whom the search omits by default', async () => {
    const { people, leave, hasLeft } = await openHibob(3);
    leave('2');
    expect(hasLeft((await people.read()).cells.get('2') ?? {})).toBe(true);
  });

  it('doubts a column only if most people had a value in it', async () => {
    const { people, hibob, time } = await openHibob(4, { empty: 'left out' });
    hibob.staff.set('1', { ...hibob.staff.get('1'), 'root.id': '1', 'work.workMobile': '1234' });
    await people.read();
    hibob.staff.set('1', { ...hibob.staff.get('1'), 'root.id': '1', 'work.workMobile': null });
    time.now += HOUR;
    expect((await people.read()).cells.size).toBe(4);
  });

  sweep('looks up people missing from the search, and trusts only a 404', async () => {
    const { people, hide, remove, time } = await openHibob(5);
    await people.read();
    hide?.('2');
    remove('3');
    time.now += HOUR;
    const { asked, gone } = await people.read();
    expect({ asked, gone }).toEqual({
      asked: ['search', '1', '2', '3'].map((path) => `POST /v1/people/${path}`),
      gone: ['3'],
    });
  });

  sweep('reads Bob on a signal of another source, but not a vendor that lists its changes', async () => {
    const asked = async (open: typeof openPersonio | typeof openHibob) => {
      const { people, promote, time } = await open(3);
      people.resting.isOn = true;
      const first = await people.read();
      promote('2', '302');
      time.now += HOUR;
      const rested = await people.read();
      people.resting.isOn = false;
      const after = await people.read();
      return [first, rested, after].map(({ asked, cells, complete }) => [asked.length > 0, cells.size, complete]);
    };
    expect(await asked(openPersonio)).toEqual([
      [true, 3, false],
      [false, 3, false],
      [true, 3, false],
    ]);
    expect((await asked(openHibob))[1]).toEqual([true, 3, false]);
  });

  const COUNT = 250;
  it.each([
    ['looks up each missing person once', 20, null, [21, 0, 0], 0],
    ['looks up nobody if more people are missing than usually leave', 150, null, [0, 0, 0], -1],
    ['trusts no 404 while a listed person is not found by id either', 20, 404, [1, 21, 0], 1],
  ] as const)('%s', async (_, hidden, fault, expected, goneAt) => {
    const { people, hide, remove, server, time, ids } = await openHibob(COUNT);
    await people.read();
    for (const id of ids.slice(10, 10 + hidden)) hide?.(id);
    const last = ids[9 + hidden] ?? '';
    remove(last);
    if (fault !== null) server.failNext(fault, /people\/\d+/);
    const lookedUp: number[] = [];
    const gone: (readonly string[])[] = [];
    for (let reads = 0; reads < 3; reads += 1) {
      time.now += HOUR;
      const read = await people.read();
      lookedUp.push(read.asked.length - 1);
      gone.push(read.gone);
      expect(read.cells.size).toBe(COUNT - hidden);
    }
    expect(lookedUp).toEqual(expected);
    expect(gone.findIndex((missed) => missed.includes(last))).toBe(goneAt);
    expect(gone.flat().filter((id) => id !== last)).toEqual([]);
  });

  sweep('skips a read only after a successful one', async () => {
    const { people, server, time } = await openPersonio(20);
    await people.read();
    people.resting.isOn = true;
    expect((await people.read()).asked).toEqual([]);
    people.resting.isOn = false;
    server.failNext(401);
    time.now += HOUR;
    await expect(people.read()).rejects.toThrow();
    people.resting.isOn = true;
    expect((await people.read()).asked).not.toEqual([]);
    expect((await people.read()).asked).toEqual([]);
  });

  it('rejects `incremental`, because Bob does not list changes', () => {
    const source = '{ type: hris, preset: hibob, auth: { user: a, token: b }, incremental: { full_every: 2h } }';
    const text = SAMPLE.replace('\nusers:', `\n  people: ${source}\nusers:`);
    expect(() => loadSample(text)).toThrowError(/problem/);
  });
});

/** Matches only the call with this number, counted from zero. */
function onCall(number: number): () => boolean {
  let calls = 0;
  return () => calls++ === number;
}
