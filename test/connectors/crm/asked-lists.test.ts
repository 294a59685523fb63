import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { ListedStreamConfig } from '../../../src/connectors/listed/listed-stream.js';
import { answerJson, column, type Respond } from '../fixtures.js';
import { BY_TIME, HOUR, openFeed } from './listed-stream.js';

interface Person {
  readonly id: string;
  readonly name: string;
  readonly changed?: string;
  readonly [more: string]: unknown;
}

interface System {
  people: Person[];
  readonly bodies: unknown[];
  /** Ids of the requested details. */
  readonly details: string[];
  /** Ids of people whose details are gone although the list still shows them. */
  readonly removed: Set<string>;
  /** The largest number of concurrent calls for details. */
  atOnce: number;
  readonly respond: Respond;
}

/** Lists people by POST, in the page that the body specifies, and shows each person individually with a longer name. */
function createSystem(count: number): System {
  let underWay = 0;
  const system: System = {
    people: Array.from({ length: count }, (_, at) => ({
      id: `r${at}`,
      name: `n${at}`,
      changed: '2025-06-01T00:00:00Z',
    })),
    bodies: [],
    details: [],
    removed: new Set(),
    atOnce: 0,
    async respond(request, response) {
      const id = /\/people\/(\w+)$/.exec(request.url ?? '')?.[1];
      if (id !== undefined) {
        system.details.push(id);
        system.atOnce = Math.max(system.atOnce, ++underWay);
        await new Promise((resolve) => setImmediate(resolve));
        underWay--;
        const person = system.people.find((one) => one.id === id && !system.removed.has(id));
        return answerJson(
          response,
          { data: { ...person, name: `${person?.name} in full` } },
          person === undefined ? 404 : 200,
        );
      }
      const body = JSON.parse(await text(request)) as { page: { number: number; size: number }; since?: string };
      system.bodies.push(body);
      const from = (body.page.number - 1) * body.page.size;
      const asked = system.people.filter(({ changed = '' }) => body.since === undefined || changed >= body.since);
      answerJson(response, { results: asked.slice(from, from + body.page.size) });
    },
  };
  return system;
}

const POSTED: Partial<ListedStreamConfig> = {
  body: { fields: ['name'], page: { size: 0 } },
  next: { kind: 'page', parameter: '/page/number', limit: '/page/size', size: 3, first: 1 },
  columns: { id: column('string'), name: column('string', { optional: true }) },
};
const DETAIL = { path: '/v1/people/{key}', record: '/data', refreshMs: 7 * 24 * HOUR };
const posted = (number: number, more: object = {}) => ({ fields: ['name'], page: { number, size: 3 }, ...more });

describe('lists requested by POST', () => {
  it('have the page number and size in the body, and end when a page brings nothing new', async () => {
    const system = createSystem(6);
    const feed = await openFeed(system.respond, POSTED);
    const read = await feed.read();
    expect([Object.keys(read.names).length, read.complete, system.bodies]).toEqual([
      6,
      true,
      [1, 2, 3].map((page) => posted(page)),
    ]);
  });

  it('have the time of the last change in the body', async () => {
    const system = createSystem(2);
    const feed = await openFeed(system.respond, {
      ...POSTED,
      incremental: { ...BY_TIME, parameter: '/since', overlapMs: 0 },
    });
    await feed.read();
    feed.pass(HOUR);
    system.bodies.length = 0;
    await feed.read();
    expect(system.bodies[0]).toEqual(posted(1, { since: '2025-06-01T00:00:00.000Z' }));
  });

  it.each([
    ['seconds', '{since}', 1_748_736_000],
    ['milliseconds', '{since}', 1_748_736_000_000],
    ['seconds', '>{since}', '>1748736000'],
  ] as const)('have it in the body, in %s, as %s', async (time, template, written) => {
    const system = createSystem(1);
    const incremental = { ...BY_TIME, parameter: '/since', template, time, overlapMs: 0, modified: '/at' };
    const feed = await openFeed(system.respond, { ...POSTED, incremental });
    system.people = system.people.map((one) => ({
      ...one,
      at: time === 'seconds' ? 1_748_736_000 : 1_748_736_000_000,
    }));
    await feed.read();
    feed.pass(HOUR);
    system.bodies.length = 0;
    await feed.read();
    expect(system.bodies[0]).toMatchObject({ since: written });
  });
});

it('counts pages in the address, starting from the configured first page', async () => {
  const feed = await openFeed(
    (request, response) => {
      const query = new URL(request.url ?? '', 'http://feed').searchParams;
      const from = Number(query.get('page')) * Number(query.get('per_page'));
      const all = ['a', 'b', 'c'].map((id) => ({ id, name: id }));
      answerJson(response, { results: all.slice(from, from + 2) });
    },
    { next: { kind: 'page', parameter: 'page', limit: 'per_page', size: 2, first: 0 } },
  );
  const read = await feed.read();
  const queries = read.asked.map((url) => url.replace(/^.*\?/, ''));
  expect(queries).toEqual(['per_page=2&page=0', 'per_page=2&page=1', 'per_page=2&page=2']);
  expect(read).toMatchObject({ names: { a: 'a', b: 'b', c: 'c' }, complete: true });
});

describe('one call per record', () => {
  it('fetches fields missing from the list, a few records at a time', async () => {
    const system = createSystem(10);
    const read = await (await openFeed(system.respond, { ...POSTED, detail: DETAIL })).read();
    expect([read.names.r7, read.complete, system.details.length]).toEqual(['n7 in full', true, 10]);
    expect(system.atOnce).toBeGreaterThan(1);
    expect(system.atOnce).toBeLessThanOrEqual(4);
  });

  it.each([
    ['its content', null],
    ['its time of change', { ...BY_TIME, parameter: '/since', fullEveryMs: 0 }],
  ])('is made only for new records and for those that changed by %s', async (_, incremental) => {
    const system = createSystem(5);
    const feed = await openFeed(system.respond, { ...POSTED, detail: DETAIL, incremental });
    await feed.read();
    system.details.length = 0;
    system.people = [...system.people, { id: 'r9', name: 'n9' }].map((one) =>
      one.id === 'r2' ? { ...one, name: 'renamed', changed: '2025-07-01T00:00:00Z' } : one,
    );
    feed.pass(HOUR);
    const read = await feed.read();
    expect([read.names.r1, read.names.r2, read.names.r9, system.details]).toEqual([
      ...['n1 in full', 'renamed in full', 'n9 in full'],
      ['r2', 'r9'],
    ]);
    system.details.length = 0;
    await feed.read();
    expect(system.details).toEqual([]);
    feed.pass(DETAIL.refreshMs);
    await feed.read();
    expect(system.details).toHaveLength(6);
  });

  it('is made only for changes if the list is requested by changes', async () => {
    const system = createSystem(5);
    const incremental = { ...BY_TIME, parameter: '/since', overlapMs: 0 };
    const feed = await openFeed(system.respond, { ...POSTED, detail: DETAIL, incremental });
    system.people = system.people.map((one, at) => (at === 0 ? { ...one, changed: '2025-06-02T00:00:00Z' } : one));
    await feed.read();
    system.details.length = 0;
    system.people = system.people.map((one, at) =>
      at === 3 ? { ...one, name: 'new', changed: '2025-06-03T00:00:00Z' } : one,
    );
    feed.pass(HOUR);
    const read = await feed.read();
    expect([read.names.r3, read.names.r4, system.details]).toEqual(['new in full', 'n4 in full', ['r3']]);
  });

  it('leaves out a record deleted meanwhile, and then proves no absence', async () => {
    const system = createSystem(4);
    const feed = await openFeed(system.respond, { ...POSTED, detail: DETAIL });
    await feed.read();
    feed.pass(HOUR);
    system.people = system.people.map((one, at) => (at === 0 ? { ...one, name: 'other' } : one));
    system.removed.add('r0');
    const read = await feed.read();
    expect([Object.keys(read.names), read.complete]).toEqual([['r1', 'r2', 'r3'], false]);
    expect(read.because).toMatch(/^records that disappeared before .*: 1$/);
  });
});
