import { PEOPLE_FIELDS } from '../../audit/people.js';
import { pseudonymOf } from '../../audit/pseudonyms.js';
import { FIELDS } from '../../model/fields.js';
import { canonicalJson, isJsonObject, type Json, objectOf, type Values } from '../../model/json.js';
import { isKeyed } from '../../reconcile/fields/leaves.js';
import type { RunWork } from '../../reconcile/undo/run-work.js';
import { MASK } from '../../secrets/secret.js';
import type { Stores } from '../../store/open-stores.js';

const PSEUDONYM = /^p_[0-9a-f]{20}$/;

/**
 * Reads what a run did from entries that keep pseudonyms, when the journal has the values no longer. A pseudonym is as
 * good as its value for telling whether the service still holds what was written; it is no value that could be put back.
 *
 * | the audit has a pseudonym of | found again                                        | else                       |
 * |------------------------------|----------------------------------------------------|----------------------------|
 * | what was written             | in the object as it is now                         | it has moved since         |
 * | the value before             | in the object as it is now: it is so already       | lost: it cannot be put back |
 * | somebody (an owner, a CV)    | among the people of the account, by any of their names | the same               |
 *
 * Pseudonyms do not tell capitals apart: of a value that changed in them alone the one before is lost too.
 */
export function unveilWorks(works: readonly RunWork[], stores: Stores): readonly RunWork[] {
  const key = stores.audit.pseudonymKey();
  if (key === null) return works;
  let people: ReadonlyMap<string, Json> | null = null;
  const knowPeople = (): ReadonlyMap<string, Json> => {
    people ??= indexPeople(key, stores);
    return people;
  };
  return works.map((work) => (work.pseudonymised ? unveil(work, key, knowPeople, stores) : work));
}

/** `[secret]` is no value that could be put back, nor one that the service could still hold. */
export function loseHidden(work: RunWork): RunWork {
  const isHidden = (value: Json | undefined): boolean => value !== undefined && canonicalJson(value).includes(MASK);
  const hidden = Object.keys(work.before).filter((name) => isHidden(work.before[name]) || isHidden(work.after[name]));
  if (hidden.length === 0) return work;
  const keep = (values: Values): Values =>
    Object.fromEntries(Object.entries(values).filter(([name]) => !hidden.includes(name)));
  return { ...work, before: keep(work.before), after: keep(work.after), lost: [...work.lost, ...hidden] };
}

function unveil(work: RunWork, key: string, people: () => ReadonlyMap<string, Json>, { mirror }: Stores): RunWork {
  const now = work.target === null ? null : mirror.get(work.entity, work.target);
  const lost: string[] = [];
  const after: Record<string, Json> = {};
  const before: Record<string, Json> = {};
  for (const name of new Set([...Object.keys(work.before), ...Object.keys(work.after)])) {
    const shown = new Map<string, Json>();
    for (const value of eachPlain(now?.values[name])) shown.set(pseudonymOf(key, String(value)), value);
    const find = (pseudonym: string): Json | undefined =>
      shown.get(pseudonym) ?? (PEOPLE_FIELDS.has(name) ? people().get(pseudonym) : undefined);
    for (const [path, was, wrote] of eachPart(work, name)) {
      const isRespelled = typeof was === 'string' && PSEUDONYM.test(was) && was === wrote;
      const old = isRespelled ? undefined : replace(was, find);
      // A list may miss one of its words; of anything else nothing is left.
      if (old === undefined || holdsPseudonym(old)) lost.push(path);
      const kept = Array.isArray(old) ? old.filter((word: Json) => !holdsPseudonym(word)) : old;
      if (kept === undefined || holdsPseudonym(kept)) continue;
      setPart(before, work.before, path, kept);
      setPart(after, work.after, path, replace(wrote, find) ?? null);
    }
  }
  return { ...work, label: now?.label ?? work.label, before, after, lost };
}

/** Every name by which anybody of the account can be meant. */
function indexPeople(key: string, { mirror }: Stores): ReadonlyMap<string, Json> {
  const names = new Map<string, Json>();
  for (const { id, values } of mirror.all('users')) {
    for (const name of [values.email, values.external_unique_id, values.upn, id]) {
      if (typeof name === 'string') names.set(pseudonymOf(key, name), name);
    }
  }
  return names;
}

/** Fields as wholes, languages and the like by themselves: path, before and after. */
function* eachPart({ entity, before, after }: RunWork, name: string): Iterable<readonly [string, Json, Json]> {
  const [was, wrote] = [before[name] ?? null, after[name] ?? null];
  const field = FIELDS[entity][name];
  if (field === undefined || !isKeyed(field)) {
    yield [name, was, wrote];
    return;
  }
  const [old, next] = [objectOf(was), objectOf(wrote)];
  for (const part of new Set([...Object.keys(old), ...Object.keys(next)]))
    yield [`${name}.${part}`, old[part] ?? null, next[part] ?? null];
}

/** Where the audit says nothing of a field, nothing is added. */
function setPart(tree: Record<string, Json>, told: Values, path: string, value: Json): void {
  const [name = '', ...rest] = path.split('.');
  const part = rest.join('.');
  const whole = told[name];
  if (part === '') {
    if (whole !== undefined) tree[name] = value;
    return;
  }
  if (!isJsonObject(whole) || whole[part] === undefined) return;
  const known = tree[name];
  tree[name] = { ...objectOf(known), [part]: value };
}

function replace(value: Json, find: (pseudonym: string) => Json | undefined): Json {
  if (typeof value === 'string') return PSEUDONYM.test(value) ? (find(value) ?? value) : value;
  if (Array.isArray(value)) return value.map((item: Json) => replace(item, find));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replace(item, find)]));
}

function holdsPseudonym(value: Json): boolean {
  if (typeof value === 'string') return PSEUDONYM.test(value);
  if (Array.isArray(value)) return value.some((item: Json) => holdsPseudonym(item));
  return isJsonObject(value) && Object.values(value).some(holdsPseudonym);
}

function* eachPlain(value: Json | undefined): Iterable<Json> {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) for (const item of value as readonly Json[]) yield* eachPlain(item);
  else if (isJsonObject(value)) for (const item of Object.values(value)) yield* eachPlain(item);
  else yield value;
}
