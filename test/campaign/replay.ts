import { join } from 'node:path';
import Database from 'better-sqlite3';
import { ENTITIES, type Entity, isAccount, TRAITS } from '../../src/model/entity.js';
import { FIELDS, type Field, type FieldShape } from '../../src/model/fields.js';
import { canonicalJson, isJsonObject, type Json, type Values } from '../../src/model/json.js';
import type { Observed } from '../../src/model/observed.js';
import type { AuditEntry } from '../../src/store/audit/audit-entry.js';
import { createMirrorStore } from '../../src/store/mirror/mirror-store.js';
import type { Story } from '../scenarios/kit.js';
import { INDUSTRIES } from './customers.js';
import { Violation } from './violation.js';

/** The mirror after a run, by entity and id. */
export type Mirrored = ReadonlyMap<string, Observed>;

export function readMirror(story: Story): Mirrored {
  const sqlite = new Database(join(story.folder, 'var', 'mirror.db'), { readonly: true });
  try {
    const mirror = createMirrorStore(sqlite);
    const objects = ENTITIES.flatMap((entity) => [...mirror.all(entity)]);
    return new Map(objects.map((object) => [`${object.entity} ${object.id}`, object]));
  } finally {
    sqlite.close();
  }
}

/**
 * Replays the audit over the first mirror, which must give the last one: each object named by an entry is as its last
 * entry left it,
 * and everything else is unchanged. References are compared by id, since names move while the referenced object stays.
 *
 * @param isNew whether the last mirror was started again: it does not contain projects of customers that no record
 * names
 */
export function expectReplay(
  first: Mirrored,
  entries: readonly AuditEntry[],
  last: Mirrored,
  { isNew }: { readonly isNew: boolean },
): void {
  const words = createWords(first, last, entries);
  const told = collectTold(entries);
  const left = new Set([...first].flatMap(([name, { id }]) => (last.has(name) ? [] : [id])));
  // The contents of a proposal are kept as last read, and name people deleted since.
  const gone: Gone = ({ to }, id) =>
    left.has(id) || (to === 'users' && /^[0-9a-f]{24}$/.test(id) && !last.has(`users ${id}`));
  for (const [name, object] of last) {
    const was = first.get(name);
    const ends = told.get(name) ?? [];
    if (was === undefined && !isOnCv(object.entity) && !isNamed(object, ends, entries))
      throw new Violation('audit', `replayed: ${name} (${object.label}) is there, and no entry says why`);
    for (const [path, value] of listLeaves(object, gone)) {
      if (LEFT_OUT.has(`${object.entity}.${path}`)) continue;
      const before = was === undefined ? undefined : new Map(listLeaves(was, gone)).get(path);
      const allowed = listAllowed(path, ends);
      if (allowed.length === 0) {
        // A read that showed more than the first one does not show a change.
        if (before !== undefined && !isSame(before, value)) throw differs(name, object, path, before, value);
        continue;
      }
      if (!allowed.some((after) => fits(object, path, after, { before, value }, words)))
        throw differs(name, object, path, allowed, value);
    }
    expectActivation(name, object, was, ends);
  }
  for (const [name, object] of first) {
    if (last.has(name) || isOnCv(object.entity) || (isNew && object.entity === 'projects')) continue;
    if (!(told.get(name) ?? []).some(({ action }) => action === 'delete'))
      throw new Violation('audit', `replayed: ${name} (${object.label}) is gone, and no entry says why`);
  }
}

type Gone = (field: Field, id: string) => boolean;
type Told = ReadonlyMap<string, readonly AuditEntry[]>;
const CERTAIN: readonly AuditEntry['result'][] = ['done', 'already so'];
const POSSIBLE: readonly AuditEntry['result'][] = [...CERTAIN, 'in part', 'lost', 'not taken'];

function collectTold(entries: readonly AuditEntry[]): Told {
  const told = new Map<string, AuditEntry[]>();
  for (const entry of entries) {
    if (entry.target === null || !POSSIBLE.includes(entry.result)) continue;
    const name = `${entry.entity} ${entry.target}`;
    told.set(name, [...(told.get(name) ?? []), entry]);
  }
  return told;
}

/** Sections are seen once a person's CV is read, which may be later than their creation. */
function isOnCv(entity: Entity): boolean {
  return TRAITS[entity].parent === 'user_id' || entity === 'staffing';
}

/** True if it was created by a change whose answer, and with it the id, was lost. */
function isNamed({ entity }: Observed, ends: readonly AuditEntry[], entries: readonly AuditEntry[]): boolean {
  const isLost = (entry: AuditEntry): boolean =>
    entry.entity === entity && entry.target === null && POSSIBLE.includes(entry.result);
  return ends.length > 0 || entries.some(isLost);
}

const LEFT_OUT: ReadonlySet<string> = new Set([
  // A person's own tags appear on the CV too, as of its last read, and in some accounts only there.
  ...['users.cv_tags.unit', 'users.cv_tags.grade'],
  // The service renumbers the experiences when a project is linked (spec, CV sections).
  'project_experiences.order',
]);

/**
 * Each separately decided value: `title.en`, `tags.unit`, `name`; references as ids, without deleted ones, which the
 * service
 * drops by itself.
 */
function listLeaves({ entity, values }: Observed, gone: Gone): readonly (readonly [string, Json])[] {
  return Object.entries(values).flatMap(([name, value]): readonly (readonly [string, Json])[] => {
    const field: Field | undefined = FIELDS[entity][name];
    if (field === undefined) return [];
    const byId = idsOf(values, name, field);
    if (Array.isArray(byId)) return [[name, byId.filter((id) => !gone(field, String(id)))]];
    if (isJsonObject(value) && field.shape !== 'office')
      return Object.entries(value).map(([part, of]) => [`${name}.${part}`, of ?? null]);
    return [[name, value ?? null]];
  });
}

/** The ids behind the names of a reference, as stored next to them in the mirror; null if it is not a reference. */
function idsOf(values: Values, name: string, { shape }: Field): Json | null {
  if (shape === 'office') return [values.office_id ?? null];
  if (shape === 'industry') return [values[name] ?? []].flat();
  if (shape === 'reference') return [values[`${name}_id`] ?? values[name] ?? null];
  if (shape !== 'references') return null;
  const ids = values[`${name}_ids`];
  const named = values[name];
  if (!Array.isArray(named)) return [];
  // A person whose address has changed may be listed under both until the next read.
  return [...new Set(named.map((one) => (isJsonObject(ids) ? (ids[String(one)] ?? one) : one)))].toSorted();
}

/** The possible values: that of the last certain entry, and those of later uncertain ones. */
function listAllowed(path: string, ends: readonly AuditEntry[]): readonly (Json | undefined)[] {
  let allowed: (Json | undefined)[] = [];
  for (const { after, before, result } of ends) {
    if (!isJsonObject(after) || !isJsonObject(before)) continue;
    const value = leafOf(after, path);
    if (value === undefined) continue;
    allowed = CERTAIN.includes(result) ? [value] : [...allowed, value, leafOf(before, path)];
  }
  return allowed;
}

function leafOf(values: Values, path: string): Json | undefined {
  const [name = '', ...part] = path.split('.');
  const value = values[name];
  if (part.length === 0 || value === undefined || value === null) return value;
  return isJsonObject(value) ? value[part.join('.')] : undefined;
}

interface Found {
  /** The value in the first mirror. */
  readonly before: Json | undefined;
  readonly value: Json;
}

function fits(
  { entity }: Observed,
  path: string,
  ...[after, { before, value }, words]: [Json | undefined, Found, Words]
): boolean {
  const [name = ''] = path.split('.');
  const field = FIELDS[entity][name];
  if (field === undefined) return true;
  if (['office', 'reference', 'references', 'industry'].includes(field.shape)) {
    const ids = new Set((value as readonly Json[]).map(String));
    const wanted = listWords(after);
    const isNamed = wanted.every((word) => {
      const candidates = words.of(field, word);
      // A word that no account has any more belonged to a deleted account.
      return ids.has(word) || candidates.size === 0 || [...candidates].some((id) => ids.has(id));
    });
    const had = field.additive === true && Array.isArray(before) ? before.map(String) : [];
    return isNamed && (ids.size <= wanted.length + had.length || field.additive === true);
  }
  if (field.additive === true) {
    const there = new Set((value as readonly Json[]).map(canonical));
    return listOf(after).every((one) => there.has(canonical(one)));
  }
  if (field.shape === 'entries') {
    // The audit has the changed entries, each with its managed parts; a removed one is null.
    const told = listOf(after).filter((one) => one !== null);
    return told.every((one) => listOf(value).some((entry) => hasParts(entry, one)));
  }
  return isSame(after ?? null, value);
}

function hasParts(entry: Json, parts: Json): boolean {
  if (!isJsonObject(entry) || !isJsonObject(parts)) return isSame(entry, parts);
  return Object.entries(parts).every(([name, part]) => hasParts(entry[name] ?? null, part ?? null));
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

function listWords(value: Json | undefined): readonly string[] {
  return listOf(value).map((one) => (isJsonObject(one) ? `${one.country}/${one.name}` : String(one)));
}

/** The accounts that a word may have meant at any time between the two mirrors. */
interface Words {
  of(field: Field, word: string): ReadonlySet<string>;
}

/** The entities that words of such fields name. */
const KINDS: Readonly<Partial<Record<FieldShape, string>>> = { office: 'offices', industry: 'industries' };

function createWords(first: Mirrored, last: Mirrored, entries: readonly AuditEntry[]): Words {
  const ids = new Map<string, Set<string>>();
  const add = (entity: string, word: Json | undefined, id: string): void => {
    if (word === null || word === undefined) return;
    const key = `${entity} ${String(word).toLowerCase()}`;
    ids.set(key, (ids.get(key) ?? new Set()).add(id));
  };
  const addAll = (entity: string, id: string, values: Values): void => {
    for (const name of ['external_unique_id', 'email', 'name', 'code']) add(entity, values[name], id);
    if (entity === 'offices' && typeof values.country === 'string') add(entity, `${values.country}/${values.name}`, id);
    add(entity, id, id);
  };
  for (const { id, values, external_unique_id } of INDUSTRIES)
    for (const word of [id, external_unique_id, ...Object.values(values)]) add('industries', word, id);
  for (const { entity, id, values } of [...first.values(), ...last.values()]) addAll(entity, id, values);
  for (const { entity, target, key, before, after } of entries) {
    if (target === null) continue;
    add(entity, key, target);
    for (const values of [before, after]) if (isJsonObject(values)) addAll(entity, target, values);
  }
  return {
    of({ shape, to }, word) {
      const kind = KINDS[shape] ?? to ?? '';
      return ids.get(`${kind} ${word.toLowerCase()}`) ?? new Set();
    },
  };
}

/** Empty equals empty, and `42.0` equals 42. */
function canonical(value: Json): string {
  if (isJsonObject(value)) {
    const parts = Object.entries(value).filter(([name, part]) => name !== 'id' && canonical(part ?? null) !== 'null');
    return parts.length === 0
      ? 'null'
      : canonicalJson(Object.fromEntries(parts.map(([name, part]) => [name, canonical(part ?? null)])) as Json);
  }
  if (Array.isArray(value)) {
    const parts = value.map((one: Json) => canonical(one)).filter((one) => one !== 'null');
    return parts.length === 0 ? 'null' : parts.sort().join(',');
  }
  if (value === null || value === '' || value === ' ') return 'null';
  const text = String(value);
  return /^-?\d+(\.\d+)?$/.test(text) ? String(Number(text)) : canonicalJson(text);
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return canonical(one ?? null) === canonical(other ?? null);
}

function expectActivation(
  name: string,
  object: Observed,
  was: Observed | undefined,
  ends: readonly AuditEntry[],
): void {
  if (!isAccount(object.entity)) return;
  let allowed = was === undefined ? [true] : [was.active];
  for (const { action, after, result } of ends) {
    const given = isJsonObject(after) ? after.deactivated : undefined;
    const next = typeof given === 'boolean' ? !given : action === 'reactivate' ? true : undefined;
    if (next !== undefined) allowed = CERTAIN.includes(result) ? [next] : [...allowed, next];
  }
  if (!allowed.includes(object.active))
    throw new Violation('audit', `replayed: ${name} (${object.label}) is ${object.active ? '' : 'not '}active`);
}

function differs(name: string, { label }: Observed, path: string, ...[told, is]: [unknown, Json]): Violation {
  const texts = [told, is].map((one) => JSON.stringify(one));
  return new Violation('audit', `replayed: ${name} (${label}), ${path} should be ${texts[0]}, and is ${texts[1]}`);
}
