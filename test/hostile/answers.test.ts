import { createServer, request as send } from 'node:http';
import { describe, expect, test } from 'vitest';
import { SyncError } from '../../src/base/errors.js';
import { IS_THOROUGH, oneIn, sweep } from '../depth.js';
import { listenOnLoopback } from '../loopback.js';
import { CRM, person, type Yaml } from '../scenarios/company.js';
import { openStory, type Story } from '../scenarios/kit.js';
import { answerHonestly, IDS, listen, openSource, PROVES_NO_ABSENCE, SOURCES } from './every-source.js';
import { createRandom, mutate } from './mutate.js';

/** The number of stories, of rounds in each, and of reads per kind of source. */
const [STORIES, ROUNDS, READS] = IS_THOROUGH ? [40, 12, 300] : [1, 8, 3];

interface Mutator {
  readonly url: string;
  /** The share of answers to damage, and the seed to start from. */
  turnOn(seed: number, share: number): void;
  turnOff(): void;
  /** The damaged answers. */
  readonly made: string[];
}

/** Forwards to the real sandbox, and damages its answers. */
async function openMutator(target: string, pad = (text: string, _path: string) => text): Promise<Mutator> {
  let [random, share] = [createRandom(1), 0];
  const made: string[] = [];
  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '/', target);
    const passed = send(url, { method: incoming.method ?? 'GET', headers: { ...incoming.headers, host: url.host } });
    passed.on('response', (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('end', () => {
        const text = Buffer.concat(pieces).toString('utf8');
        const { 'content-length': _, 'transfer-encoding': __, ...headers } = answer.headers;
        const isJson = String(headers['content-type']).includes('json') && text !== '';
        const body = !isJson ? text : random() < share ? mutate(text, random) : pad(text, url.pathname);
        if (body !== text) made.push(`${incoming.method} ${url.pathname} ${body.slice(0, 300)}`);
        response.writeHead(answer.statusCode ?? 500, headers).end(body);
      });
    });
    passed.on('error', () => response.destroy());
    incoming.pipe(passed);
  });
  return {
    url: await listenOnLoopback(server),
    turnOn(seed, of) {
      [random, share] = [createRandom(seed), of];
    },
    turnOff: () => {
      share = 0;
    },
    made,
  };
}

const PEOPLE = ['E1', 'E2', 'E3', 'E4', 'E5'].map((id) => person(id, { title: 'Consultant', unit: 'north' }));
const COMPANIES: readonly Yaml[] = [
  { id: 'C1', name: 'Fjord Power' },
  { id: 'C2', name: 'Bridge' },
];
const DEALS: readonly Yaml[] = [{ id: 'P1', customer: 'C1', name: 'Dam', owners: ['e1@example.com'] }];

/** A company whose sides are equal, which then gets a leaver, a new colleague, new titles and a new customer. */
async function openMoving(): Promise<{ readonly story: Story; readonly mutator: Mutator }> {
  const story = await openStory();
  const mutator = await openMutator(story.sandbox.url);
  const { customers = null, projects = null, sources = null } = CRM;
  story.configure({ customers, projects, sources, service: { base_url: mutator.url } });
  story.deliver(PEOPLE);
  story.deliverCompanies(COMPANIES);
  story.deliverDeals(DEALS);
  const first = await story.sync();
  expect({ code: first.code, error: first.error }).toEqual({ code: 0, error: undefined });
  const [e1, e2, ...others] = PEOPLE;
  story.deliver([{ ...e1, title: 'Lead' }, { ...e2, status: 'left' }, ...others, person('E6')]);
  story.deliverCompanies([...COMPANIES, { id: 'C3', name: 'Tunnel' }]);
  return { story, mutator };
}

/** The facts that no mistake may change: who exists and who is active. */
function look(story: Story) {
  const users = story.users();
  return {
    users: users.map(({ external_unique_id: id }) => id).sort(),
    inactive: users.filter(({ deactivated }) => deactivated).map(({ external_unique_id: id }) => id),
    titles: users.map(({ external_unique_id: id, title }) => `${id} ${JSON.stringify(title)}`).sort(),
    customers: story
      .customers()
      .map(({ external_unique_id: id }) => id)
      .sort(),
  };
}

describe('damaged answers of the service', () => {
  test.each(Array.from({ length: STORIES }, (_, index) => index + 1))(
    'creates and deactivates nobody by mistake, with seed %d',
    async (seed) => {
      const { story, mutator } = await openMoving();
      // Few answers at a time: a run ends at the first unusable answer, and would never reach later ones.
      for (let round = 1; round <= ROUNDS; round++) {
        const one = seed * 100 + round;
        mutator.turnOn(one, round % 2 === 0 ? 0.1 : 0.3);
        const ran = round % 4 === 0 ? await story.sync({ full: true }) : await story.plan({ full: round % 3 === 0 });
        const told = `seed ${one}: ${JSON.stringify(ran.error)} ${ran.stderr}`;
        expect(told).not.toMatch(/SYNC_INTERNAL|\n\s+at |TypeError|RangeError|Maximum call stack/);
        expect([0, 1, 3, 4]).toContain(ran.code);
        if (ran.code === 1) expect(ran.error?.code).toMatch(/^SYNC_/);
      }
      expect(mutator.made.length).toBeGreaterThan(2);
      const after = look(story);
      expect(after.inactive.filter((id) => id !== 'E2')).toEqual([]);
      expect(after.users.filter((id) => !['E1', 'E2', 'E3', 'E4', 'E5', 'E6'].includes(String(id)))).toEqual([]);
      expect(new Set(after.users).size).toBe(after.users.length);
      expect(after.users.length).toBeGreaterThanOrEqual(PEOPLE.length);
      expect(new Set(after.customers).size).toBe(after.customers.length);
      expect(after.customers.length).toBeGreaterThanOrEqual(COMPANIES.length);

      mutator.turnOff();
      await story.sync({ full: true });
      await story.sync({ full: true });
      expect(look(story)).toEqual({
        users: ['E1', 'E2', 'E3', 'E4', 'E5', 'E6'],
        inactive: ['E2'],
        titles: expect.arrayContaining(['E1 {"en":"Lead"}', 'E3 {"en":"Consultant"}']),
        customers: ['C1', 'C2', 'C3'],
      });
    },
  );
});

sweep('reads lists row by row that are too long for memory, as correctly as short ones', async () => {
  const story = await openStory();
  const padding = 'x'.repeat(1_500_000);
  const padded: string[] = [];
  // Unknown fields in each row make the answers longer than one object may be.
  const mutator = await openMutator(story.sandbox.url, (text, path) => {
    const body = JSON.parse(text) as object;
    const [name, rows]: readonly unknown[] = Array.isArray(body)
      ? [null, body]
      : (Object.entries(body).find(([, value]) => Array.isArray(value)) ?? []);
    if (!/customers|projects|search/.test(path) || !Array.isArray(rows) || rows.length < 3) return text;
    padded.push(path);
    const longer = rows.map((row: object) => ({ padding, ...row }));
    return JSON.stringify(name === null ? longer : { ...body, [String(name)]: longer });
  });
  const { customers = null, projects = null, sources = null } = CRM;
  story.configure({ customers, projects, sources, service: { base_url: mutator.url, timeout: '20s' } });
  story.deliver(PEOPLE);
  story.deliverCompanies([...COMPANIES, { id: 'C3', name: 'Tunnel' }]);
  story.deliverDeals(['P1', 'P2', 'P3'].map((id) => ({ id, customer: 'C1', name: `Dam ${id}` })));
  await story.sync();
  story.takeWrites();
  const again = await story.sync({ full: true });
  expect({ code: again.code, error: again.error, counts: again.json.counts }).toEqual({
    code: 0,
    error: undefined,
    counts: {},
  });
  expect(story.takeWrites()).toEqual([]);
  expect([...new Set(padded)].sort()).toEqual(
    expect.arrayContaining(['/api/v2/company/cv/customers', '/api/v2/company/cv/projects', '/api/v2/users/search']),
  );
});

describe('damaged answers of sources', () => {
  test.each(oneIn(2, SOURCES))('proves nobody absent by damaged answers of %s', async (name, build) => {
    let random: (() => number) | null = null;
    const server = await listen((request, response) => {
      const honest = answerHonestly(request);
      response.writeHead(honest === null ? 404 : 200, { 'content-type': 'application/json', link: '</>; rel="first"' });
      response.end(honest === null ? '{}' : random === null ? honest : mutate(honest, random));
    });
    let complete = 0;
    for (let seed = 0; seed <= READS; seed++) {
      random = null;
      for (const connector of await openSource(build, server.url)) {
        // The first read is honest, because cached values could be believed too long.
        if (seed > 0) random = createRandom(seed);
        const keys = new Set<string | null>();
        const evidence = await connector
          .read(({ records, rejected, gone = [] }) => {
            for (const { key } of [...records, ...rejected]) keys.add(key);
            // The test believes only a system that is asked for one record and says that it is gone.
            for (const { key } of gone) keys.delete(key);
          })
          .catch((error: unknown) => {
            expect(error).toBeInstanceOf(SyncError);
            expect(String((error as SyncError).code)).not.toBe('SYNC_INTERNAL');
            return null;
          });
        if (evidence?.complete !== true) continue;
        complete++;
        expect({ seed, missing: IDS.filter((id) => !keys.has(id)) }).toEqual({ seed, missing: [] });
      }
    }
    expect(complete > 0).toBe(!PROVES_NO_ABSENCE.has(name));
  });
});
