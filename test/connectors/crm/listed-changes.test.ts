import { expect, it } from 'vitest';
import type { ListedStreamConfig } from '../../../src/connectors/listed/listed-stream.js';
import { answerJson, NOW, type Respond } from '../fixtures.js';
import { BY_TIME, HOUR, openFeed } from './listed-stream.js';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly changed: string;
  readonly archived?: boolean;
}

const at = (minute: number): string => new Date(NOW - HOUR + minute * 60_000).toISOString();
const row = (id: string, minute: number, rest: Partial<Row> = {}): Row => ({
  id,
  name: id,
  changed: at(minute),
  ...rest,
});

interface Crm {
  rows: readonly Row[];
  /** Rows that are in the list although the filter does not see them yet. */
  late: readonly string[];
  /** Lets the filter work, match no row, or be ignored. */
  filter: 'works' | 'nobody' | 'ignored';
}

async function open(rows: readonly Row[], rest: Partial<ListedStreamConfig> = {}) {
  const crm: Crm = { rows, late: [], filter: 'works' };
  const respond: Respond = (request, response) => {
    const query = new URL(request.url ?? '', 'http://feed').searchParams;
    const since = query.get('since');
    const isAsked = ({ id, changed }: Row): boolean => {
      if (since === null || crm.filter === 'ignored') return true;
      return crm.filter === 'works' && changed >= since && !crm.late.includes(id);
    };
    const results = crm.rows.filter(isAsked);
    const start = Number(query.get('cursor') ?? 0);
    const next = start + 2 < results.length ? String(start + 2) : null;
    answerJson(response, { results: results.slice(start, start + 2), next });
  };
  const deleted = { at: '/archived', is: null, key: null };
  return { crm, ...(await openFeed(respond, { incremental: BY_TIME, deleted, ...rest })) };
}

const sinceOf = (asked: readonly string[]): readonly (string | null)[] =>
  asked.map((url) => new URL(url, 'http://feed').searchParams.get('since'));

it('reads changes after a complete read, starting an overlap before the newest, and delivers all rows', async () => {
  const { crm, read } = await open([row('a', 1), row('b', 30), row('c', 20)]);
  expect(await read()).toMatchObject({ complete: true, names: { a: 'a', b: 'b', c: 'c' } });
  crm.rows = [row('a', 40, { name: 'new' }), row('b', 30), row('c', 20), row('d', 41)];
  const changed = await read();
  expect(sinceOf(changed.asked)).toEqual([at(20), at(20)]);
  expect(changed).toMatchObject({ complete: false, names: { a: 'new', b: 'b', c: 'c', d: 'd' } });
  expect(changed.because).toContain('only changes since');
  expect(sinceOf((await read()).asked)[0]).toBe(at(31));
});

it('finds a row that appears late, within the overlap', async () => {
  const { crm, read } = await open([row('a', 30)]);
  await read();
  crm.rows = [row('a', 30), row('b', 38), row('c', 40)];
  crm.late = ['b'];
  expect((await read()).names).toEqual({ a: 'a', c: 'c' });
  crm.late = [];
  expect((await read()).names).toEqual({ a: 'a', b: 'b', c: 'c' });
});

it('deletes nothing because of absence from a read of changes, only for a deleted row, which may return', async () => {
  const { crm, read } = await open([row('a', 30), row('b', 29), row('c', 28)]);
  await read();
  crm.rows = [row('a', 30), row('b', 31, { archived: true })];
  expect(await read()).toMatchObject({ names: { a: 'a', c: 'c' }, gone: ['b'], complete: false });
  crm.rows = [row('a', 30), row('b', 33)];
  expect(await read()).toMatchObject({ names: { a: 'a', b: 'b', c: 'c' }, gone: [] });
});

it('reads everything again when due, and then detects absence', async () => {
  const { crm, read, pass } = await open([row('a', 30), row('b', 29)]);
  await read();
  crm.rows = [row('a', 30)];
  pass(24 * HOUR);
  const whole = await read();
  expect(sinceOf(whole.asked)).toEqual([null]);
  expect(whole).toMatchObject({ complete: true, names: { a: 'a' }, gone: [] });
  expect((await read()).names).toEqual({ a: 'a' });
});

it('notices a filter that matches nothing, and reads everything', async () => {
  const { crm, read } = await open([row('a', 30), row('b', 29)]);
  crm.filter = 'nobody';
  await read();
  const second = await read();
  expect(sinceOf(second.asked)).toEqual([at(20), null]);
  expect(second.complete).toBe(true);
});

it('costs only a complete read with a filter that is ignored, and stays correct', async () => {
  const { crm, read } = await open([row('a', 30), row('b', 29)]);
  crm.filter = 'ignored';
  await read();
  crm.rows = [row('a', 30), row('b', 29), row('c', 31)];
  expect(await read()).toMatchObject({ names: { a: 'a', b: 'b', c: 'c' }, complete: false });
});

it('does not miss changes because of a time in the future', async () => {
  const { read } = await open([row('a', 600)]);
  await read();
  expect(sinceOf((await read()).asked)).toEqual([at(50)]);
});

it.each([
  ['seconds', (NOW - HOUR) / 1_000 + 20 * 60, String((NOW - HOUR) / 1_000 + 10 * 60)],
  ['milliseconds', NOW - HOUR + 20 * 60_000, String(NOW - HOUR + 10 * 60_000)],
] as const)('sends times in %s, inside a template', async (time, changed, since) => {
  const { requests, read } = await openFeed(
    (_, response) => answerJson(response, { results: [{ id: 'a', name: 'a', changed }], next: null }),
    { incremental: { ...BY_TIME, time, parameter: 'filter', template: 'changed ge {since}' } },
  );
  await read();
  await read();
  expect(new URL(requests[1] ?? '', 'http://feed').searchParams.get('filter')).toBe(`changed ge ${since}`);
});

it('never reads changes if keys are not unique, because one row would hide the other', async () => {
  const { read } = await open([row('a', 30), row('a', 31, { name: 'other' })]);
  await read();
  expect(sinceOf((await read()).asked)).toEqual([null]);
});

it('never reads changes after a truncated complete read', async () => {
  const { read } = await openFeed(
    (_, response) => answerJson(response, { results: [row('a', 30)], next: null, total: 2 }),
    { incremental: BY_TIME, total: '/total' },
  );
  await read();
  const again = await read();
  expect(sinceOf(again.asked)).toEqual([null]);
  expect(again.complete).toBe(false);
});

it('requests changes again if their consumer failed', async () => {
  const { crm, read, connector } = await open([row('a', 1), row('b', 30)]);
  await read();
  crm.rows = [row('a', 50, { name: 'new' }), row('b', 30)];
  const fails = connector.read(() => {
    throw new Error('no room');
  });
  await expect(fails).rejects.toThrow('no room');
  const again = await read();
  expect(sinceOf(again.asked)[0]).toBe(at(20));
  expect(again.names).toEqual({ a: 'new', b: 'b' });
});
