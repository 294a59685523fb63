import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { NO_ANSWERS } from '../../../src/config/sample/answers.js';
import { codeOfCountry } from '../../../src/config/sample/countries.js';
import { readSample, type Sample } from '../../../src/config/sample/read-sample.js';
import { renderConfig } from '../../../src/config/sample/render-config.js';
import { languageOfTitles } from '../../../src/config/sample/title-words.js';
import { splitHeader } from '../../../src/model/fold-words.js';
import { closeAfterTest } from '../../closing.js';

async function readText(text: string, name = 'export.csv'): Promise<Sample> {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-recognise-'));
  closeAfterTest({ close: () => rmSync(folder, { recursive: true, force: true }) });
  writeFileSync(join(folder, name), text);
  return readSample(join(folder, name));
}

const CELLS = [
  ['4711', 'Ann', 'Berg', 'ann.berg@example.com', 'Consultant', 'Bergen', '+47 22 00 00 01', '2019-01-07', ''],
  ['4712', 'Bo', 'Lund', 'bo.lund@example.com', 'Architect', 'Oslo', '+47 22 00 00 02', '2020-02-03', '2026-05-31'],
  ['4713', 'Cy', 'Dahl', 'cy.dahl@example.com', 'Analyst', 'Oslo', '+47 22 00 00 03', '2021-03-01', ''],
];
const MEANT = ['id', 'firstName', 'lastName', 'email', 'title', 'office', 'phone', 'startDate', 'endDate'] as const;

describe('recognising people by headers', () => {
  it.each(['Personnel No', 'Personnel No.', 'Staff No', 'PERSON_NR', 'Payroll no.', 'No'])(
    'takes "%s" for the number of a person',
    async (name) => {
      const header = [name, 'First name', 'Last name', 'E-mail'].join(';');
      const sample = await readText([header, ...CELLS.map((row) => row.slice(0, 4).join(';'))].join('\n'));
      expect(renderConfig([sample], '/var/lib', 'https://acme.example.com').text).toMatch(
        new RegExp(`key: "?${name}"?$`, 'm'),
      );
    },
  );

  it.each([
    [
      'English',
      'Worker ID|Preferred First Name|Legal Last Name|Work Email Address|Job Title|Office Location|Mobile Phone|Hire Date|Last Day of Work',
    ],
    [
      'German',
      'Personalnr.|Vorname|Familienname|E-Mail (dienstlich)|Stellenbezeichnung|Arbeitsort|Diensthandy|Eintritt|Austritt',
    ],
    [
      'Norwegian',
      'Ansattnr|Fornavn|Etternavn|E-postadresse (jobb)|Stillingsbetegnelse|Kontorsted|Mobil|Ansatt fra|Ansatt til',
    ],
    [
      'Swedish',
      'Anställningsnummer|Förnamn|Efternamn|E-post arbete|Befattning|Arbetsplats|Mobilnummer|Anställningsdatum|Slutdatum',
    ],
    [
      'Danish',
      'Medarbejdernr.|Fornavn|Efternavn|Arbejdsmail|Stilling|Arbejdssted|Mobilnummer|Ansættelsesdato|Fratrædelsesdato',
    ],
    [
      'Finnish',
      'Henkilönumero|Etunimi|Sukunimi|Sähköpostiosoite|Tehtävänimike|Toimipiste|Matkapuhelin|Aloituspäivä|Päättymispäivä',
    ],
    [
      'Dutch',
      'Personeelsnummer|Voornaam|Achternaam|E-mailadres werk|Functie|Vestiging|Mobiel|Datum in dienst|Datum uit dienst',
    ],
    [
      'French',
      'Matricule|Prénom|Nom|Adresse e-mail|Intitulé du poste|Lieu de travail|Téléphone portable|Date d’embauche|Date de sortie',
    ],
    [
      'Spanish',
      'Número de empleado|Nombre|Apellidos|Correo electrónico|Puesto|Centro de trabajo|Teléfono móvil|Fecha de alta|Fecha de baja',
    ],
    [
      'Portuguese',
      'Número de colaborador|Primeiro nome|Apelido|Correio eletrónico|Cargo|Local de trabalho|Telemóvel|Data de admissão|Data de saída',
    ],
    [
      'Italian',
      'Codice dipendente|Nome|Cognome|Indirizzo e-mail|Qualifica|Sede di lavoro|Cellulare|Data di assunzione|Data cessazione',
    ],
    [
      'Polish',
      'Nr pracownika|Imię|Nazwisko|Adres e-mail|Stanowisko|Miejsce pracy|Telefon komórkowy|Data zatrudnienia|Data zakończenia',
    ],
  ])('works in %s', async (_, headers) => {
    const names = headers.split('|');
    const sample = await readText([names, ...CELLS].map((row) => row.join(';')).join('\n'));
    expect(sample.kind).toBe('people');
    expect(MEANT.map((meaning) => sample.meanings[meaning])).toEqual(names);
    expect(sample.key).toBe(names[0]);
  });
});

describe('the content of a column', () => {
  it('decides between two columns with addresses: the filled one, and that of work', async () => {
    const { meanings } = await readText(
      'id;name;Email;Private Email;Work e-mail\n1;Ann Berg;;a@home.example;a@example.com\n2;Bo Lund;;b@home.example;b@example.com\n',
    );
    expect(meanings.email).toBe('Work e-mail');
  });

  it('decides if no header does', async () => {
    const { meanings, kind } = await readText('nr;wer;kontakt\n1;Berg, Ann;a@example.com\n2;Lund, Bo;b@example.com\n');
    expect([kind, meanings.email]).toEqual([null, 'kontakt']);
  });

  it('does not decide for the addresses of somebody else', async () => {
    const { meanings } = await readText(
      'id;name;Manager Email;Mail\n1;Ann Berg;m@example.com;a@example.com\n2;Bo Lund;m@example.com;b@example.com\n',
    );
    expect(meanings.email).toBe('Mail');
  });

  it('is not a decimal comma for numbers of cost centres and accounts', async () => {
    const { columns } = await readText(
      'id;email;name;Kostenstelle;Anteil\n1;a@example.com;A B;0400;0,5\n2;b@example.com;C D;1210;1,0\n',
    );
    expect(columns.map(({ name, note }) => [name, note?.includes('decimal') ?? false])).toEqual([
      ['id', false],
      ['email', false],
      ['name', false],
      ['Kostenstelle', false],
      ['Anteil', true],
    ]);
  });

  it('is recognised as a date for none', async () => {
    const { columns } = await readText('id;Ende\n1;2026-01-31\n2;0000-00-00\n3;9999-12-31\n4;\n');
    expect(columns[1]).toMatchObject({
      filled: 1,
      column: { type: 'date', empty: ['0000-00-00', '9999-12-31'], optional: true },
    });
  });

  it('is recognised as a word for nothing, but not in names of people', async () => {
    const { columns } = await readText(
      'id;Vorname;Nachname;Titel\n1;Jennifer;Null;Senior\n2;Ann;Berg;n/a\n3;Tom;Ng;k. A.\n',
    );
    expect(columns.map(({ name, column }) => [name, column?.empty])).toEqual([
      ['id', undefined],
      ['Vorname', undefined],
      ['Nachname', undefined],
      ['Titel', ['n/a', 'k. A.']],
    ]);
  });

  it('is recognised as a second line of labels instead of a person', async () => {
    const sample = await readText('USERID,EMAIL,HIREDATE\nUSERID,Email,Hire Date\n1,a@example.com,2020-01-31\n');
    expect(sample).toMatchObject({ rows: 1, facts: { hasLabels: true } });
    expect(sample.columns[2]?.column?.type).toBe('date');
  });
});

test.each([
  ['no addresses', 'id;Vorname;Nachname\n1;Ann;Berg\n', 'No column of export.csv has e-mail addresses'],
  ['neither people nor anything of a CRM', 'a;b\n1;2\n', 'No column of export.csv has e-mail addresses'],
])('rejects a file with %s, and names the flags that help', async (_, text, message) => {
  const sample = await readText(text);
  expect(() => renderConfig([sample], '/', 'https://acme.example.com', NO_ANSWERS)).toThrow(
    expect.objectContaining({
      message: expect.stringContaining(message),
      remedy: expect.stringMatching(/--column email=HEADER.*--people FILE/),
    }),
  );
});

test('splits headers into words without accents', () => {
  expect(splitHeader('PrimaryWorkEmail')).toEqual(['primary', 'work', 'email']);
  expect(splitHeader('E-Mail (geschäftlich)')).toEqual(['e', 'mail', 'geschaftlich']);
  expect(splitHeader('Employee #')).toEqual(['employee', 'nr']);
  expect(splitHeader('FIRSTNAME')).toEqual(['firstname']);
});

test.each([
  ['Deutschland', 'de'],
  ['Österreich', 'at'],
  ['Norge', 'no'],
  ['Sverige', 'se'],
  ['Tyskland', 'de'],
  ['Suomi', 'fi'],
  ['Royaume-Uni', 'gb'],
  ['UK', 'gb'],
  ['USA', 'us'],
  ['GBR', 'gb'],
  ['no', 'no'],
  ['Polska', 'pl'],
  ['Consultant', null],
  ['', null],
])('recognises %s as the country %s', (name, code) => {
  expect(codeOfCountry(name)).toBe(code);
});

test.each([
  ['de', ['Beraterin', 'Softwareentwickler', 'Leiter Finanzen', 'Consultant']],
  ['no', ['Rådgiver', 'Utvikler', 'Prosjektleder']],
  ['sv', ['Utvecklare', 'Konsultchef', 'Ekonom']],
  ['da', ['Udvikler', 'Konsulent', 'Afdelingsleder']],
  ['fi', ['Ohjelmistokehittäjä', 'Asiantuntija', 'Toimitusjohtaja']],
  ['nl', ['Softwareontwikkelaar', 'Adviseur', 'Medewerker administratie']],
  ['fr', ['Développeuse', 'Chargé de mission', 'Comptable']],
  ['pl', ['Programista', 'Kierownik projektu', 'Księgowa']],
  ['en', ['Engineer', 'Head of Sales', 'Consultant']],
  [null, ['A1', 'B2']],
])('recognises titles in %s by their words', (language, titles) => {
  expect(languageOfTitles(titles)).toBe(language);
});
