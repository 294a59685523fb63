import { isJsonObject, type Json } from '../model/json.js';

/** Answers whether something is about, or names, the person who is to be erased. */
export interface PersonMatcher {
  /** An object of the person's own: by source key or service id. */
  isOwn(entity: string, key: string | null, id: string | null): boolean;
  /** @param field the column or field the value stands in, where that decides how it is read */
  mentions(value: Json, field?: string): boolean;
  /** The same value without what names the person. */
  redact(value: Json): Json;
}

export type Row = Readonly<Record<string, Json>>;
/** What becomes of a row: nothing, gone, or other cells. */
export type Verdict = 'keep' | 'remove' | Readonly<Record<string, string | null>>;
type Rule = (row: Row, person: PersonMatcher, removed: Set<string>) => Verdict;

/** In the place of a text that named the person. */
export const ERASED = '[erased]';

const NOT_AGREED = { agreed: null, written: null, untaken: null, desired_hash: null, observed_hash: null };

/**
 * How a person is taken out of each table. A table without a rule of its own is treated by `eraseAnywhere`, so that a new
 * one cannot be forgotten. `audit` is not among them: its rows are chained, and go by `audit/erase.ts`.
 */
const RULES: Readonly<Record<string, Rule>> = {
  // An own link goes whole. Another object's base that names the person is forgotten: the pair is compared afresh.
  links(row, person) {
    if (person.isOwn(text(row.entity), cell(row.source_key), cell(row.service_id))) return 'remove';
    const isNamed = [row.agreed, row.written, row.untaken].some((value) => person.mentions(parse(value)));
    return isNamed ? NOT_AGREED : 'keep';
  },
  absences: (row, person) => (person.isOwn(text(row.entity), cell(row.source_key), null) ? 'remove' : 'keep'),
  pins(row, person) {
    const isOwn = person.isOwn(text(row.entity), cell(row.source_key), null);
    return isOwn || person.mentions(row.path ?? null) ? 'remove' : 'keep';
  },
  reads: () => 'keep',
  approvals(row, person) {
    if (person.mentions(row.change_id ?? null)) return 'remove';
    return person.mentions(row.reason ?? null, 'reason') ? { reason: ERASED } : 'keep';
  },
  runs(row, person) {
    const result = parse(row.result);
    return person.mentions(result) ? { result: JSON.stringify(person.redact(result)) } : 'keep';
  },
  journal(row, person) {
    const change = parse(row.change);
    const target = isJsonObject(change) ? cell(change.target) : null;
    if (person.isOwn(text(row.entity), cell(row.key), target)) return 'remove';
    const isNamed = [change, parse(row.observed), row.error ?? null].some((value) => person.mentions(value));
    return isNamed ? 'remove' : 'keep';
  },
  objects(row, person, removed) {
    const isOwn = person.isOwn(text(row.entity), null, cell(row.id));
    if (!isOwn && !person.mentions(row.label ?? null) && !person.mentions(parse(row.body))) return 'keep';
    removed.add(`${text(row.entity)} ${text(row.id)}`);
    return 'remove';
  },
  object_keys(row, person, removed) {
    const isRemoved = removed.has(`${text(row.entity)} ${text(row.id)}`);
    return isRemoved || person.mentions(row.value ?? null) ? 'remove' : 'keep';
  },
  marks: () => 'keep',
  // Names of files, counts and times; a person's name in that of a report is the operator's own.
  report_deliveries: () => 'keep',
  // The person's own row goes; another's that names the person (a team, a nickname) loses the words alone.
  pushed_resources(row, person, removed) {
    const body = parse(row.body);
    if (row.type === 'User' && isPushedPerson(row, body, person)) {
      removed.add(`pushed ${text(row.source)} ${text(row.id)}`);
      return 'remove';
    }
    if (![body, row.display ?? null, row.name_key ?? null].some((value) => person.mentions(value))) return 'keep';
    const redact = (value: Json | undefined): string => String(person.redact(value ?? ''));
    return { body: JSON.stringify(person.redact(body)), display: redact(row.display), name_key: redact(row.name_key) };
  },
  pushed_members(row, _person, removed) {
    return removed.has(`pushed ${text(row.source)} ${text(row.member_id)}`) ? 'remove' : 'keep';
  },
  pushed_gone(row, person) {
    // Beside the key of a record there may be a digest, which names nobody: of that the id tells.
    const keys = [row.key, row.id].map(cell).filter((key) => key !== null);
    return keys.some((key) => person.isOwn('users', key, null) || person.mentions(key)) ? 'remove' : 'keep';
  },
};

/** By the key of the records, whichever attribute that is, or by what a person alone has. */
function isPushedPerson(row: Row, body: Json, person: PersonMatcher): boolean {
  const { userName, externalId, emails } = isJsonObject(body) ? body : {};
  const keys = [row.id, externalId, userName].map(cell).filter((key) => key !== null);
  if (keys.some((key) => person.isOwn('users', key, null))) return true;
  return [userName ?? null, emails ?? null].some((value) => person.mentions(value));
}

/** `facts` holds the erasure that is going on, under this name. */
export const ERASURE_FACT = 'audit.erasing';
/** And one row for each erasure that was made, with nobody's name in it (`erased-people.ts`). */
export const ERASED_FACT = 'erased.';

/** A row with an entity and a key is the person's own, or any of its cells names the person. */
function eraseAnywhere(row: Row, person: PersonMatcher): Verdict {
  const name = cell(row.name);
  if (name === ERASURE_FACT || name?.startsWith(ERASED_FACT)) return 'keep';
  const keys = [row.source_key, row.key].map(cell).filter((key) => key !== null);
  const ids = [row.service_id, row.target, row.id].map(cell).filter((id) => id !== null);
  const entity = text(row.entity);
  const isOwn = keys.some((key) => person.isOwn(entity, key, null)) || ids.some((id) => person.isOwn(entity, null, id));
  return isOwn || Object.values(row).some((value) => person.mentions(parse(value))) ? 'remove' : 'keep';
}

export function ruleOf(table: string): Rule {
  return RULES[table] ?? eraseAnywhere;
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
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
