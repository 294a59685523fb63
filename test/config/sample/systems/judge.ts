import { basename, join } from 'node:path';
import type { Config } from '../../../../src/config/config.js';
import { loadConfig } from '../../../../src/config/load.js';
import { type FileSource, listFileSources } from '../../../../src/config/sample/check-sample.js';
import { readRows } from '../../../../src/config/sample/read-rows.js';
import type { ProposedConfig } from '../../../../src/config/sample/render-config.js';
import { matchesPattern } from '../../../../src/connectors/drop/file-names.js';
import { RowSink } from '../../../../src/connectors/rows/row-sink.js';
import { createMapper } from '../../../../src/mapping/mapper.js';
import { writeName } from '../../../../src/mapping/names.js';
import type { Desired } from '../../../../src/model/desired.js';
import type { Json } from '../../../../src/model/json.js';
import type { RejectedRow, SourceRecord } from '../../../../src/model/source.js';
import { type AccountState, accountPhone, openAccount } from './account.js';
import { type Person, TODAY } from './company.js';
import { type Cells, type Fact, nameInEnglish } from './words.js';
import { type ExportFile, writeNumber } from './write-export.js';

export interface Verdict {
  /** Wrong effects of a plan without answers: fields, `leaver`, `joiner`, `scope`, `key`, `pattern`, `rows`. */
  readonly wrong: readonly string[];
  /**
   * Lines that a person must write: answers to open questions, and content of the file that the configuration does not
   * use.
   */
  readonly edits: readonly string[];
  /** The first case for each of them. */
  readonly details: readonly string[];
}

/** The part of the configuration that a question is about. */
type Subject = Field | 'leaver' | 'joiner' | 'key';
type Field = 'external_unique_id' | 'email' | 'name' | 'title' | 'office' | 'telephone';

/** The right values of one field. */
interface Truth {
  /** Right values, compared as `show` writes them. */
  readonly right: (person: Person) => readonly string[];
  /** True if the file alone, or with the account, is enough to fill the field. */
  readonly isSaid: boolean;
}

/** A loaded configuration, and its outcome for each row. */
export interface MappedFile {
  readonly text: string;
  readonly people: {
    readonly source: FileSource;
    readonly outcomes: readonly Outcome[];
    readonly rejected: readonly RejectedRow[];
  } | null;
}

/** Maps each row of the file at `at` by the mapper that a run uses. */
export async function mapFile(text: string, at: string): Promise<MappedFile> {
  const config = loadConfig(join(at, '../talent-sync.yaml'), { TALENT_API_KEY: 'key' }, text);
  const source = listFileSources(config).find(({ name }) => name === 'hr');
  if (config.mappings.users === undefined || source === undefined) return { text, people: null };
  return { text, people: { source, ...(await mapRows(config, source, at)) } };
}

/** Compares the outcome of each row with the truth. */
export function judgeProposal(
  { text, people }: MappedFile,
  { open, file, state }: Pick<ProposedConfig, 'open'> & { readonly file: ExportFile; readonly state: AccountState },
): Verdict {
  const wrong = new Map<string, string>();
  const edits: string[] = open.map(({ flag, about }) => `asks ${flag}${about === null ? '' : about}`);
  const asked = new Set(open.map((question) => subjectOf(`${question.flag} ${question.about ?? ''}`, question.text)));
  for (const subject of ['leaver', 'joiner'] as const) {
    if (!new RegExp(`^ +${subject}: unknown`, 'm').test(text) || asked.has(subject)) continue;
    asked.add(subject);
    edits.push(`${subject} is unknown`);
  }
  // An answer about status words removes their rows from the doubtful ones.
  if (/^ +doubtful:/m.test(text) && !asked.has('leaver')) edits.push('rows are in doubt');
  if (people === null) edits.push('no people are mapped');
  else {
    judgeFile(people.source, file, wrong);
    judgeRows({ ...people, file, waits: /^ +(?:leaver|joiner): unknown/m.test(text), wrong, edits });
    judgeFields(chooseRows(people.outcomes, file), listTruths(file, state), {
      asked,
      wrong,
      edits,
      offices: listOffices(text, file, state),
    });
  }
  return { wrong: [...wrong.keys()], edits, details: [...wrong].map((pair) => pair.join(': ')) };
}

function judgeFields(
  seen: ReadonlyMap<Person, Desired>,
  truths: Readonly<Record<Field, Truth>>,
  {
    asked,
    wrong,
    edits,
    offices,
  }: Pick<Judging, 'wrong' | 'edits'> & {
    readonly asked: ReadonlySet<string>;
    readonly offices: readonly string[] | null;
  },
): void {
  // Without `create_missing`, an office that the account lacks is not written, and new people in it wait.
  const isWritten = (field: string, value: string): boolean =>
    field !== 'office' || offices === null || offices.includes(value);
  if (
    [...seen.values()].some(({ values }) => !isWritten('office', show('office', values.office) ?? offices?.[0] ?? ''))
  ) {
    edits.push('offices are not in the account');
  }
  for (const [field, truth] of Object.entries(truths) as [Field, Truth][]) {
    const values = [...seen].flatMap(([person, desired]) => {
      const value = show(field, desired.values[field]);
      return value === null ? [] : [{ person, value }];
    });
    const bad = values.find(({ person, value }) => isWritten(field, value) && !truth.right(person).includes(value));
    if (bad !== undefined) wrong.set(field, `${bad.value} for ${describe(bad.person)}`);
    if (values.length === 0 && truth.isSaid && !asked.has(field)) edits.push(`${field} is missing`);
  }
}

/** The offices that a plan can write; null for any. */
function listOffices(text: string, file: ExportFile, state: AccountState): readonly string[] | null {
  if (/create_missing: true(?: \}|$)/m.test(text)) return null;
  return openAccount(file, state)?.offices.map(({ country, name }) => `${country}/${name}`) ?? null;
}

function subjectOf(flag: string, text: string): Subject | string {
  const found = (
    [
      [/country|office/, 'office'],
      [/language|title/, 'title'],
      [/left|leaver/, 'leaver'],
      [/start|joiner/, 'joiner'],
      [/phone/, 'telephone'],
      [/external|number|\bid\b/, 'external_unique_id'],
      [/email/, 'email'],
      [/name/, 'name'],
    ] as const
  ).find(([words]) => words.test(flag) || (flag.startsWith('--column') && words.test(text)));
  return found?.[1] ?? flag;
}

function judgeFile({ config }: FileSource, { variant, facts }: ExportFile, wrong: Map<string, string>): void {
  const missed = variant.files.filter((name) => !matchesPattern(basename(name), config.pattern));
  if (missed.length > 0) wrong.set('pattern', `${config.pattern} leaves out ${missed.join(', ')}`);
  const key: Cells | undefined = variant.columns[config.key];
  if (facts.has('contract') && key === 'contract') wrong.set('key', config.key);
}

type Outcome = { readonly line: number } & (
  | { readonly kind: 'desired'; readonly desired: Desired }
  | { readonly kind: 'out_of_scope' | 'held' }
);

async function mapRows(config: Config, { name, config: stream }: FileSource, at: string) {
  const mapper = createMapper(config, 'users');
  const records: SourceRecord[] = [];
  const rejected: RejectedRow[] = [];
  const sink = new RowSink((batch) => {
    records.push(...batch.records);
    rejected.push(...batch.rejected);
  });
  await readRows(at, stream, { source: name, timezone: 'UTC' }, sink);
  sink.flush();
  const today = new Date(`${TODAY}T00:00:00Z`);
  const outcomes = records.map((record): Outcome => {
    const result = mapper.map(record, {}, today);
    const line = record.place.line ?? 0;
    return result.kind === 'desired' ? { kind: 'desired', line, desired: result.desired } : { kind: result.kind, line };
  });
  return { outcomes, rejected };
}

interface Judging {
  readonly outcomes: readonly Outcome[];
  readonly rejected: readonly RejectedRow[];
  readonly file: ExportFile;
  /** True if nobody is created or reactivated. */
  readonly waits: boolean;
  readonly wrong: Map<string, string>;
  readonly edits: string[];
}

/** Judges which rows are people, who has left, and who starts later. */
function judgeRows({ outcomes, rejected, file, waits, wrong, edits }: Judging): void {
  const held = new Set<Person>();
  const found = new Set<Person>();
  const note = (what: string, detail: string): void => {
    if (!wrong.has(what)) wrong.set(what, detail);
  };
  for (const outcome of outcomes) {
    const person = file.rows.get(outcome.line);
    if (person === undefined) {
      note('rows', `line ${outcome.line} is read as a row`);
      continue;
    }
    if (person.nobody !== null) {
      if (outcome.kind !== 'desired' || outcome.desired.early === true) continue;
      if (!outcome.desired.leaver && !waits) note('scope', describe(person));
      continue;
    }
    found.add(person);
    if (outcome.kind === 'held') held.add(person);
    const isHere = !person.hasLeft && !person.startsLater;
    if (outcome.kind === 'out_of_scope' && isHere) note('scope', `${describe(person)} is out of scope`);
    if (outcome.kind !== 'desired') continue;
    const { leaver, early = false } = outcome.desired;
    const isCreated = !leaver && !early && !waits;
    if (!person.startsLater && (person.hasLeft ? isCreated : leaver)) {
      note('leaver', `${describe(person)} ${leaver ? 'has not left' : 'has left'}`);
    }
    if (person.startsLater && isCreated) note('joiner', `${describe(person)} starts later`);
  }
  for (const { place } of rejected) {
    const person = file.rows.get(place.line ?? 0);
    if (person === undefined) note('rows', `line ${place.line} is read as a row`);
    if (person === undefined || person.nobody !== null) continue;
    found.add(person);
    held.add(person);
  }
  const lost = file.people.filter((person) => !found.has(person));
  const [lostOne] = lost;
  if (lostOne !== undefined) wrong.set('rows', `${lost.length} are not read, such as ${describe(lostOne)}`);
  const stuck = [...held].filter(({ email }) => email !== '').length;
  if (stuck > 0) edits.push(`rows of ${stuck} people are held`);
  if (listTies(outcomes).size > 0) edits.push('several rows per person are held');
}

/** Keys with several rows, none of which is preferred. */
function listTies(outcomes: readonly Outcome[]): ReadonlySet<string> {
  const ranks = new Map<string, Desired['preference'][]>();
  for (const outcome of outcomes) {
    if (outcome.kind !== 'desired') continue;
    const { key, preference } = outcome.desired;
    ranks.set(key, [...(ranks.get(key) ?? []), preference]);
  }
  return new Set([...ranks].flatMap(([key, all]) => (new Set(all).size < all.length ? [key] : [])));
}

/** The preferred row of each person with several rows, if there is one. */
function chooseRows(outcomes: readonly Outcome[], file: ExportFile): ReadonlyMap<Person, Desired> {
  const ties = listTies(outcomes);
  const seen = new Map<Person, Desired>();
  for (const outcome of outcomes) {
    const person = file.rows.get(outcome.line);
    if (outcome.kind !== 'desired' || person === undefined || person.nobody !== null) continue;
    const { key, preference } = outcome.desired;
    const before = seen.get(person)?.preference;
    const isBetter = before !== undefined && before !== null && preference !== null && preference > before;
    if (!ties.has(key) && (before === undefined || isBetter)) seen.set(person, outcome.desired);
  }
  return seen;
}

/** The truth according to the file, and to the account if it was read. */
function listTruths({ facts, variant, company }: ExportFile, state: AccountState): Readonly<Record<Field, Truth>> {
  const isFull = state === 'full';
  const has = (...any: readonly Fact[]): boolean => any.some((fact) => facts.has(fact));
  const names = ({ first, preferred, last }: Person): readonly string[] => {
    const legal = `${first} ${last}`;
    const known = `${preferred} ${last}`;
    // Capitals do not show that somebody writes DeShawn or d'Aubigné, so people in the account keep their name.
    const asWritten = (name: string): readonly string[] =>
      has('shouted') ? [name, writeName(name.toUpperCase())] : [name];
    if (!has('nickname')) return asWritten(legal);
    return isFull ? asWritten(known) : [...asWritten(known), ...asWritten(legal)];
  };
  const phone = accountPhone({ variant, facts });
  const language = state === 'none' ? /^\w+ / : new RegExp(`^${company.language} `);
  return {
    external_unique_id: {
      right: (person) => {
        const number = writeNumber(variant, person);
        const isMarked = Object.values(variant.columns).includes('apostropheNumber') && !isFull;
        return has('number') ? [number, ...(isMarked ? [`'${number}`] : [])] : [];
      },
      isSaid: has('number'),
    },
    email: { right: ({ email }) => [email], isSaid: has('email') },
    name: { right: names, isSaid: has('name') },
    title: {
      right: (person) => {
        const texts = has('title') ? [person.title] : isFull ? [] : [person.grade];
        return texts
          .flatMap((text) => LANGUAGES.map((code) => `${code} ${text}`))
          .filter((text) => language.test(text));
      },
      isSaid: has('title'),
    },
    office: {
      right: ({ site: { country, name } }) => {
        const coded = Object.values(variant.columns).includes('officeCoded') && !isFull;
        // Without an account, nobody can know that it spells places in another language.
        const all = [
          name,
          ...(coded ? [`${codeOf(company.sites, name)} - ${name}`] : []),
          ...(state === 'none' ? [nameInEnglish(name)] : []),
        ];
        return all.map((one) => `${country}/${one}`);
      },
      isSaid: (has('office', 'city') && (has('country') || isFull)) || (has('hiddenOffice') && isFull),
    },
    telephone: {
      right: (person) => (isFull ? [person[phone]] : [person.workPhone, person.mobile]),
      isSaid: isFull ? has(phone) : has('workPhone', 'mobile'),
    },
  };
}

const LANGUAGES = 'en de no sv da fi nl fr es pl int'.split(' ');

function codeOf(sites: ExportFile['company']['sites'], name: string): string {
  return String(100 + sites.findIndex((site) => site.name === name) * 10);
}

/** A value as written in the truth; null for none. */
function show(field: Field, value: Json | undefined): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'object') return field === 'email' ? String(value).toLowerCase() : String(value);
  const entries = Object.entries(value);
  if (field === 'title') {
    const [first] = entries.filter(([, text]) => text !== null && text !== '');
    return first === undefined ? null : `${first[0]} ${String(first[1])}`;
  }
  const { country, name } = Object.fromEntries(entries);
  return name === undefined || name === null || name === '' ? null : `${String(country)}/${String(name)}`;
}

function describe({ nobody, preferred, last, email }: Person): string {
  return nobody === null ? `${preferred} ${last}` : `${nobody} ${email}`;
}
