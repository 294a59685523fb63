import { MASK } from '../../base/secrets/secret.js';
import { canonicalJson, isJsonObject, type Json, objectOf, type Values } from '../../model/json.js';
import { listLeaves, type RunWork, setLeaf, type UndoLeaf } from '../../reconcile/undo/run-work.js';
import { PEOPLE_FIELDS } from '../../store/audit/people.js';
import { pseudonymOf } from '../../store/audit/pseudonyms.js';
import type { Stores } from '../../store/open-stores.js';

const PSEUDONYM = /^p_[0-9a-f]{20}$/;

/**
 * Restores the changes of a run if the journal no longer has the values and the audit entries contain only pseudonyms.
 * A pseudonym is enough to check whether the service still holds the written value, but it cannot restore the value.
 *
 * | the audit has a pseudonym of | looked up                                              | otherwise                    |
 * |------------------------------|--------------------------------------------------------|------------------------------|
 * | what was written             | in the current object                                  | the value has moved since    |
 * | the value before             | in the current object, which then holds it already     | lost: it cannot be put back  |
 * | a person (an owner, a CV)    | among the people of the account, by any of their names | as above                     |
 *
 * Pseudonyms ignore case. If a change was only in case, the value before it is lost as well.
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

/** `[secret]` cannot be restored, and the service cannot hold it either. */
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
  const found: UnveiledValues = { before: {}, after: {}, lost: [] };
  for (const name of new Set([...Object.keys(work.before), ...Object.keys(work.after)])) {
    const shown = new Map([...eachPlain(now?.values[name])].map((value) => [pseudonymOf(key, String(value)), value]));
    const known = (): ReadonlyMap<string, Json> => (PEOPLE_FIELDS.has(name) ? people() : NOBODY);
    const find: FindValue = (pseudonym) => shown.get(pseudonym) ?? known().get(pseudonym);
    for (const leaf of listLeaves(work, name)) unveilLeaf(leaf, work, find, found);
  }
  return { ...work, label: now?.label ?? work.label, ...found };
}

interface UnveiledValues {
  readonly before: Record<string, Json>;
  readonly after: Record<string, Json>;
  readonly lost: string[];
}

type FindValue = (pseudonym: string) => Json | undefined;

function unveilLeaf(leaf: UndoLeaf, work: RunWork, find: FindValue, { before, after, lost }: UnveiledValues): void {
  const { kept, isWhole } = unveilBefore(leaf, find);
  if (!isWhole) lost.push(leaf.path);
  if (kept === undefined) return;
  if (isRecorded(work.before, leaf)) setLeaf(before, leaf, kept);
  if (isRecorded(work.after, leaf)) setLeaf(after, leaf, replace(leaf.wrote, find));
}

const NOBODY: ReadonlyMap<string, Json> = new Map();

/** The part of the previous value that can be restored. A list may lose single words; any other value is restored or lost. */
function unveilBefore({ was, wrote }: UndoLeaf, find: FindValue): { readonly kept?: Json; readonly isWhole: boolean } {
  const isRespelled = typeof was === 'string' && PSEUDONYM.test(was) && was === wrote;
  if (isRespelled) return { isWhole: false };
  const old = replace(was, find);
  if (!holdsPseudonym(old)) return { kept: old, isWhole: true };
  if (!Array.isArray(old)) return { isWhole: false };
  return { kept: old.filter((word: Json) => !holdsPseudonym(word)), isWhole: false };
}

/** Every name that can identify the account's people. */
function indexPeople(key: string, { mirror }: Stores): ReadonlyMap<string, Json> {
  const names = new Map<string, Json>();
  for (const { id, values } of mirror.all('users')) {
    for (const name of [values.email, values.external_unique_id, values.upn, id]) {
      if (typeof name === 'string') names.set(pseudonymOf(key, name), name);
    }
  }
  return names;
}

/** False if the audit says nothing about a leaf; then nothing is added. */
function isRecorded(recorded: Values, { name, part }: UndoLeaf): boolean {
  return (part === null ? recorded[name] : objectOf(recorded[name])[part]) !== undefined;
}

function replace(value: Json, find: FindValue): Json {
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
