import { expect, it } from 'vitest';
import { readProblems, SAMPLE } from '../../config/sample.js';
import { oneIn, sweep } from '../../depth.js';
import { startTime } from '../crm/vendor.js';
import { write, writeAll } from '../writing.js';
import { WORKDAY_CLIENT, type WorkdayOptions } from './imitations/workday.js';
import { openPeople, readOrFail } from './open-vendor.js';
import { colleague, openWorkday } from './systems.js';

const HOUR = 3_600_000;

async function open(rest?: string, options: WorkdayOptions = {}, count = 3) {
  const time = startTime();
  const system = await openWorkday(() => time.now, options);
  for (let number = 1; number <= count; number++) system.hire(colleague(number));
  const env = { ...system.env, ISU_PASSWORD: WORKDAY_CLIENT.password };
  const people = openPeople(system.workday, time, { ...system, rest: rest ?? system.rest, env });
  return { ...system, time, people };
}

it('reads a report whose fields are named like the columns', async () => {
  const opened = await open();
  opened.edit('p00002', { manager: 'p00001', end: '2026-06-30' });
  opened.suspend('p00003');
  const { cells, asked } = await opened.people.read();
  expect(cells.get('p00002')).toMatchObject({ manager_id: 'p00001', status: 'Active', active: true });
  expect(cells.get('p00003')).toMatchObject({ status: 'On Leave', active: false });
  expect(asked).toEqual(['POST /ccx/oauth2/acme/token', `GET ${opened.path}`]);
});

it('reads a date with a time zone as that date', async () => {
  const { people } = await open(undefined, { zone: '-08:00' });
  expect((await people.read()).cells.get('p00001')).toMatchObject({ start_date: new Date('2020-02-29T23:00:00Z') });
});

sweep('accepts the log-in of an integration system user instead', async () => {
  const { people } = await open(
    `auth: { basic: { username: ${WORKDAY_CLIENT.user}, password: { env: ISU_PASSWORD } } }`,
  );
  const read = await people.read();
  expect([read.cells.size, read.asked.length]).toEqual([3, 1]);
});

sweep('gets a new token with the same refresh token after one expires', async () => {
  const { people, workday, time } = await open();
  await people.read();
  workday.endTokens();
  expect((await people.read()).cells.size).toBe(3);
  time.now += 2 * HOUR;
  expect((await people.read()).cells.size).toBe(3);
  expect(workday.requests.filter(({ path }) => path.endsWith('/token'))).toHaveLength(3);
});

it('reports a withdrawn refresh token as a failed log-in', async () => {
  const { people, env } = await open(
    'auth: { client_id: imitated-client, client_secret: { env: HR_SECRET }, refresh_token: other-token, tenant: acme }',
  );
  const read = await readOrFail(people);
  expect(read).toMatchObject({ code: 'SYNC_SOURCE_DENIED', message: expect.stringContaining('invalid_grant') });
  expect(JSON.stringify(read)).not.toContain(env.HR_SECRET);
});

it('reads a field that is missing from the report or hidden from its user as absent', async () => {
  const { people, workday } = await open();
  workday.unseen.add('end_date').add('email');
  const { cells, rejected } = await people.read();
  expect([cells.size, rejected]).toEqual([3, []]);
  expect(cells.get('p00001')).not.toHaveProperty('email');
});

const COUNTS = oneIn(1, [100, 1_000]);
it.each(COUNTS)('reads all %i workers every time, although others page by this number', async (count) => {
  const opened = await open(undefined, {}, count);
  for (const title of ['Adviser', 'Manager']) {
    opened.edit('p00001', { title });
    const { because, cells } = await opened.people.read();
    expect([cells.size, because]).toEqual([count, expect.stringContaining('the permissions of its user')]);
  }
});

sweep('reads 20,000 workers in one request, and hands them over in parts', async () => {
  const { people } = await open(undefined, {}, 20_000);
  let [rows, largest] = [0, 0];
  const evidence = await people.connector.read(({ records }) => {
    rows += records.length;
    largest = Math.max(largest, records.length);
  });
  expect([rows, evidence.rows]).toEqual([20_000, 20_000]);
  expect(largest).toBeLessThanOrEqual(2_000);
});

it.each([
  ['incremental: { full_every: 12h }', 'this vendor does not provide changes'],
  ['filter: x', 'the lists of this vendor support no filter'],
])('rejects %s', async (key, message) => {
  const source = `hr2: { type: hris, preset: workday, base_url: "https://wd3-services1.workday.com/ccx/service/customreport2/acme/u/r", auth: { bearer: { env: IDP_TOKEN } }, ${key} }`;
  const [problem] = readProblems(SAMPLE.replace('\nusers:', `\n  ${source}\nusers:`));
  expect(problem?.message).toBe(message);
});

it('writes no values to a report', async () => {
  const { people } = await open();
  const { say } = await writeAll(people.writer, [write('p00001', { phone: '+47 1' })]);
  expect(say('p00001')).toBe('`phone` cannot be written: a Workday report accepts no values.');
});
