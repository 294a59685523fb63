import { stringify } from 'csv-stringify/sync';
import iconv from 'iconv-lite';
import { type Company, foundCompany, inventNobody, type Nobody, type Person, type TitleLanguage } from './company.js';
import { type Cells, type Fact, meaningOf, type Style } from './words.js';

/** A system whose exports are common. */
export interface System {
  readonly name: string;
  /** The source of the headers. */
  readonly headersFrom: string;
  readonly variants: readonly Variant[];
}

export interface Variant extends Partial<Style> {
  /** The difference from the other variants. */
  readonly name: string;
  /** The name that the system gives to the file, and to its next delivery. */
  readonly files: readonly [this: string, next: string];
  /** The largest first: `no/Oslo`. */
  readonly offices: readonly string[];
  /** The language of job titles. */
  readonly titles?: TitleLanguage;
  /** Header → the values below it. */
  readonly columns: Readonly<Record<string, Cells>>;
  readonly nobodies?: readonly Nobody[];
  /** People who start later have no work address yet. */
  readonly joinersLackMail?: boolean;
  /** One row per job. */
  readonly jobs?: boolean;
  /** Only people who work there today are in the file. */
  readonly activeOnly?: boolean;
  readonly above?: readonly string[];
  readonly below?: (rows: number) => readonly string[];
  readonly separator?: string;
  readonly quoted?: boolean;
  readonly encoding?: 'utf8' | 'windows-1252' | 'utf16le' | 'windows-1250';
  readonly bom?: boolean;
  readonly lineEnd?: '\n' | '\r\n';
  readonly order?: 'name' | 'number';
  /** The kind of telephone number that the account has. */
  readonly accountPhone?: 'workPhone' | 'mobile';
}

export interface ExportFile {
  readonly system: string;
  readonly variant: Variant;
  readonly company: Company;
  readonly style: Style;
  readonly content: Buffer;
  /** Line of the file, from 1 → the person whose row begins there, or the one that is not a person. */
  readonly rows: ReadonlyMap<number, Person>;
  /** Everybody with a row, each once. */
  readonly people: readonly Person[];
  /** Facts that the columns state. */
  readonly facts: ReadonlySet<Fact>;
}

const STYLE: Style = {
  dates: 'yyyy-MM-dd',
  language: 'en',
  status: { active: 'Active', left: 'Terminated' },
  flags: ['Yes', 'No'],
  types: ['Employee', 'Contractor', 'Intern'],
  codes: {},
  leaveMark: ' (On Leave)',
};

export function writeExport(system: string, variant: Variant): ExportFile {
  const company = foundCompany(variant.titles ?? 'en', variant.offices);
  const style: Style = { ...STYLE, codes: numberOffices(company), ...variant };
  const columns = Object.entries(variant.columns).map(([header, cells]) => ({ header, ...meaningOf(cells) }));
  const facts = new Set(columns.flatMap(({ says }) => says ?? []));
  const people = listInFile(company, variant, { facts, style });
  const rows = people.flatMap((person) => [person, ...(variant.jobs === true ? listOtherJobs(person, company) : [])]);
  const nobodies = (variant.nobodies ?? []).map((kind) => inventNobody(kind, company));
  // Not all at the end, where they would look like a footer.
  const shown = [...rows.slice(0, 9), ...nobodies, ...rows.slice(9)];
  const end = variant.lineEnd ?? '\r\n';
  const write = (cells: readonly string[]): string =>
    stringify([cells], {
      delimiter: variant.separator ?? ',',
      quoted: variant.quoted ?? false,
      quoted_empty: variant.quoted ?? false,
      record_delimiter: end,
    });
  let text = [...(variant.above ?? []), ''].join(end) + write(columns.map(({ header }) => header));
  const lines = new Map<number, Person>();
  for (const person of shown) {
    lines.set(text.split('\n').length, people.find(({ number }) => isSame(number, person)) ?? person);
    text += write(columns.map((column) => column.write(person, style)));
  }
  text += (variant.below?.(shown.length) ?? []).map((line) => `${line}${end}`).join('');
  const content = iconv.encode(text, variant.encoding ?? 'utf8', { addBOM: variant.bom ?? false });
  return { system, variant, company, style, content, rows: lines, people, facts };
}

/** The number of a person, as in the file and the account. */
export function writeNumber({ columns }: Variant, { number }: Person): string {
  return Object.values(columns).includes('longNumber') ? number.padStart(8, '0') : number;
}

function isSame(number: string, person: Person): boolean {
  return person.nobody === null && person.number === number;
}

function numberOffices({ sites }: Company): Style['codes'] {
  return Object.fromEntries(sites.map(({ name }, index) => [name, String(100 + index * 10)]));
}

/** Leavers and later joiners are in a file only if it can state that. */
function listInFile(
  { people }: Company,
  { activeOnly = false, order = 'number', joinersLackMail = false }: Variant,
  { facts, style }: { readonly facts: ReadonlySet<Fact>; readonly style: Style },
): readonly Person[] {
  const hasLeavers = !activeOnly && facts.has('left');
  const hasJoiners = !activeOnly && (facts.has('starts') || style.status.later !== undefined);
  const shown = people
    .filter((one) => (hasLeavers || !one.hasLeft) && (hasJoiners || !one.startsLater))
    .map((one) => (joinersLackMail && one.startsLater ? { ...one, email: '' } : one));
  return order === 'number' ? shown : [...shown].sort((a, b) => (a.last < b.last ? -1 : 1));
}

function listOtherJobs(person: Person, { people }: Company): readonly Person[] {
  if (!person.secondJob) return [];
  const other = people.find(({ title }) => title !== person.title) ?? person;
  return [{ ...person, title: other.title, grade: other.grade, contract: `${person.contract}-2` }];
}
