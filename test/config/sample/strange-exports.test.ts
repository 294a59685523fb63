import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import type { SyncError } from '../../../src/base/errors.js';
import { loadConfig } from '../../../src/config/load.js';
import { type Answers, NO_ANSWERS } from '../../../src/config/sample/answers.js';
import { settleDates } from '../../../src/config/sample/day-order.js';
import { renderColumns } from '../../../src/config/sample/propose-source.js';
import { readSample } from '../../../src/config/sample/read-sample.js';
import { type ProposedConfig, renderConfig } from '../../../src/config/sample/render-config.js';
import { closeAfterTest } from '../../closing.js';
import { oneIn } from '../../depth.js';

/** File name → content. */
type Files = Readonly<Record<string, string | Buffer>>;

async function propose(files: Files, answers: Partial<Answers> = {}): Promise<ProposedConfig> {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-strange-'));
  closeAfterTest({ close: () => rmSync(folder, { recursive: true, force: true }) });
  const samples = [];
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), content);
    samples.push(await readSample(join(folder, name)));
  }
  const proposed = renderConfig(samples, folder, 'https://acme.example.com', { ...NO_ANSWERS, ...answers });
  expect(() => loadConfig(join(folder, 'talent-sync.yaml'), { TALENT_API_KEY: 'key' }, proposed.text)).not.toThrow();
  const declared = samples.flatMap((sample) => renderColumns(settleDates(sample, answers.dates ?? null), []));
  return { ...proposed, text: `${proposed.text}${declared.join('\n')}\n` };
}

const PEOPLE = { id: 1, mail: 'ann@example.com', name: 'Ann Berg' };
const service = {
  people: [],
  countries: ['de'],
  offices: ['Koeln', 'Wien', 'A', 'B', 'C', 'D', 'E'].map((name) => ({ country: 'de', name })),
};

describe('the configuration has', () => {
  const CASES: readonly [string, Files, readonly string[], Partial<Answers>?][] = [
    [
      'the words of a file in windows-1250',
      {
        'a.csv': iconv.encode(
          'Nr pracownika;Imię;Nazwisko;Adres e-mail służbowy\n1;Paweł;Żak;p@example.pl\n',
          'windows-1250',
        ),
      },
      ['encoding: windows-1250 # GUESS', `name: 'record["Imię"] + " " + record.Nazwisko'`],
    ],
    [
      'the words of a file in windows-1252, with signs next to letters',
      {
        'a.csv': iconv.encode(
          'Matricule;Prénom;Nom;Mél;N° de poste\n1;Zoé;Lefèvre®;z@example.fr;¿qué?\n',
          'windows-1252',
        ),
      },
      ['encoding: windows-1252', '"Prénom": string'],
    ],
    [
      'the words of a file from DOS',
      { 'a.csv': iconv.encode('Nr;Name;Mail;Büro\n1;Jörg Groß;j@example.de;Köln\n', 'cp850') },
      ['encoding: cp850', 'name: \'record["Büro"]\''],
    ],
    [
      'the words of a file from an old Mac',
      { 'a.csv': iconv.encode('Matricule;Prénom;Nom;Mail\n1;Zoé;Réau;z@example.fr\n', 'macroman') },
      ['encoding: macroman', '"Prénom": string'],
    ],
    [
      'the address as key, if several companies use the same numbers',
      {
        'a.csv':
          'Mandant;Personalnummer;Name;E-Mail\n100;17;Ann Berg;a@example.de\n200;17;Bo Lie;b@example.de\n100;18;Cy Fox;c@example.de\n',
      },
      ['key: E-Mail\n', '  match: [email]', '# external_unique_id: '],
    ],
    ...[
      ['an address of a test', 'test.user@example.com,Tess Tuser,Lead', 'record.Email.lowerAscii().matches('],
      ['a name of a room', 'oslo3@example.com,Meeting room 3,Lead', '(record["Full Name"]).matches('],
      ['no title', 'gina@example.com,Gina Gold,', 'record.?JobTitle.orValue("") == ""'],
      ['another company', 'gina@other.example,Gina Gold,Lead', '!record.Email.lowerAscii().endsWith("@example.com")'],
    ].map(([what, row, condition]): [string, Files, readonly string[]] => [
      `a question about a row with ${what}`,
      {
        'a.csv': [
          `Employee ID,Email,Full Name,JobTitle\n99,${row}`,
          ...Array.from({ length: 12 }, (_, at) => `${at},p${at}@example.com,Ann Ber${'bcdefghklmnp'[at]},Adviser`),
        ].join('\n'),
      },
      [`  doubtful: '${condition}`, '# To answer: is this row a colleague ('],
    ]),
    [
      'no private address, and a question instead',
      {
        'a.csv':
          'Employee ID,Full Name,Job,Private Email\n17,Ann Berg,Adviser,x@example.com\n18,Bo Lie,Adviser,y@example.com\n19,Cy Fox,Adviser,x@example.com\n',
      },
      ['  match: [external_unique_id]', '# email: no column clearly contains the addresses of people'],
    ],
    [
      'people who have given notice at work until their last day',
      {
        'a.csv':
          'id,name,mail,Status,Last Working Day\n17,A B,a@example.com,Active,\n18,C D,c@example.com,Resigned,2999-12-31\n19,E F,e@example.com,Resigned,2024-08-31\n20,G H,g@example.com,Active,\n21,I J,i@example.com,Resigned,2089-12-31\n22,K L,k@example.com,Active,\n23,M N,m@example.com,Active,\n',
      },
      [
        `record.Status.lower() == "resigned" && !(has(record["Last Working Day"]) && record["Last Working Day"] >= today)`,
      ],
    ],
    [
      'an inverted flag',
      {
        'a.csv':
          'id,name,mail,Not active\n17,A B,a@example.com,No\n18,C D,c@example.com,Yes\n19,E F,e@example.com,No\n',
      },
      [`leaver: { when: 'record["Not active"]' }`],
    ],
    [
      'a question about an unreadable last day',
      { 'a.csv': 'id,name,mail,Leaving Date\n17,A B,a@example.com,\n18,C D,c@example.com,45443\n' },
      ['leaver: unknown # To answer: is "Leaving Date" the last day of work?'],
    ],
    [
      'the prefix of a Dutch name',
      {
        'a.csv':
          'Nr;Roepnaam;Tussenvoegsel;Achternaam;E-mail;Mobiel nummer\n1;Jan;van der;Berg;j@example.nl;06-12345678\n2;An;;Vos;a@example.nl;06-87654321\n',
      },
      [
        `name: '[record.Roepnaam, record.?Tussenvoegsel.orValue(""), record.Achternaam].filter(n, n != "").join(" ")'`,
        `telephone: 'record["Mobiel nummer"]'`,
      ],
    ],
    [
      'a mark at names whose order only the header shows',
      { 'a.csv': 'Matricola;Cognome e nome;Mail\n1;Rossi Mario;m@example.it\n' },
      [`name: 'record["Cognome e nome"]' # GUESS: the last name may be first, as in "Rossi Mario"`],
    ],
    [
      'dates as another column of the file shows them, with one digit and two',
      { 'a.csv': 'id;name;mail;Start;Left on;born\n1;A B;a@example.com;1/2/2019;03/04/2026;31/12/1980\n' },
      [
        'Start: { type: date, format: "d/M/yyyy" }\n',
        '"Left on": { type: date, format: "d/M/yyyy" }\n',
        'born: { type: date, format: "d/M/yyyy" }\n',
      ],
    ],
    [
      'a text for an unused date that can be read in two ways',
      { 'a.csv': 'id,name,mail,Changed\n1,A B,a@example.com,03/04/2019\n' },
      ['Changed: string # dates, dd/MM/yyyy or MM/dd/yyyy: no day above 12 shows which'],
    ],
    [
      'dates as answered',
      { 'a.csv': 'id,name,mail,Hire Date\n1,A B,a@example.com,03/04/2019\n' },
      ['"Hire Date": { type: date, format: "MM/dd/yyyy" }\n'],
      { dates: 'month' },
    ],
    [
      'a map for two letters that are not a code',
      { 'a.csv': 'id,name,mail,Country,Office\n1,A B,a@example.com,UK,Leeds\n' },
      ['"UK": "gb"'],
    ],
    [
      'a text with a mark for dates whose years have two digits',
      { 'a.csv': 'id,name,mail,Hire Date\n1,A B,a@example.com,18.03.19\n' },
      [
        '"Hire Date": string # GUESS: not a date: `18.03.19` does not show the century; export years with four digits\n',
      ],
    ],
    ...[
      ['its title', 'Mitarbeiter, Stand 20.11.2026;;;\n;;;\n'],
      ['two lines about it', 'Employee report\nGenerated;2026-11-20\n\n'],
      ['a title of two lines', '"Employees,\nall countries"\r\n\r\n'],
    ].map(([what, above]): [string, Files, readonly string[]] => [
      `the columns of a report below ${what}`,
      { 'a.csv': `${above}Nr;Name;E-Mail;Standort\n1;A B;a@example.com;Berlin\n` },
      ['separator: ";"', 'key: Nr', 'E-Mail: string\n', 'Standort: string\n'],
    ]),
    [
      'the columns of the first row, if others have no name',
      { 'a.csv': 'id;mail;;;;\n1;a@example.com;x;y;z;1\n' },
      ['key: id', 'mail: string\n'],
    ],
    [
      'the country of the addresses as a comment',
      { 'a.csv': 'id,name,mail,Office\n1,A B,a@example.co.uk,Head House\n' },
      [`# office: { country: '"gb"', name: record.Office } # GUESS: no column has the country`],
    ],
    [
      'a flag that says who is there',
      {
        'a.csv':
          'id,name,mail,Account enabled\n1,A B,a@example.com,true\n2,C D,c@example.com,true\n3,E F,e@example.com,false\n',
      },
      [`when: '!record["Account enabled"]'`],
    ],
    [
      'offices as the service spells them, and few of those that it has',
      { 'a.csv': 'id,name,mail,Office\n1,A B,a@example.com,Köln\n2,C D,c@example.com,Graz\n' },
      [
        '"Köln": "Koeln" # as the account spells it',
        '"Graz": "Graz" # GUESS: a new office; if it is one of Koeln, Wien, A, B, C, D and 1 others, write that name',
      ],
      { service },
    ],
    [
      'the inner values of JSON objects, by their last names',
      {
        'a.json': JSON.stringify([
          {
            id: 'p1',
            attributes: {
              personal: { firstName: 'Ana', lastName: 'Luz' },
              work: { email: 'a@example.com', site: { name: 'Porto' } },
              tags: ['x', 'y'],
            },
            manager: { email: 'm@example.com' },
          },
        ]),
      },
      [
        'email: record.attributes_work_email',
        `name: 'record.attributes_personal_firstName + " " + record.attributes_personal_lastName'`,
        'name: record.attributes_work_site_name',
        'attributes_tags: { type: list, from: "/attributes/tags" }',
      ],
    ],
    [
      'one column for an object whose names are ids',
      {
        'a.json': JSON.stringify(
          Array.from({ length: 40 }, (_, at) => ({
            ...PEOPLE,
            id: String(at),
            more: { roles: { [`r${at}`]: { level: at } } },
          })),
        ),
      },
      ['more_roles: { type: map, from: "/more/roles" } # an object whose names look like ids'],
    ],
    [
      'customers and projects of HubSpot in German',
      {
        'unternehmen.csv':
          '"Datensatz-ID","Name des Unternehmens","Domainname des Unternehmens","Zuständiger Mitarbeiter"\n"91","Nord AG","nord.de","K"\n"92","Süd AG","sued.de","K"\n',
        'deals.csv':
          '"Datensatz-ID","Dealname","Deal-Phase","Zugehörige Unternehmen-IDs"\n"51","ERP","Gewonnen","91"\n"52","Lager","Verloren","92"\n',
      },
      [
        `customer: 'record["Zugehörige Unternehmen-IDs"]'`,
        'customer_name: { de: \'record["Name des Unternehmens"]\' }',
        'project_name: { de: record.Dealname }',
        'Datensatz-ID: string',
      ],
    ],
    [
      'customers and projects of Dynamics in German',
      {
        'Aktive Firmen.csv':
          '(Nicht ändern) Firma,(Nicht ändern) Prüfsumme der Zeile,Firmenname\nf1,x,Nord AG\nf2,y,Süd AG\n',
        'Verkaufschancen.csv':
          '(Nicht ändern) Verkaufschance,Thema,Potenzieller Kunde,Statusgrund\nv1,ERP,Nord AG,Offen\nv2,Lager,Süd AG,Offen\n',
      },
      [
        `customer: 'record["Potenzieller Kunde"]'`,
        'customer_name: { de: record.Firmenname }',
        'project_name: { de: record.Thema }',
      ],
    ],
    [
      'customers and projects of Pipedrive and Salesforce in German',
      {
        'organisationen.csv': 'Organisation - Name,Organisation - ID,Organisation - Besitzer\nNord,11,T\nSüd,12,T\n',
        'opportunities.csv':
          'Opportunity-ID;Opportunity-Name;Accountname;Phase;Schlusstermin\no1;ERP;Nord;Gewonnen;30.06.2026\no2;Lager;Süd;Offen;31.12.2026\n',
      },
      [
        'customer: record.Accountname',
        `customer_name: { de: 'record["Organisation - Name"]' }`,
        `project_name: { de: 'record["Opportunity-Name"]' }`,
      ],
    ],
  ];
  it.each(oneIn(1 / 2, CASES))('%s', async (_, files, lines, answers) => {
    const { text } = await propose(files, answers);
    for (const line of lines) expect(text).toContain(line);
  });
});

it.each<[string, Files, readonly string[]]>([
  [
    'the order of day and month',
    { 'a.csv': 'id,name,mail,Hire Date,Country\n1,A B,a@example.com,03/04/2019,de\n' },
    ['--dates day'],
  ],
  [
    'the order of day and month, with the likely one in America',
    { 'a.csv': 'id,name,mail,Hire Date,Country\n1,A B,a@example.com,03/04/2019,us\n' },
    ['--dates month'],
  ],
  [
    'the language of a CRM without people',
    { 'companies.csv': 'Company ID,Company name,Website\n1,Acme,acme.example\n2,Nord,nord.example\n' },
    ['--language en'],
  ],
])('asks for %s', async (_, files, open) => {
  const proposed = await propose(files);
  expect(proposed.open.map(({ flag, otherwise }) => `${flag} ${otherwise}`)).toEqual(expect.arrayContaining([...open]));
  expect(proposed.text).toMatch(/GUESS|To answer/);
});

it.each<[string, Files, string]>([
  [
    'has only the addresses of leaders',
    { 'a.csv': 'Employee ID,Full Name,Team Leader Email\n17,Ann Berg,x@example.com\n18,Bo Lie,x@example.com\n' },
    'No column of a.csv has e-mail addresses',
  ],
  ['has no rows', { 'a.csv': 'Employee ID,Email,Name\n' }, 'a.csv has a header but no rows'],
  ['is a workbook of the old kind', { 'a.csv': Buffer.from('d0cf11e0a1b11ae1', 'hex') }, 'an old Excel workbook'],
  ['is a PDF', { 'a.csv': '%PDF-1.4\n' }, 'a PDF document'],
  ['is an HTML page', { 'a.csv': '\ufeff\n<html><table><tr><td>Email</td></tr></table></html>' }, 'a page of HTML'],
  [
    'is not text',
    { 'a.csv': Buffer.from([0x41, 0x01, 0x02, 0xff, 0x81]) },
    'neither UTF-8 nor text in any of windows-1252',
  ],
  [
    'has projects and none of their customers',
    { 'deals.csv': 'Deal ID,Deal name,Deal stage\n1,ERP,Won\n2,Portal,Lost\n' },
    'was recognised as people, customers',
  ],
])('rejects a file that %s', async (_, files, message) => {
  const error = await propose(files).then(
    () => null,
    (thrown: SyncError) => thrown,
  );
  expect(error?.message).toContain(message);
  expect(error?.remedy).not.toBe('');
});
