import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { listenOnLoopback } from '../loopback.js';
import { HOUR, person } from './company.js';
import { idsOf } from './cvs.js';
import { openStory, type Story } from './kit.js';
import { openWhole } from './whole-company.js';

const KEY = 'PN778812';
const OLD = 'jane.quimby@example.com';
const NEW = 'jane.smythe@example.com';
const SCIM_ID = '9f1c4e0a-77d2-scim';
const PHONE = '+47 9001 2233';

interface Account {
  readonly id: string;
  readonly [attribute: string]: unknown;
}

/** An identity provider that is asked only for changes between full reads. */
async function openIdp(accounts: readonly Account[]): Promise<{ readonly url: string; accounts: readonly Account[] }> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://idp');
    const isList = url.pathname === '/Users';
    const since = /lastModified ge "([^"]+)"/.exec(url.searchParams.get('filter') ?? '')?.[1];
    const id = url.pathname.slice('/Users/'.length);
    const found = idp.accounts.filter((one) => (isList ? since === undefined || stampOf(one) >= since : one.id === id));
    const body = isList ? { totalResults: found.length, Resources: found } : (found[0] ?? {});
    response.writeHead(isList || found.length > 0 ? 200 : 404, { 'content-type': 'application/scim+json' });
    response.end(JSON.stringify(body));
  });
  const idp = { url: await listenOnLoopback(server), accounts };
  return idp;
}

const stampOf = ({ meta }: Account): string => (meta as { lastModified: string }).lastModified;

/** Finds the identifiers in the bytes of each file. */
function findBytes(story: Story, identifiers: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const folder = join(story.folder, 'var');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const found = files.map(({ parentPath, name }) => {
    const bytes = readFileSync(join(parentPath, name));
    return [relative(folder, join(parentPath, name)), identifiers.filter((text) => bytes.includes(text))] as const;
  });
  return Object.fromEntries(found.filter(([, texts]) => texts.length > 0));
}

/**
 * A person with a CV, a project, an assignment to it and a bid, in a source of files and in one that is asked for
 * changes.
 */
async function openHistory() {
  const story = await openWhole();
  const account = (id: string, key: string, email: string, at: string): Account => ({
    ...{ id, externalId: key, userName: email, active: true },
    ...{ phoneNumbers: [{ type: 'work', value: PHONE.replace('2233', key.slice(-4)) }], meta: { lastModified: at } },
  });
  const others = account('a1', 'E1', 'e1@example.com', '2026-01-01T00:00:00Z');
  const idp = await openIdp([others, account(SCIM_ID, KEY, OLD, '2026-02-01T00:00:00Z')]);
  story.configure({
    sources: {
      idp: {
        type: 'scim',
        base_url: idp.url,
        auth: { bearer: { env: 'IDP_TOKEN' } },
        incremental: { full_every: '24h' },
      },
    },
    users: {
      enrich: { idp: { join: 'idp.externalId == hr.id' } },
      fields: { upn: 'idp.?userName', landline: 'idp.?phone', telephone: 'record.?phone' },
    },
    guards: { users: { deactivate: 'off' } },
  });
  const jane = { first: 'Jane', last: 'Quimby', email: OLD, phone: PHONE, rank: 'pilot', unit: 'north' };
  story.have({
    people: [person('E1'), person(KEY, jane)],
    companies: [{ id: 'C1', name: 'Fjord Power' }],
    deals: [{ id: 'P1', customer: 'C1', name: 'Dam', owners: [OLD, 'e1@example.com'] }],
    certificates: [{ id: 'K1', person: KEY, name: 'Diver' }],
    staffing: [{ id: 'S1', person: KEY, project: 'P1', role: 'Lead' }],
    bids: [{ id: 'B1', name: 'Bridge', stage: 'editing', owner: OLD, team: [OLD], people: [KEY] }],
  });
  const first = await story.sync();
  expect(first.json).toMatchObject({ failed: [], held: [] });
  story.clock.advance(HOUR);
  const { id, default_cv_id: cv } = await idsOf(story, KEY);
  const renamed = { ...jane, last: 'Smythe', email: NEW };
  story.have({ people: [person('E1'), person(KEY, renamed)] });
  await story.sync();
  // This puts the person into messages of a held source, and of a row that appears twice.
  story.have({ people: [person('E1'), person(KEY.toLowerCase(), renamed)] });
  expect((await story.sync()).json.guards).toHaveLength(1);
  story.have({ people: [person('E1'), person(KEY, renamed), person(KEY, { ...renamed, office: 'Bergen' })] });
  expect((await story.sync()).json.held).toHaveLength(1);
  await story.plan();
  story.clock.advance(HOUR);
  const leave = () =>
    story.have({
      people: [person('E1'), person(KEY, { ...renamed, status: 'left' })],
      deals: [{ id: 'P1', customer: 'C1', name: 'Dam', owners: ['e1@example.com'] }],
      bids: [],
    });
  const identifiers = [KEY, OLD, NEW, SCIM_ID, 'Quimby', 'Smythe', '9001 2233', '9001 8812', id, cv];
  return { story, idp, others, leave, id, cv, identifiers };
}

test('leaves no identifier that a person ever had in any table, mark or file', async () => {
  const { story, idp, others, leave, id, cv, identifiers } = await openHistory();
  const before = findBytes(story, identifiers);
  expect(new Set(Object.values(before).flat())).toEqual(new Set(identifiers));
  leave();
  await story.sync({ full: true });
  idp.accounts = [others];
  story.have({ people: [person('E1')], certificates: [], staffing: [] });
  await story.sync();

  const { code, stdout } = await story.type('audit', 'erase', KEY, '--reason', 'request 7', '--yes', '--json');
  expect([code, JSON.parse(stdout).left]).toEqual([0, []]);
  expect(findBytes(story, identifiers)).toEqual({});
  expect([id, cv].every((one) => one.length > 10)).toBe(true);
  expect((await story.verify()).json.ok).toBe(true);
  // The others are unchanged: the run writes nothing, and reads the sources completely.
  story.clock.advance(HOUR);
  story.takeWrites();
  const next = await story.sync();
  expect([next.json.failed, story.takeWrites()]).toEqual([[], []]);
});

async function ask(story: Story, who: string): Promise<{ readonly in_service: string; readonly not_asked?: object }> {
  const { code, stdout } = await story.type('audit', 'erase', who, '--reason', 'request 7', '--json');
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

sweep('asks the service for the state of the account, instead of the mirror', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person(KEY)]);
  await story.sync();
  expect(await ask(story, KEY)).toMatchObject({ in_service: 'active' });
  story.deliver([person('E1'), person(KEY, { status: 'left' })]);
  await story.sync();
  expect(await ask(story, KEY)).toMatchObject({ in_service: 'deactivated' });
  // The mirror still has the account: no run has read since.
  const { id } = await idsOf(story, KEY);
  await story.others('DELETE', `/api/v1/users/${id}`);
  expect(await ask(story, KEY)).toMatchObject({ in_service: 'no' });
  const text = (await story.type('audit', 'erase', KEY, '--reason', 'request 7')).stdout;
  expect(text).not.toContain('still in the service');
});

sweep('erases a person without waiting for a service that does not answer, and says so', async () => {
  const story = await openStory();
  story.deliver([person('E1'), person(KEY, { email: OLD })]);
  await story.sync();
  await story.sandbox.close();
  expect(await ask(story, KEY)).toMatchObject({
    in_service: 'unknown',
    not_asked: { code: expect.stringMatching(/^SYNC_/), message: expect.any(String) },
  });
  const { code, stdout } = await story.type('audit', 'erase', KEY, '--reason', 'request 7', '--yes');
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(
      /The service could not be read \(SYNC_\w+\): [^\n]*[^.]\. Check there if the account still exists\.\n/,
    ),
  ]);
  expect(findBytes(story, [KEY, OLD])).toEqual({});
});
