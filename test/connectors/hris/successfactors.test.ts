import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { sweep } from '../../depth.js';
import { startTime } from '../crm/vendor.js';
import { write, writeAll } from '../writing.js';
import type { SuccessFactorsOptions } from './imitations/successfactors.js';
import { openPeople, readOrFail } from './open-vendor.js';
import { colleague, openSuccessFactors } from './systems.js';

const HOUR = 3_600_000;

async function open(more = '', options: SuccessFactorsOptions = {}, env: Readonly<Record<string, string>> = {}) {
  const time = startTime();
  const system = await openSuccessFactors(() => time.now, options);
  for (const number of [1, 2, 3]) system.hire(colleague(number, number === 1 ? {} : { manager: 'p00001' }));
  const opened = { ...system, rest: `${system.rest}${more}`, env: { ...system.env, ...env } };
  const people = openPeople(system.sf, time, opened);
  time.now += HOUR;
  return { ...system, time, people };
}

const lastList = ({ sf }: Awaited<ReturnType<typeof open>>) =>
  sf.requests.findLast(({ path }) => path.endsWith('/User'))?.query;

it('reads inactive people too, and the word for the id of a status', async () => {
  const opened = await open();
  opened.suspend('p00002');
  opened.edit('p00003', { end: '2025-12-31' });
  const { cells } = await opened.people.read();
  expect(cells.get('p00001')).toMatchObject({ status: 't', employment_status: 'A', person_id: 'P-p00001' });
  expect(cells.get('p00002')).toMatchObject({ status: 'f', employment_status: 'A', manager_id: 'p00001' });
  // The last day was yesterday.
  expect(cells.get('p00003')).toMatchObject({ employment_status: 'T', end_date: new Date('2025-12-30T23:00:00Z') });
});

it('replaces the default condition on the status by a configured one, and adds any other condition', async () => {
  const opened = await open(`, filter: "status in 't','e'"`);
  opened.suspend('p00002');
  expect([...(await opened.people.read()).cells.keys()]).toEqual(['p00001', 'p00003']);
  const other = await open(`, filter: "country eq 'SE'"`);
  other.edit('p00002', { country: 'SE' });
  other.suspend('p00002');
  expect([...(await other.people.read()).cells.keys()]).toEqual(['p00002']);
});

it('reads the first day of a future hire, but no job yet', async () => {
  const opened = await open();
  opened.hire(colleague(4, { start: '2026-03-02' }));
  const { cells } = await opened.people.read();
  expect(cells.get('p00004')).toMatchObject({ start_date: new Date('2026-03-01T23:00:00Z') });
  expect(cells.get('p00004')).not.toHaveProperty('employment_status');
});

it('finds a job entered long ago among the changes once it becomes effective', async () => {
  const opened = await open();
  opened.edit('p00002', { end: '2026-01-03' });
  opened.time.now += HOUR;
  opened.edit('p00001', {});
  expect((await opened.people.read()).cells.get('p00002')?.employment_status).toBe('A');
  for (let hours = 0; hours < 66; hours += 22) {
    opened.time.now += 22 * HOUR;
    opened.edit('p00001', {});
    await opened.people.read();
  }
  const asked = lastList(opened)?.get('$filter') ?? '';
  expect(asked).toContain('empInfo/jobInfoNav/startDate ge datetime');
  expect((await opened.people.read()).cells.get('p00002')?.employment_status).toBe('T');
});

it('delivers several employments of a person as separate rows, or as one if the key is the person', async () => {
  const both = async (more: string) => {
    const opened = await open(more);
    const employment = { ...opened.sf.users.get('p00002')?.employment, personId: 'P-p00001', startDate: '2024-01-01' };
    const before = opened.sf.users.get('p00002');
    if (before?.employment != null) opened.sf.put('p00002', { employment: { ...before.employment, ...employment } });
    return opened.people.read();
  };
  expect([...(await both('')).cells.keys()]).toEqual(['p00001', 'p00002', 'p00003']);
  const columns = 'columns: { person_id: { type: string, from: /empInfo/personIdExternal } }';
  const read = await both(`, key: person_id, prefer: record.?start_date, ${columns}`);
  expect([...read.cells].map(([key, { id }]) => [key, id])).toEqual(
    expect.arrayContaining([
      ['P-p00001', 'p00002'],
      ['P-p00003', 'p00003'],
    ]),
  );
});

it('omits fields that the API user may not see, but no people', async () => {
  const opened = await open();
  opened.sf.unseen.add('email').add('empInfo');
  const { cells, rejected } = await opened.people.read();
  expect([cells.size, rejected]).toEqual([3, []]);
  expect(cells.get('p00001')).not.toHaveProperty('email');
  expect(cells.get('p00001')).not.toHaveProperty('end_date');
});

it('explains a missing Employee Central with the keys to declare, which then work', async () => {
  const refused = await open('', { hasEmployeeCentral: false });
  const error = await refused.people.read().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'SYNC_SOURCE_UNREADABLE',
    message: expect.stringContaining('Invalid property names: User/empInfo'),
    remedy: expect.stringContaining('Without Employee Central'),
  });
  const from = (type: string, place: string) => `{ type: ${type}, from: ${place}, optional: true }`;
  const columns = `start_date: ${from('date', '/hireDate')}, end_date: ${from('date', '/custom01')}, employment_status: ${from('string', '/status')}, person_id: ${from('string', '/userId')}`;
  const opened = await open(`, columns: { ${columns} }`, { hasEmployeeCentral: false });
  expect((await opened.people.read()).cells.get('p00001')).toMatchObject({ employment_status: 't' });
});

it('gets a new token after a 403 for an expired one, and reuses one that the endpoint repeats', async () => {
  const opened = await open();
  await opened.people.read();
  const before = opened.sf.tokens.issued;
  opened.sf.endTokens();
  const read = await opened.people.read();
  expect([read.cells.size, opened.sf.tokens.issued - before]).toEqual([3, 1]);
  // The client has forgotten the token, but the endpoint still repeats it.
  opened.sf.failNext({ status: 403, body: { error: { code: 'TOKEN_INVALID', message: { value: '[LGN0007]' } } } });
  expect((await opened.people.read()).cells.size).toBe(3);
  expect(opened.sf.tokens.issued - before).toBe(1);
});

sweep('loses nobody when a token expires between two pages', async () => {
  const opened = await open('', { longestPage: 1 });
  let pages = 0;
  const third = Object.assign(/./, { test: (asked: string) => asked.endsWith('/User') && ++pages === 3 });
  opened.sf.failNext(
    { status: 403, body: { error: { code: 'TOKEN_INVALID', message: { value: '[LGN0007]Invalid OAuth token' } } } },
    third,
  );
  expect((await opened.people.read()).cells.size).toBe(3);
});

sweep('restarts the list after its page token expires', async () => {
  const opened = await open('', { longestPage: 1 });
  let pages = 0;
  const second = Object.assign(/./, { test: (asked: string) => asked.endsWith('/User') && ++pages === 2 });
  const error = { code: 'COE_BAD_REQUEST', message: { value: 'The $skiptoken is not valid any more.' } };
  opened.sf.failNext({ status: 400, body: { error } }, second);
  const read = await opened.people.read();
  expect([read.cells.size, read.asked.length]).toEqual([3, 1 + 2 + 3]);
});

it.each([
  ['another key', { HR_KEY: newKey() }, /401/],
  ['text instead of a key', { HR_KEY: 'secret words' }, /private key cannot be read/],
])('reports %s as a failed log-in, without quoting it', async (_, env, message) => {
  const read = await readOrFail((await open('', {}, env)).people);
  expect(read).toMatchObject({ code: 'SYNC_SOURCE_DENIED', message: expect.stringMatching(message) });
  expect(JSON.stringify(read)).not.toMatch(/BEGIN|secret words/);
});

function newKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
}

sweep('accepts a key in one line, as in a variable', async () => {
  const { sf } = await open();
  const opened = await open('', {}, { HR_KEY: sf.privateKey.trim().replaceAll('\n', '\\n') });
  expect((await opened.people.read()).cells.size).toBe(3);
});

it('writes fields of several users in one call, and reports an outcome for each', async () => {
  const opened = await open(', write_back: true, columns: { card: { type: string, from: /custom01, optional: true } }');
  const { statuses, say } = await writeAll(opened.people.writer, [
    write('p00001', { phone: '+47 1', card: 'https://cv' }),
    write('p00002', { title: 'x'.repeat(200) }),
    write("o'brien", { title: 'x' }),
  ]);
  expect(statuses).toEqual({ p00001: 'done', p00002: 'refused', "o'brien": 'refused' });
  expect([say('p00002'), say("o'brien")]).toEqual([
    'SuccessFactors rejected it: String length exceed the limit.',
    'SuccessFactors rejected it: Required property username is missing.',
  ]);
  expect(opened.sf.users.get('p00001')?.fields).toMatchObject({ businessPhone: '+47 1', custom01: 'https://cv' });
  expect(opened.sf.requests.filter(({ path }) => path.endsWith('/upsert'))).toHaveLength(1);
});

it.each([
  ['status', /sets `status` itself/],
  ['end_date', /belongs to an entity other than/],
])('does not write %s', async (column, why) => {
  const { people } = await open(', write_back: true');
  const { say } = await writeAll(people.writer, [write('p00001', { [column]: '2026-01-01' })]);
  expect(say('p00001')).toMatch(why);
});
