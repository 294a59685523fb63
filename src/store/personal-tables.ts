import { isJsonObject, type Json, type JsonObject, objectOf, textOf } from '../model/json.js';
import { PAUSE_FACT } from './state/pause-store.js';

/** Decides if data is about the person to erase, or names that person. */
export interface PersonMatcher {
  /** True for the person's own object, by source key or service id. */
  isOwn(entity: string, key: string | null, id: string | null): boolean;
  /** True if the word identifies the person: a key, or an id of the account, the CV or a source. */
  isKnownAs(word: string): boolean;
  /** @param field the column or field of the value, if it affects how the value is read */
  mentions(value: Json, field?: string): boolean;
  /** Returns the value without anything that names the person. */
  redact(value: Json): Json;
}

export type PersonalRow = Readonly<Record<string, Json>>;
/** How to treat a row: keep it, remove it, or replace cells. */
export type RowVerdict = 'keep' | 'remove' | Readonly<Record<string, string | null>>;
/** `exempt` marks a row that cannot mention a person, even if a text seems to match. */
type ErasureRule = (row: PersonalRow, person: PersonMatcher, removed: Set<string>) => RowVerdict | 'exempt';

/** Replaces a text that named the person. */
export const ERASED = '[erased]';

const NOT_AGREED = { agreed: null, written: null, untaken: null, was: null, desired_hash: null, observed_hash: null };

/**
 * Rules that keep more of a row than removing it would. This is not a list of all tables with personal data. In any
 * table, `judgeRow` removes a row that would still mention the person. `store/audit/erasure/erase.ts` handles the rows
 * of `audit`, because they are chained.
 */
const RULES: Readonly<Record<string, ErasureRule>> = {
  // The person's own link is removed. If another object's base names the person, that base is deleted and the values
  // are compared again.
  links(row, person) {
    if (person.isOwn(textOf(row.entity), cell(row.source_key), cell(row.service_id))) return 'remove';
    const isNamed = [row.agreed, row.written, row.untaken, row.was].some((value) => person.mentions(parse(value)));
    return isNamed ? NOT_AGREED : 'keep';
  },
  approvals: blotWords,
  declines: blotWords,
  acknowledgements: blotWords,
  resolutions: blotWords,
  runs(row, person) {
    const result = parse(row.result);
    return person.mentions(result) ? { result: JSON.stringify(person.redact(result)) } : 'keep';
  },
  objects(row, person, removed) {
    if (!isLeft(row, person)) return 'keep';
    removed.add(`object ${String(row.seq)}`);
    return 'remove';
  },
  object_keys: (row, _person, removed) => (removed.has(`object ${String(row.object)}`) ? 'remove' : 'keep'),
  // If a pause's reason names the person, the pause stays and loses only the name.
  facts(row, person) {
    const value = parse(row.value);
    const isNamed = textOf(row.name) === PAUSE_FACT && person.mentions(value);
    return isNamed ? { value: JSON.stringify(person.redact(value)) } : 'keep';
  },
  // Field names, which all other rows depend on.
  shared_texts: () => 'exempt',
  source_rows(row, person, removed) {
    if (!isLeft(row, person)) return 'keep';
    removed.add(`stream ${textOf(row.stream)}`);
    return 'remove';
  },
  // If a stream lost a row, the entire stream is read again, because a read of changes would never return the row.
  marks(row, _person, removed) {
    const stream = /^source (.+) whole$/.exec(textOf(row.name))?.[1];
    return stream !== undefined && removed.has(`stream ${stream}`) ? 'remove' : 'keep';
  },
  // File names, counts and times. An operator chose the report's name, even if it is a person's. Unfinished or failed
  // work may concern one of the person's documents.
  report_deliveries(row, person) {
    const named = ['work', 'failure'].filter((column) => person.mentions(parse(row[column])));
    return named.length === 0 ? 'exempt' : Object.fromEntries(named.map((column) => [column, null]));
  },
  // The event is still reported, but without the affected people's names.
  notify_outbox(row, person) {
    const { cause, keys, outcome, ...body } = objectOf(parse(row.body));
    const isKnown = (word: Json): boolean => person.mentions(word) || person.isKnownAs(String(word));
    const words = typeof cause === 'string' ? cause.split(/[^\p{L}\p{N}@._+-]+/u) : [];
    if (!Array.isArray(keys) || ![cause ?? null, ...keys, ...words, outcome ?? null].some(isKnown)) return 'keep';
    const left = keys.filter((key) => !isKnown(key));
    const came = outcome === undefined ? {} : { outcome: person.redact(outcome) };
    const blotted = [cause ?? null, ...words].some(isKnown) ? ERASED : (cause ?? '');
    return { body: JSON.stringify({ ...body, cause: blotted, keys: left, ...came }) };
  },
  // The person's own row is removed. Another row that names the person (a team, a nickname) loses only those words.
  pushed_resources(row, person, removed) {
    const body = parse(row.body);
    if (row.type === 'User' && isPushedPerson(row, body, person)) {
      removed.add(`pushed ${textOf(row.source)} ${textOf(row.id)}`);
      return 'remove';
    }
    if (![body, row.display ?? null, row.name_key ?? null].some((value) => person.mentions(value))) return 'keep';
    const redact = (value: Json | undefined): string => String(person.redact(value ?? ''));
    return { body: JSON.stringify(person.redact(body)), display: redact(row.display), name_key: redact(row.name_key) };
  },
  pushed_emails: (row, _person, removed) =>
    removed.has(`pushed ${textOf(row.source)} ${textOf(row.id)}`) ? 'remove' : 'keep',
  pushed_members(row, _person, removed) {
    return removed.has(`pushed ${textOf(row.source)} ${textOf(row.member_id)}`) ? 'remove' : 'keep';
  },
  pushed_gone(row, person) {
    // A record's key may be replaced by a digest, which does not name anyone. The id then identifies the person.
    const keys = [row.key, row.id].map(cell).filter((key) => key !== null);
    return keys.some((key) => person.isOwn('users', key, null) || person.mentions(key)) ? 'remove' : 'keep';
  },
};

/** Matches a pushed record by any of its keys, or by values that only one person has. */
export function isPushedPerson(row: PersonalRow, body: Json, person: PersonMatcher): boolean {
  const { userName, externalId, emails } = objectOf(body);
  const keys = [row.id, externalId, userName].map(cell).filter((key) => key !== null);
  if (keys.some((key) => person.isOwn('users', key, null))) return true;
  return [userName ?? null, emails ?? null].some((value) => person.mentions(value));
}

/** Name of the row in `facts` with an unfinished erasure. */
export const ERASURE_FACT = 'audit.erasing';
/** Name prefix of the `facts` rows for finished erasures, which do not name the person (`erased-people.ts`). */
export const ERASED_FACT = 'erased.';

/** Decides how to treat a row of any table. */
export function judgeRow(table: string, row: PersonalRow, person: PersonMatcher, removed: Set<string>): RowVerdict {
  const name = table === 'facts' ? textOf(row.name) : '';
  if (name === ERASURE_FACT || name.startsWith(ERASED_FACT)) return 'keep';
  const verdict = RULES[table]?.(row, person, removed) ?? 'keep';
  if (verdict === 'exempt') return 'keep';
  if (verdict === 'remove') return verdict;
  return isLeft(verdict === 'keep' ? row : { ...row, ...verdict }, person) ? 'remove' : verdict;
}

/** Columns with identifying text, perhaps of a person. They are compared as exact words of any length. */
export const NAMING: ReadonlySet<string> = new Set([
  'key',
  'source_key',
  'record',
  'id',
  'service_id',
  'target',
  'member_id',
  'user_id',
  'external_id',
  'name_key',
  'email',
]);

/** True if the row belongs to the person, or if any of its cells names the person. */
function isLeft(row: PersonalRow, person: PersonMatcher): boolean {
  const entity = cell(row.entity);
  return Object.entries(row).some(([column, content]) => {
    if (content === null) return false;
    const value = parse(content);
    if (person.mentions(value, column)) return true;
    if (typeof value !== 'string') return isJsonObject(value) && isNamedBy(value, person);
    // For example `cv.5f2a…` or `source idp 3fa9… newest`.
    if (column === 'name') return value.split(/[ .]/).some((word) => person.isKnownAs(word));
    if (!NAMING.has(column)) return false;
    return entity === null ? person.isKnownAs(value) : person.isOwn(entity, value, value);
  });
}

/** Checks if a mark refers to a row of the person: `{ "id": …, "time": … }`. */
function isNamedBy({ id, key }: JsonObject, person: PersonMatcher): boolean {
  return [id, key].some((word) => typeof word === 'string' && person.isKnownAs(word));
}

/** Removes the person's name from texts that operators wrote. */
function blotWords(row: PersonalRow, person: PersonMatcher): RowVerdict {
  const named = ['reason', 'who'].filter((column) => person.mentions(row[column] ?? null, 'reason'));
  return named.length === 0 ? 'keep' : Object.fromEntries(named.map((column) => [column, ERASED]));
}

function cell(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** Parses a cell that contains JSON; returns any other cell unchanged. */
function parse(value: Json | undefined): Json {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value ?? null;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}
