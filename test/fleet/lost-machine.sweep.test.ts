import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { closeAfterTest } from '../closing.js';
import { waitUntil } from '../daemon/daemon-process.js';
import type { Postgres } from '../postgres.js';
import { type Company, listCustomers, openCompany } from './company.js';
import { type Node, startNode } from './node.js';
import { oweRun } from './owe-run.js';
import { startPrepared } from './server.js';

/** No slot comes due while a test runs. */
const YEARLY = '0 0 1 1 *';
const PROJECTS = 10;

let server: Postgres;
let folder: string;
let companies: Company[];

beforeEach(async () => {
  server = await startPrepared();
  closeAfterTest(server);
  folder = mkdtempSync(join(tmpdir(), 'fleet-'));
  closeAfterTest({ close: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }) });
  companies = [];
});

/** A slow company, with one call after the other: a run is interrupted in the middle. */
async function openSlow(name: string): Promise<Company> {
  const company = await openCompany({
    ...{ drops: join(folder, 'drops'), name, people: 1, every: YEARLY, spreadMs: 0, latencyMs: 200 },
    more: { service: { rate_limit: { concurrency: 1 } } },
  });
  closeAfterTest(company.sandbox);
  for (let at = company.projects.length + 1; at <= PROJECTS; at += 1) company.projects.push(`P${at}`);
  company.deliver();
  companies.push(company);
  await oweRun(server.url, name, YEARLY);
  return company;
}

async function start(name: string): Promise<Node> {
  const configs = new Map(companies.map((one) => [one.name, one.config]));
  const node = startNode({ folder, name, postgresUrl: server.url, configs });
  closeAfterTest({ close: () => node.lose() });
  await node.ready();
  return node;
}

function countPosts({ sandbox }: Company): number {
  return sandbox.calls().filter(({ method, path }) => method === 'POST' && path.endsWith('/projects')).length;
}

function listProjects(company: Company): readonly string[] {
  return listCustomers(company)
    .flatMap(({ projects }) => projects.map((one) => one.external_unique_id))
    .sort();
}

async function isFree({ name }: Company): Promise<boolean> {
  const [row] = await server.ask(
    `SELECT holder IS NULL AND NOT EXISTS (SELECT FROM inbox WHERE tenant = $1 AND ended_at IS NULL) AS is_free
    FROM tenant WHERE name = $1`,
    [name],
  );
  return row?.is_free === true;
}

test('runs the tenants of a killed daemon with a lost folder on others, without manual work', async () => {
  for (const name of ['acme', 'north', 'south']) await openSlow(name);
  const nodes = await Promise.all([start('n1'), start('n2')]);
  await waitUntil('each is in the middle of its run', () => companies.every((one) => countPosts(one) >= 2));
  const [lost] = nodes.filter((node) => node.log().some(({ msg }) => msg === 'run starts'));
  const [killed] = await server.ask('SELECT clock_timestamp() AS at');
  await lost?.lose();
  expect(companies.some((one) => countPosts(one) < PROJECTS)).toBe(true);
  await waitUntil('another one finishes them', () => companies.every((one) => countPosts(one) === PROJECTS), 240_000);
  for (const one of companies) await waitUntil(`${one.name} is given back`, () => isFree(one));
  for (const one of companies) expect([countPosts(one), listProjects(one).length]).toEqual([PROJECTS, PROJECTS]);
  // Measured by the server's clock: the runs' own time on a busy machine does not count.
  const claimed = await server.ask('SELECT extract(epoch FROM held_since - $1)::float AS seconds FROM tenant', [
    killed?.at,
  ]);
  const latest = Math.max(...claimed.map(({ seconds }) => Number(seconds)));
  expect(latest).toBeGreaterThan(0);
  expect(latest).toBeLessThanOrEqual(60);
});

test('sends 10 POSTs for 10 projects when a holder is cut off, another takes over, and the first returns', async () => {
  const acme = await openSlow('acme');
  const stopped = await start('n1');
  await waitUntil('it is in the middle of its run', () => countPosts(acme) >= 3);
  stopped.pause();
  const begun = countPosts(acme);
  const other = await start('n2');
  // Its own clocks have to see that the lease is over, without the time in which its last call may arrive.
  await new Promise((resolve) => setTimeout(resolve, 16_000));
  await server.ask("UPDATE tenant SET lease_until = least(lease_until, now() - interval '5 min')");
  await waitUntil('the other one has taken over', () => countPosts(acme) > begun + 2);
  stopped.resume();
  await waitUntil('the run has ended', () => isFree(acme));
  // If it was stopped in the middle of a statement, it first finds that one unanswered.
  const givesUp = /^SYNC_(LEASE_LOST|BACKEND_AWAY)$/;
  await waitUntil('the first one gives up', () => stopped.log().some(({ code }) => givesUp.test(String(code))));
  expect([begun < PROJECTS, countPosts(acme)]).toEqual([true, PROJECTS]);
  expect(listProjects(acme)).toEqual([...acme.projects].sort());
  expect(stopped.crash()).toBeNull();
  expect(other.log().filter(({ msg }) => msg === 'finished what an earlier run had left open')).toHaveLength(1);
  // Both continue to work.
  for (const node of [stopped, other]) expect((await node.fetch('/readyz')).status).toBe(200);
});
