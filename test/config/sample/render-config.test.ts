import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import { loadConfig } from '../../../src/config/load.js';
import { checkSample, listFileSources } from '../../../src/config/sample/check-sample.js';
import { renderColumns } from '../../../src/config/sample/propose-source.js';
import { readSample, type Sample } from '../../../src/config/sample/read-sample.js';
import { type ProposedConfig, renderConfig } from '../../../src/config/sample/render-config.js';
import { matchesPattern } from '../../../src/connectors/drop/file-names.js';
import { closeAfterTest } from '../../closing.js';
import { tries } from '../../depth.js';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-sample-'));
  closeAfterTest({ close: () => rmSync(folder, { recursive: true, force: true }) });
  return folder;
}

/** Names that are hard for YAML, for expressions, or for both. */
const columnName = fc.oneof(
  fc.constantFrom('E-post', 'in', 'null', 'no', 'yes', '007', 'a: b', '# a', "it's", 'a"b', '{a}', '[a]', 'Fødselsår'),
  fc.constantFrom('email', 'first_name', 'Etternavn', 'status', 'end_date', 'office', 'Land', 'title', 'id', 'Mobil'),
  fc.string({ minLength: 1, maxLength: 12 }),
);
const cell = fc.oneof(
  fc.constantFrom('', 'x', 'ja', 'nei', '1', '007', '2026-01-31', '31.01.2026', '01/02/2026', 'a;b', 'a;c;b', '4.5'),
  fc.string(),
);
const table = fc
  .uniqueArray(columnName, { minLength: 1, maxLength: 8, selector: (name) => name.trim() })
  .chain((names) =>
    fc.record({
      names: fc.constant(names),
      rows: fc.array(fc.array(cell, { minLength: names.length, maxLength: names.length }), {
        minLength: 1,
        maxLength: 8,
      }),
    }),
  );

it('writes for any sample a configuration that loads and reads every row with a key', async () => {
  const folder = makeFolder();
  const at = join(folder, 'people.csv');
  const file = join(folder, 'talent-sync.yaml');
  let people = 0;
  const renderOrRefuse = (sample: Sample, at: string): ProposedConfig | null => {
    try {
      return renderConfig([sample], at, 'https://acme.example.com');
    } catch (error) {
      if (error instanceof SyncError && error.code === 'SYNC_SOURCE_FORMAT') return null;
      throw error;
    }
  };
  await fc.assert(
    fc.asyncProperty(table, async ({ names, rows }) => {
      writeFileSync(at, stringify([names, ...rows], { quoted: true, delimiter: ';' }));
      const sample = await readSample(at).catch((error: unknown) => {
        // No column could be declared, so an error that says so is correct.
        if (error instanceof SyncError && error.code !== 'SYNC_INTERNAL') return null;
        throw error;
      });
      if (sample === null) return;
      const proposed = renderOrRefuse(sample, folder);
      // Without addresses there are no people, so a message that says so is correct.
      if (proposed === null) return;
      const { text, sources } = proposed;
      const config = loadConfig(file, { TALENT_API_KEY: 'key' }, text);
      const [source] = listFileSources(config).filter(({ name }) => name === sources[0]?.name);
      if (source === undefined) throw new Error('the sample is no source');
      if (source.name === 'hr') people++;
      const { examples, columns, missing, error } = await checkSample(at, source, 'UTC');
      expect(error).toBeNull();
      expect(missing).toEqual([]);
      expect(examples.filter(({ code }) => code !== 'SYNC_ROW_KEY')).toEqual([]);
      expect(columns.filter(({ misfits }) => misfits > 0)).toEqual([]);
    }),
    // One is certainly a list of people.
    {
      numRuns: tries(60),
      examples: [[{ names: ['id', 'email', 'first_name'], rows: [['007', 'jo@example.com', 'Jo']] }]],
    },
  );
  expect(people).toBeGreaterThan(0);
});

describe('readSample', () => {
  it.each([
    [
      'a list under a name',
      'a.json',
      '{"paging":{"next":null},"data":{"rows":[{"id":"1"},{"id":"2"}]}}',
      '/data/rows',
      2,
    ],
    ['a list without a name', 'a.json', '[{"id":"1"}]', '', 1],
    ['one object per line', 'a.ndjson', '{"id":"1"}\n\n{"id":"2"}\nnonsense\n', '', 2],
  ])('finds the rows of %s', async (_, name, text, pointer, rows) => {
    const at = join(makeFolder(), name);
    writeFileSync(at, text);
    expect(await readSample(at)).toMatchObject({ rows, key: 'id', facts: { pointer } });
  });

  it.each([
    ['no list', 'a.json', '{"id":1}', 'SYNC_SOURCE_FORMAT'],
    ['no content', 'a.csv', '', 'SYNC_SOURCE_FORMAT'],
    ['rows that are not objects', 'a.ndjson', '1\n2\n', 'SYNC_SOURCE_FORMAT'],
    ['a header with a name twice', 'a.csv', 'id;id\n1;2\n', 'SYNC_SOURCE_HEADER'],
  ])('rejects a file with %s', async (_, name, text, code) => {
    const at = join(makeFolder(), name);
    writeFileSync(at, text);
    await expect(readSample(at)).rejects.toMatchObject({ code });
  });

  it.each([
    ['by its name', 'email;employee_id\na@example.com;1\nb@example.com;2\n', 'employee_id', false],
    [
      'by an address if the number is not unique',
      'email;employee_id\na@example.com;1\nb@example.com;1\n',
      'email',
      true,
    ],
    ['for a customer, by the ending of its name', 'name;customer_no\nA;1\nB;2\n', 'customer_no', false],
    ['even if nothing is unique', 'role;project_id\nLead;1\nLead;1\n', 'project_id', true],
  ])('finds the key %s', async (_, text, key, isGuess) => {
    const at = join(makeFolder(), 'a.csv');
    writeFileSync(at, text);
    const sample = await readSample(at);
    expect([sample.key, sample.keyNote !== null]).toEqual([key, isGuess]);
  });
});

/** The loaded configuration that `init` writes for these files, with each file read by its source. */
async function proposeFor(files: Readonly<Record<string, string | Buffer>>) {
  const folder = makeFolder();
  const samples = [];
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), content);
    samples.push(await readSample(join(folder, name)));
  }
  const { text } = renderConfig(samples, folder, 'https://acme.example.com');
  const config = loadConfig(join(folder, 'talent-sync.yaml'), { TALENT_API_KEY: 'key' }, text);
  const checks = await Promise.all(
    listFileSources(config).flatMap((source) => {
      const [name] = Object.keys(files).filter((one) => matchesPattern(one, source.config.pattern));
      return name === undefined ? [] : [checkSample(join(folder, name), source, 'UTC')];
    }),
  );
  return { text, config, rows: checks.map(({ rows, held, error }) => [rows, held, error]) };
}

const PEOPLE = 'employee_id;name;email\n1;Ann;a@example.com\n2;Bo;b@example.com\n';

describe('a proposal maps', () => {
  it('customers and projects, if files and columns have such names', async () => {
    const { config, text, rows } = await proposeFor({
      'people.csv': PEOPLE,
      'companies.json':
        '{"results":[{"id":"c1","name":"Acme","website":null},{"id":"c2","name":"B","website":"b.no"}]}',
      'deals.csv': 'deal_id;name;customer_id\n1;Rail;c1\n2;Road;c1\n',
    });
    expect(config.streamMappings.customers?.from).toEqual(['crm.companies']);
    expect(config.streamMappings.projects?.from).toEqual(['crm.deals']);
    expect(text).toContain('customer_url: record.?website');
    // The values of both files show it, so it is not a guess.
    expect(text).toContain('customer: record.customer_id\n');
    expect(rows).toEqual([
      [2, 0, null],
      [2, 0, null],
      [2, 0, null],
    ]);
  });

  it('people of projects by any key, and declares only columns that are read', async () => {
    const { config, text } = await proposeFor({
      'people.csv': PEOPLE,
      'companies.csv': 'id;name;town\nC1;Acme;Oslo\nC2;B;Bergen\n',
      'deals.csv': "deal_id;name;customer_id;it's late\nP1;Rail;C1;2026-01-31\nP2;Road;C1;2026-02-28\n",
      'team.csv': 'deal;person;share\nP1;a@example.com;50\nP1;b@example.com;50\nP2;a@example.com;100\n',
      'towns.csv': 'town;people\nOslo;7\nBergen;9\n',
    });
    expect(config.streamMappings.staffing?.from).toEqual(['crm.team']);
    expect(text).not.toContain('key: deal #');
    const declared = Object.values(listFileSources(config)).map(({ config: { columns } }) => Object.keys(columns));
    expect(declared).toEqual([
      ['employee_id', 'name', 'email'],
      ['id', 'name'],
      ['deal_id', 'name', 'customer_id'],
      ['deal', 'person'],
      ['town', 'people'],
    ]);
    expect(text).toContain(`# not used: "it's late"\n`);
  });

  it.each([
    ['without a name', 'companies.csv', 'id;town\n1;Oslo\n2;Bergen\n'],
    ['whose key is not unique', 'companies.csv', 'id;name\n1;A\n1;B\n'],
    ['with another name', 'offices.csv', 'id;name\n1;A\n2;B\n'],
    ['for projects without their customer', 'projects.csv', 'id;name\n1;A\n2;B\n'],
  ])('nothing for rows %s', async (_, name, content) => {
    const { config } = await proposeFor({ 'people.csv': PEOPLE, [name]: content });
    expect(Object.keys(config.streamMappings)).toEqual([]);
  });

  it.each([
    ['a JSON document', 'people.json', '[{"id":"1","name":"Ann","email":"a@example.com"}]', undefined],
    ['a list in a JSON document', 'people.json', '{"data":[{"id":"1","name":"Ann","email":"a@example.com"}]}', '/data'],
    [
      'nested objects',
      'people.json',
      '[{"id":"1","name":"Ann","email":"a@example.com","office":{"name":"Oslo"}}]',
      undefined,
    ],
    ['lines of JSON', 'people.ndjson', '{"id":"1","name":"Ann","email":"a@example.com"}\n', undefined],
  ])('people from %s', async (_, name, content, pointer) => {
    const { config, text, rows } = await proposeFor({ [name]: content });
    expect(config.sources.hr).toMatchObject({ type: 'json', key: 'id', rows: pointer ?? '' });
    expect(text).toContain('existence: hr');
    expect(rows).toEqual([[1, 0, null]]);
  });
});

it.each([
  ['a byte order mark', `\uFEFF${PEOPLE}`],
  ["Excel's separator line", `sep=;\r\n${PEOPLE.replaceAll('\n', '\r\n')}`],
  ['windows-1252', iconv.encode(PEOPLE.replace('Ann', 'Åse–Ann'), 'windows-1252')],
  ['tabs', PEOPLE.replaceAll(';', '\t')],
])('proposes and reads a sample with %s unchanged', async (_, content) => {
  const { config, rows } = await proposeFor({ 'people.csv': content });
  expect(rows).toEqual([[2, 0, null]]);
  expect(config.sources.hr).toMatchObject({ key: 'employee_id' });
});

describe('objects in the rows of JSON', () => {
  const PEOPLE = [
    {
      id: '17',
      manager: { email: 'boss@example.com' },
      person: { name: { first: 'Åse', last: 'Bø' }, contact: { email: 'ase.bo@example.com' }, tags: ['a'] },
      office: { country: 'NO', name: 'Oslo' },
      office_name: 'HQ',
    },
    {
      id: '18',
      manager: null,
      person: { name: { first: 'Per', last: 'Dahl' }, contact: { email: 'per.dahl@example.com' }, tags: [] },
      office: { country: 'NO', name: 'Bergen' },
      office_name: 'West',
    },
  ];

  it('become columns of their own, including lists of texts', async () => {
    const folder = makeFolder();
    const at = join(folder, 'people.json');
    writeFileSync(at, JSON.stringify(PEOPLE));
    const sample = await readSample(at);
    const { text } = renderConfig([sample], folder, 'https://acme.example.com');
    expect(text).toContain('person_contact_email: { type: string, from: "/person/contact/email" }');
    expect(text).toContain('email: record.person_contact_email.lowerAscii()');
    expect(text).toContain('record.person_name_first + " " + record.person_name_last');
    // A column of the row itself has this name.
    const all = renderColumns(sample, []).join('\n');
    expect(all).toContain('manager_email: { type: string, from: "/manager/email", optional: true }');
    expect(all).toContain('office_name_2: { type: string, from: "/office/name" }');
    expect(all).toContain('person_tags: { type: list, from: "/person/tags" }');
    expect(text).not.toMatch(/^ +(?:person|manager): |: map/m);
    const file = join(folder, 'talent-sync.yaml');
    writeFileSync(file, text);
    const [source] = listFileSources(loadConfig(file, null));
    if (source === undefined) throw new Error('no source was proposed');
    expect(await checkSample(at, source, 'UTC')).toMatchObject({ rows: 2, held: 0, missing: [], error: null });
  });
});
