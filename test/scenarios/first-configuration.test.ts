import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderHrFile } from '../../src/cli/demo/hr-file.js';
import { buildPeople } from '../../src/cli/demo/people.js';
import { oneIn, sweep } from '../depth.js';

import { allowOffices } from './allow-offices.js';
import { openStory } from './kit.js';

/** Like a real drop: more columns than any mapping uses, a fixed-term contract, telephone numbers. */
const EMPLOYEES = `employee_id,first_name,last_name,display_name,email,country,department,unit,job_title,mobile,birth_date,start_date,end_date,homepage
A000127,Maria,Berg,Maria Berg,maria.berg@example.com,no,Oslo,North,Lead,222-224-3441,1958-10-13,2025-01-03,2031-01-03,https://example.com/maria
B000367,Amir,Holm,Amir Holm,amir.holm@example.com,no,Bodø,South,Lead,,1960-05-25,2025-01-03,2031-01-03,https://example.com/amir
C000033,Siv,Sand,Siv Sand,siv.sand@example.com,se,Stockholm,South,Junior,222-224-5141,1941-09-08,2025-01-03,2031-01-03,
`;

/** Like an export of an older Windows system in Norway. */
const NORWEGIAN = `Ansattnr;Fornavn;Etternavn;E-post;Land;Kontorsted;Stillingstittel;Mobil;Status;Sluttdato
0017;Åse;Bø;ase.bo@example.com;NO;Oslo;Rådgiver;+47 22 00 00 17;aktiv;
0018;Per;Dahl;per.dahl@example.com;NO;Bergen;Rådgiver;;sluttet;31.01.2026
0019;Siv;Moe;siv.moe@example.com;NO;Bergen;Rådgiver;;aktiv;
`;

/** People in Norway and Sweden, one of whom has left. */
const DEMO = renderHrFile(buildPeople().filter(({ country }) => /^(?:no|se)$/i.test(country)));
const DEMO_PEOPLE = DEMO.trim().split('\n').length - 2;

describe('init', () => {
  test.each(
    oneIn(2, [
      ['a real drop', EMPLOYEES, 3, 1],
      ["the demo's drop", DEMO, DEMO_PEOPLE, null],
      ["an export in Norwegian, with Excel's encoding", Buffer.from(NORWEGIAN, 'latin1'), 2, 0],
    ]),
  )(
    'writes a configuration from %s that passes `check` and creates the people in `plan`',
    async (_, text, people, offices) => {
      const story = await openStory();
      const name = story.deliverText(text);
      const { code, json } = await story.init({ sample: [join(story.folder, 'drop/hr', name)] });
      expect([code, json.sources.map(({ source }) => source)]).toEqual([0, ['hr']]);
      expect(story.takeReads()).toEqual(['GET /api/v1/countries', 'GET /api/v2/users/search']);

      allowOffices(story);
      expect((await story.check()).json.checks.filter(({ ok }) => !ok)).toEqual([]);
      const plan = await story.plan();
      expect(plan.json.held).toEqual([]);
      expect(plan.code).toBe(0);
      expect(plan.json.counts.users?.create).toBe(people);
      if (offices !== null) expect(plan.json.counts.offices?.create ?? 0).toBe(offices);
      expect(story.takeWrites()).toEqual([]);
    },
  );

  test('writes a configuration that syncs, and whose second run has nothing to do', async () => {
    const story = await openStory();
    await story.init({ sample: [join(story.folder, 'drop/hr', story.deliverText(EMPLOYEES))] });
    allowOffices(story);
    expect(await story.sync()).toMatchObject({ code: 0, json: { done: 4 } });
    expect(story.user('A000127')).toMatchObject({ email: 'maria.berg@example.com', name: 'Maria Berg' });
    expect(story.offices()).toContain('no/Bodø');
    story.takeWrites();
    await story.sync();
    expect(story.takeWrites()).toEqual([]);
  });

  sweep('holds nobody for a cell that nothing uses', async () => {
    const story = await openStory();
    await story.init({ sample: [join(story.folder, 'drop/hr', story.deliverText(EMPLOYEES))] });
    allowOffices(story);
    story.deliverText(EMPLOYEES.replace('1958-10-13', '').replace('2031-01-03', 'open').replace(',North,', ',,'));
    const { json } = await story.plan();
    expect([json.held, json.counts.users?.create]).toEqual([[], 3]);
  });

  sweep('maps a file of the CRM next to it to customers', async () => {
    const story = await openStory();
    const drop = story.deliverText(EMPLOYEES);
    const companies = story.deliverCompanies([
      { id: 'C1', name: 'Fjord Power', size: 12 },
      { id: 'C2', name: 'Polar Rail' },
    ]);
    const { json } = await story.init({
      sample: [join(story.folder, 'drop/hr', drop), join(story.folder, 'drop/crm', companies)],
    });
    expect(json.sources.map(({ source }) => source)).toEqual(['hr', 'crm.companies']);
    allowOffices(story);
    expect((await story.check()).json.ok).toBe(true);
    expect((await story.plan()).json.counts).toEqual({
      offices: { create: 1 },
      users: { create: 3 },
      customers: { create: 2 },
    });
  });

  sweep('writes an example that loads without a sample, and keeps an existing file', async () => {
    const story = await openStory();
    await story.init();
    expect((await story.check()).json.checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(['source hr']);
    const before = readFileSync(story.configFile, 'utf8');
    expect(await story.init({ force: false })).toMatchObject({ code: 1, error: { code: 'SYNC_CLI_USAGE' } });
    expect(readFileSync(story.configFile, 'utf8')).toBe(before);
  });

  sweep('maps status, days, offices and titles of an export in Norwegian', async () => {
    const story = await openStory();
    await story.init({ sample: [join(story.folder, 'drop/hr', story.deliverText(NORWEGIAN))] });
    const text = readFileSync(story.configFile, 'utf8');
    expect(text).toContain('pattern: "employees-*.csv"');
    expect(text).toContain('    shrink: { percent: 20 } # ');
    expect(text).toContain('key: Ansattnr\n');
    expect(text).toContain('Sluttdato: { type: date, format: "dd.MM.yyyy", optional: true }');
    expect(text).toContain(
      `leaver: { when: 'record.Status.lower() == "sluttet" || (has(record.Sluttdato) && record.Sluttdato < today)' }`,
    );
    expect(text).toContain('office: { country: record.Land, name: record.Kontorsted, create_missing: true }');
    expect(text).toContain('title: { no: record.Stillingstittel }');
    expect(text).toContain('policy: upsert-only');
  });
});
