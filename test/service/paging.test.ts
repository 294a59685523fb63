import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPages } from '../../src/service/paging.js';
import { createTalentService, type TalentService } from '../../src/service/talent-service.js';
import { tries } from '../depth.js';
import { BASE } from './desk.js';

type Style = 'total' | 'no total' | 'gives fewer than asked' | 'does not page';

/** A list of ids, paged in one of the ways that servers use. */
function createList(ids: readonly string[], style: Style) {
  const held = [...ids];
  let calls = 0;
  return {
    held,
    calls: () => calls,
    async readPage(offset: number, size: number) {
      calls += 1;
      const most = style === 'gives fewer than asked' ? Math.min(size, 3) : size;
      const rows = style === 'does not page' ? [...held] : held.slice(offset, offset + most);
      return { rows, total: style === 'total' || style === 'gives fewer than asked' ? held.length : null };
    },
  };
}

async function drain<T>(pages: AsyncIterable<{ readonly rows: readonly T[] }>): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(...page.rows);
  return all;
}

const styles = fc.constantFrom<Style>('total', 'no total', 'gives fewer than asked', 'does not page');
const sizes = fc.integer({ min: 1, max: 12 });
const lengths = fc.integer({ min: 0, max: 60 });
const idsOf = (length: number): string[] => Array.from({ length }, (_, index) => `r${index}`);

describe('a paged list', () => {
  it('is complete, in order and without duplicates, for any length, page size and way of paging', async () => {
    await fc.assert(
      fc.asyncProperty(lengths, sizes, styles, async (length, size, style) => {
        const list = createList(idsOf(length), style);
        const pages = readPages<string>({ size, readPage: (offset) => list.readPage(offset, size), idOf: (id) => id });
        expect(await drain(pages)).toEqual(idsOf(length));
      }),
      { numRuns: tries(500) },
    );
  });

  it('takes no more calls than needed, and reads no empty page if the total is known', async () => {
    await fc.assert(
      fc.asyncProperty(lengths, sizes, async (length, size) => {
        for (const [style, expected] of [
          ['total', Math.max(1, Math.ceil(length / size))],
          ['no total', Math.floor(length / size) + 1],
        ] as const) {
          const list = createList(idsOf(length), style);
          await drain(readPages({ size, readPage: (offset) => list.readPage(offset, size), idOf: (id: string) => id }));
          expect(list.calls()).toBe(expected);
        }
      }),
    );
  });

  it('loses and repeats nobody if others are added meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        lengths,
        fc.integer({ min: 2, max: 12 }),
        fc.constantFrom<Style>('total', 'no total'),
        fc.array(fc.nat({ max: 11 }), { maxLength: 20 }),
        async (length, size, style, arrivals) => {
          const list = createList(idsOf(length), style);
          let turn = 0;
          const pages = readPages<string>({
            size,
            async readPage(offset) {
              const page = await list.readPage(offset, size);
              const coming = Math.min(arrivals[turn] ?? 0, size - 1);
              list.held.unshift(...Array.from({ length: coming }, (_, index) => `new${turn}-${index}`));
              turn += 1;
              return page;
            },
            idOf: (id) => id,
          });
          const got = await drain(pages);
          expect(new Set(got).size).toBe(got.length);
          expect(got.filter((id) => id.startsWith('r'))).toEqual(idsOf(length));
        },
      ),
      { numRuns: tries(300) },
    );
  });
});

interface Ask {
  readonly offset: number;
  readonly size: number;
}

/** A service with this many records of each kind, which pages according to the interface. */
function createStocked(length: number): { service: TalentService; asks: Ask[] } {
  const asks: Ask[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const { pathname, searchParams } = new URL(String(url));
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : {};
    const read = (...names: string[]): number =>
      Number(
        names
          .map((name) => searchParams.get(name) ?? body[name])
          .find((value) => value !== undefined && value !== null),
      );
    const ask = { offset: read('offset', 'from'), size: read('size', 'limit') };
    asks.push(ask);
    const rows = idsOf(length)
      .slice(ask.offset, ask.offset + ask.size)
      .map((id) => ({ id }));
    const answers: Readonly<Record<string, unknown>> = {
      '/api/v4/search': { cvs: rows.map((cv, id) => ({ id, cv, preview_url: 'x' })), total: length },
      '/api/v4/references/search': { references: rows.map((reference) => ({ reference })), total: length },
    };
    return new Response(JSON.stringify(answers[pathname] ?? rows));
  };
  return { service: createTalentService({ baseUrl: BASE, apiKey: 'key', fetch }), asks };
}

type Iterate = (service: TalentService, size: number) => AsyncIterable<readonly string[]>;

async function* mapPages<T>(pages: AsyncIterable<T>, ids: (page: T) => readonly string[]) {
  for await (const page of pages) yield ids(page);
}

/** All functions that page by an offset, with their largest page, and true if their answers contain the total. */
const ITERATORS: readonly (readonly [string, Iterate, number, boolean])[] = [
  ['users.search', (s, size) => mapPages(s.reader.users.search({ size }), (p) => p.users.map((u) => u.id)), 500, false],
  ['cvs.search', (s, size) => mapPages(s.reader.cvs.search({ size }), (p) => p.cvs.map((c) => c.cv.id)), 500, true],
  [
    'projects.search',
    (s, size) => mapPages(s.reader.projects.search({ size }), (p) => p.projects.map((one) => one.project.id)),
    500,
    true,
  ],
  ['customers.list', (s, size) => mapPages(s.reader.customers.list({ size }), (p) => p.map((c) => c.id)), 500, false],
  ['tags.list', (s, size) => mapPages(s.reader.tags.list('k', { size }), (p) => p.map((t) => t.id)), 100, false],
  ['proposals.list', (s, size) => mapPages(s.reader.proposals.list({ size }), (p) => p.map((o) => o.id)), 100, false],
];

describe('every iterator', () => {
  for (const [name, iterate, most, telling] of ITERATORS) {
    it(`${name} delivers all, in pages of the requested size`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: 250 }), fc.integer({ min: 1, max: most }), async (length, size) => {
          const { service, asks } = createStocked(length);
          const got: string[] = [];
          for await (const ids of iterate(service, size)) got.push(...ids);
          await service.close();
          expect(got).toEqual(idsOf(length));
          const calls = telling ? Math.max(1, Math.ceil(length / size)) : Math.floor(length / size) + 1;
          expect(asks).toEqual(Array.from({ length: calls }, (_, index) => ({ offset: index * size, size })));
        }),
        { numRuns: tries(30) },
      );
    });

    it(`${name} reads no page before it is requested`, async () => {
      const { service, asks } = createStocked(200);
      for await (const ids of iterate(service, 10)) if (ids.length > 0) break;
      expect(asks).toHaveLength(1);
      await service.close();
    });
  }
});
