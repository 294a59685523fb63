import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Postgres } from '../postgres.js';
import { openAskedPeople } from '../scenarios/asked-people.js';
import { PEOPLE_COLUMNS, person, type Row } from '../scenarios/company.js';
import { EMPTY } from '../store/remote/remote-kit.js';
import { openRemoteFleet, startPrepared } from './remote-fleet.js';

let server: Postgres;

beforeAll(async () => {
  server = await startPrepared();
});
afterAll(() => server?.close());
beforeEach(() => server.ask(EMPTY));

const COUNT = 40;

test('daemons share the people read over HTTP and notice columns that became empty', async () => {
  const { fleet, openNode, wait } = await openRemoteFleet(server, '2037-11-21T08:00:30Z');
  const asked = await openAskedPeople(() => fleet.clock.now(), PEOPLE_COLUMNS);
  fleet.env.CRM_TOKEN = 'token';
  const acme = await fleet.addTenant('acme', {
    sources: { asked: asked.source },
    users: { existence: 'asked.people' },
  });
  const rows = Array.from({ length: COUNT }, (_, at): Row => person(`E${at}`, { title: 'Adviser' }));
  const [a, b] = [await openNode('a'), await openNode('b')];
  // First contact: the schedule counts from now.
  await a.claim();
  let minutes = 0;
  /** Lets that daemon perform the next run. */
  const runOn = async ({ claim }: typeof a, shown: readonly Row[]) => {
    asked.show(shown);
    minutes += 15;
    fleet.clock.set(new Date(Date.parse('2037-11-21T08:00:10Z') + minutes * 60_000).toISOString());
    await wait();
    await claim();
    return acme.takeWrites();
  };
  expect(await runOn(a, rows)).toBe(COUNT);
  expect(await runOn(b, rows)).toBe(0);
  const edited = rows.map((row, at) => (at === 3 ? { ...row, title: 'Lead' } : row));
  expect(await runOn(a, edited)).toBe(1);
  expect(await runOn(b, edited)).toBe(0);
  const emptied = edited.map((row, at) => (at < 20 ? { ...row, title: '', last: 'Other' } : row));
  for (const node of [a, b, a]) expect(await runOn(node, emptied)).toBe(0);
  expect(fleet.log.filter(({ msg }) => msg === 'run ended').at(-1)).toMatchObject({ exit_code: 3 });
});
