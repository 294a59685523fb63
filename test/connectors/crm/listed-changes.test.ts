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
  /** Rows that the filter does not see yet, though they are in the list. */
  late: readonly string[];
  /** Answers the filter with nobody, or with everybody. */
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

it('after a whole read asks for changes from an overlap before the newest, and delivers everything', async () => {
  const { crm, read } = await open([row('a', 1), row('b', 30), row('c', 20)]);
  expect(await read()).toMatchObject({ complete: true, names: { a: 'a', b: 'b', c: 'c' } });
  crm.rows = [row('a', 40, { name: 'new' }), row('b', 30), row('c', 20), row('d', 41)];
  const changed = await read();
  expect(sinceOf(changed.asked)).toEqual([at(20), at(20)]);
  expect(changed).toMatchObject({ complete: false, names: { a: 'new', b: 'b', c: 'c', d: 'd' } });
  expect(changed.because).toContain('only what changed');
  expect(sinceOf((await read()).asked)[0]).toBe(at(31));
});

it('a row that appears late is found within the overlap', async () => {
  const { crm, read } = await open([row('a', 30)]);
  await read();
  crm.rows = [row('a', 30), row('b', 38), row('c', 40)];
  crm.late = ['b'];
  expect((await read()).names).toEqual({ a: 'a', c: 'c' });
  crm.late = [];
  expect((await read()).names).toEqual({ a: 'a', b: 'b', c: 'c' });
});

it('absence from a read of changes deletes nothing, only a deleted row does, and it may come back', async () => {
  const { crm, read } = await open([row('a', 30), row('b', 29), row('c', 28)]);
  await read();
  crm.rows = [row('a', 30), row('b', 31, { archived: true })];
  expect(await read()).toMatchObject({ names: { a: 'a', c: 'c' }, gone: ['b'], complete: false });
  crm.rows = [row('a', 30), row('b', 33)];
  expect(await read()).toMatchObject({ names: { a: 'a', b: 'b', c: 'c' }, gone: [] });
});

it('everything is read again when it is due, and absence shows then', async () => {
  const { crm, read, pass } = await open([row('a', 30), row('b', 29)]);
  await read();
  crm.rows = [row('a', 30)];
  pass(24 * HOUR);
  const whole = await read();
  expect(sinceOf(whole.asked)).toEqual([null]);
  expect(whole).toMatchObject({ complete: true, names: { a: 'a' }, gone: [] });
  expect((await read()).names).toEqual({ a: 'a' });
});

it('a filter that answers with nobody is found out, and everything is read', async () => {
  const { crm, read } = await open([row('a', 30), row('b', 29)]);
  crm.filter = 'nobody';
  await read();
  const second = await read();
  expect(sinceOf(second.asked)).toEqual([at(20), null]);
  expect(second.complete).toBe(true);
});

it('a filter that is ignored costs no more than a whole read, and is right', async () => {
  const { crm, read } = await open([row('a', 30), row('b', 29)]);
  crm.filter = 'ignored';
  await read();
  crm.rows = [row('a', 30), row('b', 29), row('c', 31)];
  expect(await read()).toMatchObject({ names: { a: 'a', b: 'b', c: 'c' }, complete: false });
});

it('a time to come does not hide the changes until then', async () => {
  const { read } = await open([row('a', 600)]);
  await read();
  expect(sinceOf((await read()).asked)).toEqual([at(50)]);
});

it.each([
  ['seconds', (NOW - HOUR) / 1_000 + 20 * 60, String((NOW - HOUR) / 1_000 + 10 * 60)],
  ['milliseconds', NOW - HOUR + 20 * 60_000, String(NOW - HOUR + 10 * 60_000)],
] as const)('times are written in %s, inside a template', async (time, changed, since) => {
  const { requests, read } = await openFeed(
    (_, response) => answerJson(response, { results: [{ id: 'a', name: 'a', changed }], next: null }),
    { incremental: { ...BY_TIME, time, parameter: 'filter', template: 'changed ge {since}' } },
  );
  await read();
  await read();
  expect(new URL(requests[1] ?? '', 'http://feed').searchParams.get('filter')).toBe(`changed ge ${since}`);
});

it('keys that are not unique are never read by changes: one row would hide the other', async () => {
  const { read } = await open([row('a', 30), row('a', 31, { name: 'other' })]);
  await read();
  expect(sinceOf((await read()).asked)).toEqual([null]);
});

it('a whole read that was cut is no ground for reads of changes', async () => {
  const { read } = await openFeed(
    (_, response) => answerJson(response, { results: [row('a', 30)], next: null, total: 2 }),
    { incremental: BY_TIME, total: '/total' },
  );
  await read();
  const again = await read();
  expect(sinceOf(again.asked)).toEqual([null]);
  expect(again.complete).toBe(false);
});

it('what a user of the stream could not take is asked for again: the place moves on only afterwards', async () => {
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
