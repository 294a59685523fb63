import { isJsonObject, type Json, type JsonObject, objectOf, textOf } from '../model/json.js';
import { PAUSE_FACT } from './state/pause-store.js';

/** Answers whether something is about, or names, the person who is to be erased. */
export interface PersonMatcher {
  /** An object of the person's own: by source key or service id. */
  isOwn(entity: string, key: string | null, id: string | null): boolean;
  /** Whether a word is one by which the person is known somewhere: a key, an id of the account, the CV or a source. */
  isKnownAs(word: string): boolean;
  /** @param field the column or field the value is in, where that decides how it is read */
  mentions(value: Json, field?: string): boolean;
  /** The same value without what names the person. */
  redact(value: Json): Json;
}

export type PersonalRow = Readonly<Record<string, Json>>;
/** What becomes of a row: nothing, gone, or other cells. */
export type RowVerdict = 'keep' | 'remove' | Readonly<Record<string, string | null>>;
/** `as it is`: a row that cannot hold anybody, whatever its words look like. */
type ErasureRule = (row: PersonalRow, person: PersonMatcher, removed: Set<string>) => RowVerdict | 'as it is';

/** In the place of a text that named the person. */
export const ERASED = '[erased]';

const NOT_AGREED = { agreed: null, written: null, untaken: null, was: null, desired_hash: null, observed_hash: null };

/**
 * Rules that spare more of a row than removing it. This is not a list of the tables with people in them: whatever table a row is in,
 * `judgeRow` removes it when anything of the person would be left in it. `audit` goes by `store/audit/erasure/erase.ts`, for its rows are
 * chained.
 */
const RULES: Readonly<Record<string, ErasureRule>> = {
  // An own link goes whole. Another object's base that names the person is forgotten: the pair is compared afresh.
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
  // A pause outlives a person whom its reason names.
  facts(row, person) {
    const value = parse(row.value);
    const isNamed = textOf(row.name) === PAUSE_FACT && person.mentions(value);
    return isNamed ? { value: JSON.stringify(person.redact(value)) } : 'keep';
  },
  // Names of fields; all other rows rest on them.
  shared_texts: () => 'as it is',
  source_rows(row, person, removed) {
    if (!isLeft(row, person)) return 'keep';
    removed.add(`stream ${textOf(row.stream)}`);
    return 'remove';
  },
  // A stream that has lost a row is read whole again: of changes alone the row would never come back.
  marks(row, _person, removed) {
    const stream = /^source (.+) whole$/.exec(textOf(row.name))?.[1];
    return stream !== undefined && removed.has(`stream ${stream}`) ? 'remove' : 'keep';
  },
  // Names of files, counts and times; a person's name in that of a report is the operator's own. What is on its way, or failed,
  // may be a document of the person.
  report_deliveries(row, person) {
    const named = ['work', 'failure'].filter((column) => person.mentions(parse(row[column])));
    return named.length === 0 ? 'as it is' : Object.fromEntries(named.map((column) => [column, null]));
  },
  // What happened is told all the same; who was among those it happened to is not.
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
  // The person's own row goes; another's that names the person (a team, a nickname) loses the words alone.
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
    // Beside the key of a record there may be a digest, which names nobody: of that the id tells.
    const keys = [row.key, row.id].map(cell).filter((key) => key !== null);
    return keys.some((key) => person.isOwn('users', key, null) || person.mentions(key)) ? 'remove' : 'keep';
  },
};

/** By the key of the records, whichever attribute that is, or by what a person alone has. */
export function isPushedPerson(row: PersonalRow, body: Json, person: PersonMatcher): boolean {
  const { userName, externalId, emails } = objectOf(body);
  const keys = [row.id, externalId, userName].map(cell).filter((key) => key !== null);
  if (keys.some((key) => person.isOwn('users', key, null))) return true;
  return [userName ?? null, emails ?? null].some((value) => person.mentions(value));
}

/** `facts` holds the erasure that is going on, under this name. */
export const ERASURE_FACT = 'audit.erasing';
/** And one row for each erasure that was made, with nobody's name in it (`erased-people.ts`). */
export const ERASED_FACT = 'erased.';

/** What becomes of a row of any table. */
export function judgeRow(table: string, row: PersonalRow, person: PersonMatcher, removed: Set<string>): RowVerdict {
  const name = table === 'facts' ? textOf(row.name) : '';
  if (name === ERASURE_FACT || name.startsWith(ERASED_FACT)) return 'keep';
  const verdict = RULES[table]?.(row, person, removed) ?? 'keep';
  if (verdict === 'as it is') return 'keep';
  if (verdict === 'remove') return verdict;
  return isLeft(verdict === 'keep' ? row : { ...row, ...verdict }, person) ? 'remove' : verdict;
}

/** Columns whose text is the name of something, of a person perhaps: an exact word, however short. */
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

/** Whether anything of the person is in the row: it is the person's own, or any of its cells names the person. */
function isLeft(row: PersonalRow, person: PersonMatcher): boolean {
  const entity = cell(row.entity);
  return Object.entries(row).some(([column, content]) => {
    if (content === null) return false;
    const value = parse(content);
    if (person.mentions(value, column)) return true;
    if (typeof value !== 'string') return isJsonObject(value) && isNamedBy(value, person);
    // `cv.5f2a…`, `source idp 3fa9… newest`
    if (column === 'name') return value.split(/[ .]/).some((word) => person.isKnownAs(word));
    if (!NAMING.has(column)) return false;
    return entity === null ? person.isKnownAs(value) : person.isOwn(entity, value, value);
  });
}

/** What a mark remembers of a row: `{ "id": …, "time": … }`. */
function isNamedBy({ id, key }: JsonObject, person: PersonMatcher): boolean {
  return [id, key].some((word) => typeof word === 'string' && person.isKnownAs(word));
}

/** Words of operators lose what names the person. */
function blotWords(row: PersonalRow, person: PersonMatcher): RowVerdict {
  const named = ['reason', 'who'].filter((column) => person.mentions(row[column] ?? null, 'reason'));
  return named.length === 0 ? 'keep' : Object.fromEntries(named.map((column) => [column, ERASED]));
}

function cell(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** A cell that holds JSON as what it holds, any other as it is. */
function parse(value: Json | undefined): Json {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value ?? null;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}
