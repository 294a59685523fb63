import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { findLookups } from '../../../../src/connectors/scim-protocol/find-lookups.js';
import { compileFilter } from '../../../../src/connectors/scim-protocol/match-filter.js';
import { parseFilter } from '../../../../src/connectors/scim-protocol/parse-filter.js';
import { USERS } from '../../../../src/connectors/scim-protocol/resource-type.js';
import { openDatabase } from '../../../../src/store/database.js';
import { openPushStore } from '../../../../src/store/state/open-push-store.js';
import { sweep, tries } from '../../../depth.js';
import { ROOT } from '../../../module-graph.js';
import { makeFolder } from '../../../samples.js';
import { type Desk, openDesk, USER } from './desk.js';

const AT = '2026-01-01T00:00:00.000Z';

/** Addresses that differ only in case, or fold in ways unknown to SQL. */
const ADDRESSES = [
  'a@x.no',
  'A@X.no',
  'ærlig@x.no',
  'ÆRLIG@x.no',
  'k@x.no',
  '\u212a@x.no',
  'İ@x.no',
  'ß@x.no',
  'b@x.no',
];
const address = fc.constantFrom(...ADDRESSES);
const email = fc.record(
  { value: address, type: fc.constantFrom('work', 'home', 'Work'), primary: fc.boolean() },
  { requiredKeys: ['value'] },
);
const emails = fc
  .array(email, { maxLength: 3 })
  .map((list) => list.map((one, n) => (n === 0 ? one : { ...one, primary: false })));
const comparison = address.chain((value) =>
  fc.constantFrom(
    `emails[type eq "work"].value eq ${JSON.stringify(value)}`,
    `emails[primary eq true].value eq ${JSON.stringify(value)}`,
    `emails[value eq ${JSON.stringify(value)}]`,
    `emails[type eq "home" and value eq ${JSON.stringify(value)}]`,
    `emails[type eq "home" or value eq ${JSON.stringify(value)}]`,
    `emails[not (value eq ${JSON.stringify(value)})]`,
    `EMAILS.Value Eq ${JSON.stringify(value)}`,
    `emails eq ${JSON.stringify(value)}`,
    `${USER}:emails.value eq ${JSON.stringify(value)}`,
    `emails.value ne ${JSON.stringify(value)}`,
    `emails[type ne "home"].value sw ${JSON.stringify(value.slice(0, 1))}`,
  ),
);
const filter = fc.oneof(
  comparison,
  fc.tuple(comparison, fc.constantFrom('and', 'or'), comparison).map((parts) => parts.join(' ')),
  comparison.map((one) => `${one} and active eq true`),
  comparison.map((one) => `not (${one})`),
);

async function expectSameAsScan({ call, store }: Desk, text: string): Promise<void> {
  const { json } = await call('POST', '/Users/.search', { filter: text, count: 500 });
  const isMatch = compileFilter(parseFilter(text), USERS);
  const scanned = store.after('idp', 'User', 0, 1_000).filter(({ attributes }) => isMatch(attributes));
  expect([text, json.Resources.map(({ id }) => id)]).toEqual([text, scanned.map(({ id }) => id)]);
}

describe('searches by e-mail address', () => {
  it('find the same people as a full scan, after posts, puts, patches and deletes', async () => {
    const desk = await openDesk();
    const { call, addUser, patch } = desk;
    let n = 0;
    const write = fc.oneof(
      emails.map((list) => async (): Promise<unknown> => addUser(`user${n++}`, { emails: list })),
      fc.tuple(fc.nat(), emails).map(([at, list]) => async () => {
        const { id, userName } = await pick(desk, at);
        return call('PUT', `/Users/${id}`, { userName, emails: list });
      }),
      fc.tuple(fc.nat(), address).map(([at, value]) => async () => {
        const { id } = await pick(desk, at);
        return patch(`/Users/${id}`, { op: 'replace', path: 'emails[type eq "work"].value', value });
      }),
      fc.nat().map((at) => async () => patch(`/Users/${(await pick(desk, at)).id}`, { op: 'remove', path: 'emails' })),
      fc.nat().map((at) => async () => call('DELETE', `/Users/${(await pick(desk, at)).id}`)),
    );
    await addUser('first', { emails: [{ value: 'a@x.no', type: 'work' }] });
    await fc.assert(
      fc.asyncProperty(
        fc.array(write, { maxLength: 6 }),
        fc.array(filter, { minLength: 4, maxLength: 8 }),
        async (writes, asked) => {
          for (const one of writes) await one();
          for (const text of asked) await expectSameAsScan(desk, text);
        },
      ),
      { numRuns: tries(40), seed: 14 },
    );
  });

  it.each([
    'emails[type eq "work"].value eq "user7@example.com"',
    'emails[primary eq true].value eq "USER7@example.com"',
    'emails[type eq "work" and value eq "user7@example.com"]',
    'emails.value eq "user7@example.com"',
    'emails eq "user7@example.com"',
    'active eq true and emails[type eq "work"].value eq "user7@example.com"',
    'userName eq "nobody" or emails[value eq "user7@example.com"]',
  ])('look up %s without scanning', async (text) => {
    expect(findLookups(parseFilter(text), USERS)).not.toBeNull();
    const { call, store, addUser } = await openDesk();
    for (let n = 0; n < 10; n++)
      await addUser(`u${n}`, { emails: [{ type: 'work', primary: true, value: `user${n}@example.com` }] });
    const scan = vi.spyOn(store, 'after');
    const { json } = await call('GET', `/Users?filter=${encodeURIComponent(text)}`);
    expect([json.Resources.map(({ userName }) => userName), scan.mock.calls]).toEqual([['u7'], []]);
  });

  sweep('among 12,000 people are about as fast as by userName', async () => {
    const { call, store } = await openDesk();
    store.transaction(() => {
      for (let n = 0; n < 12_000; n++) {
        const attributes = { userName: `u${n}`, active: true, emails: [{ type: 'work', value: `u${n}@example.com` }] };
        const row = { id: `id-${n}`, nameKey: `u${n}`, externalId: null, display: `u${n}`, created: AT, attributes };
        store.insert('idp', 'User', row);
      }
    });
    const timeOf = async (text: string): Promise<number> => {
      const startedMs = performance.now();
      for (let n = 0; n < 20; n++) {
        const { json } = await call('GET', `/Users?filter=${encodeURIComponent(text.replace('#', String(n * 599)))}`);
        expect(json.Resources.map(({ id }) => id)).toEqual([`id-${n * 599}`]);
      }
      return performance.now() - startedMs;
    };
    await timeOf('userName eq "u#"');
    const [byName, byEmail] = [
      await timeOf('userName eq "u#"'),
      await timeOf('emails[type eq "work"].value eq "u#@example.com"'),
    ];
    expect(byEmail).toBeLessThan(byName * 5 + 200);
  });

  it('find people pushed before the index existed', () => {
    const folder = makeFolder();
    const migrations = join(makeFolder(), 'migrations');
    cpSync(join(ROOT, 'migrations'), migrations, { recursive: true });
    const journal = join(migrations, 'state', 'meta', '_journal.json');
    const all = JSON.parse(readFileSync(journal, 'utf8')) as { entries: { tag: string }[] };
    const before = all.entries.slice(
      0,
      all.entries.findIndex(({ tag }) => tag.endsWith('_pushed_emails')),
    );
    writeFileSync(journal, JSON.stringify({ ...all, entries: before }));
    openDatabase(join(folder, 'state.db'), 'state', { lockedAt: AT, migrations }).sqlite.close();
    const old = new Database(join(folder, 'state.db'));
    const insert = old.prepare(
      `INSERT INTO pushed_resources (source, type, id, name_key, display, created, modified, version, body)
       VALUES ('idp', ?, ?, '', '', '${AT}', '${AT}', 1, ?)`,
    );
    const odd = [{ type: 'work' }, 'text', null];
    for (const [n, value] of ADDRESSES.entries())
      insert.run(
        'User',
        `p${n}`,
        JSON.stringify({ emails: [...(n === 0 ? odd : []), { value }, { value: 'both@x.no' }] }),
      );
    insert.run('User', 'none', '{"userName":"x"}');
    insert.run('Group', 'team', '{"emails":[{"value":"a@x.no"}]}');
    old.close();
    openDatabase(join(folder, 'state.db'), 'state', { lockedAt: AT }).sqlite.close();
    const { store, close } = openPushStore(folder);
    const find = (value: string) => store.find('idp', 'User', 'email', value.toLowerCase()).map(({ id }) => id);
    for (const [n, value] of ADDRESSES.entries()) expect([value, find(value).includes(`p${n}`)]).toEqual([value, true]);
    expect(find('both@x.no')).toHaveLength(ADDRESSES.length);
    expect(find('nobody@x.no')).toHaveLength(ADDRESSES.filter((one) => /[^ -~]/.test(one)).length);
    close();
  });
});

async function pick({ call }: Desk, at: number): Promise<{ id: string; userName: string }> {
  const { json } = await call('GET', '/Users?attributes=userName&count=500');
  const one = json.Resources[at % Math.max(1, json.Resources.length)];
  return { id: one?.id ?? 'none', userName: String(one?.userName) };
}
