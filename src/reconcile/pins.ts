import { createHash } from 'node:crypto';
import type { Candidate } from '../model/desired.js';
import type { Entity } from '../model/entity.js';
import { FIELDS, type Field, type FieldShape } from '../model/fields.js';
import { canonicalJson, isJsonObject, type Json, type Values } from '../model/json.js';
import { foldKey, type Observed } from '../model/observed.js';
import { EXISTENCE, type Existence } from '../model/undo.js';
import { isEmpty } from './compare.js';
import { holdRecord } from './hold-record.js';
import type { ReconcilePorts } from './ports.js';

/** Shapes of which each language, category or name is decided for itself. */
const KEYED: ReadonlySet<FieldShape> = new Set(['multilingual', 'tags', 'tag_sets', 'custom_fields']);

export function isKeyed({ shape }: Field): boolean {
  return KEYED.has(shape);
}

/** Empty values say the same, however they are written; the order of a list says nothing. */
export function hashPinned(value: Json | undefined): string {
  const plain = isEmpty(value) ? null : (value ?? null);
  const items = Array.isArray(plain) ? (plain as readonly Json[]) : null;
  const text = items === null ? canonicalJson(plain) : items.map(canonicalJson).sort().join();
  return createHash('sha256').update(text).digest('base64url');
}

/** The path of one word of a list that only grows: each is undone for itself. */
export function wordPath(field: string, word: string): string {
  return `${field}.${foldKey(word)}`;
}

interface Leaf {
  readonly path: string;
  readonly field: string;
  /** Language, category, name or word; null where the field is one leaf. */
  readonly part: string | null;
  readonly value: Json;
}

function* eachLeaf(entity: Entity, values: Values): Iterable<Leaf> {
  for (const [field, value] of Object.entries(values)) {
    const kind = FIELDS[entity][field];
    if (kind === undefined) continue;
    if (kind.additive === true && Array.isArray(value)) {
      for (const word of value as readonly Json[])
        yield { path: wordPath(field, String(word)), field, part: String(word), value: word };
    } else if (isKeyed(kind) && isJsonObject(value)) {
      for (const [part, item] of Object.entries(value)) yield { path: `${field}.${part}`, field, part, value: item };
    } else yield { path: field, field, part: null, value };
  }
}

/**
 * Takes out of a change what an operator has undone, while the source wants the same. A value is the undone one as the
 * record has it, or as the change would write it: names that cannot be resolved are left out of what is written.
 */
export function dropPinned(
  candidate: Candidate,
  after: Values,
  observed: Observed | null,
  ports: Pick<ReconcilePorts, 'hold' | 'pins'>,
): Values {
  const { entity, key, values } = candidate.desired;
  const pins = new Map(ports.pins(entity, key).map((pin) => [pin.path, pin.value]));
  if (pins.size === 0) return after;
  const wanted = new Map([...eachLeaf(entity, values)].map((leaf) => [leaf.path, leaf.value]));
  const dropped = [...eachLeaf(entity, after)].filter(({ path, field, value }) => {
    const pin = pins.get(path);
    if (pin === undefined || (observed === null && FIELDS[entity][field]?.required === true)) return false;
    return hashPinned(wanted.get(path)) === pin || hashPinned(value) === pin;
  });
  const shown = observed?.values ?? {};
  const kept = dropped.filter((leaf) => !isThere(leaf, shown)).map(({ path }) => path);
  if (kept.length > 0) reportPinned(candidate, kept.join(', '), ports);
  return withoutLeaves(after, dropped, shown);
}

/** A language goes along in a text that another one moves: then there is nothing to tell. */
function isThere({ field, part, value }: Leaf, shown: Values): boolean {
  const whole = shown[field];
  if (part !== null && Array.isArray(whole))
    return (whole as readonly Json[]).some((word) => foldKey(String(word)) === foldKey(part));
  const there = part !== null && isJsonObject(whole) ? whole[part] : whole;
  return hashPinned(value) === hashPinned(there);
}

/** A text is sent whole: a language that is taken out stays as the service has it, and a text that then moves nothing goes. */
function withoutLeaves(after: Values, dropped: readonly Leaf[], observed: Values): Values {
  const left: Record<string, Json> = { ...after };
  for (const { field, part, value } of dropped) {
    const whole = left[field];
    if (part === null) delete left[field];
    else if (Array.isArray(whole)) left[field] = (whole as readonly Json[]).filter((word) => word !== value);
    else if (isJsonObject(whole)) left[field] = withPart(whole, part, observed[field]);
  }
  for (const field of new Set(dropped.map((leaf) => leaf.field))) {
    const value = left[field];
    if (value !== undefined && movesNothing(value, observed[field])) delete left[field];
  }
  return left;
}

function withPart(whole: Values, part: string, observed: Json | undefined): Values {
  const { [part]: _dropped, ...others } = whole;
  const there = isJsonObject(observed) ? observed[part] : undefined;
  return isEmpty(there) ? others : { ...others, [part]: there ?? null };
}

function movesNothing(value: Json, observed: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (!isJsonObject(value)) return false;
  const held = isJsonObject(observed) ? observed : {};
  return Object.entries(value).every(([part, item]) => canonicalJson(item) === canonicalJson(held[part] ?? null));
}

/** Forgets the pins of values that the source does not want any more; `after` is what would be written by now. */
export function forgetPins(candidate: Candidate, after: Values, ports: Pick<ReconcilePorts, 'pins' | 'unpin'>): void {
  const { entity, key, values } = candidate.desired;
  const pins = ports.pins(entity, key).filter(({ path }) => path !== EXISTENCE);
  if (pins.length === 0) return;
  const wanted = new Map([...eachLeaf(entity, values)].map((leaf) => [leaf.path, hashPinned(leaf.value)]));
  const written = new Map([...eachLeaf(entity, after)].map((leaf) => [leaf.path, hashPinned(leaf.value)]));
  for (const { path, value } of pins) {
    // A field that the record leaves empty is kept as it is: it wants nothing, so it wants something else than it did.
    if ((wanted.get(path) ?? hashPinned(null)) !== value && written.get(path) !== value) ports.unpin(entity, key, path);
  }
}

/**
 * Whether an operator has undone what the record's state asks for: an account that is to be here, or to be gone.
 *
 * | pinned | the record | →                                             |
 * |--------|------------|-----------------------------------------------|
 * | here   | is here    | no create, no reactivation                    |
 * | gone   | has left   | no deactivation, no deletion                  |
 * | other  | other      | the source has moved: the pin is forgotten    |
 */
export function isExistencePinned(
  entity: Entity,
  key: string,
  wants: Existence,
  ports: Pick<ReconcilePorts, 'pins' | 'unpin'>,
): boolean {
  const pin = ports.pins(entity, key).find(({ path }) => path === EXISTENCE);
  if (pin === undefined) return false;
  if (pin.value === hashPinned(wants)) return true;
  ports.unpin(entity, key, EXISTENCE);
  return false;
}

/** Told, not counted as a fault: an operator wanted it so. */
export function reportPinned(
  record: Candidate | { readonly entity: Entity; readonly key: string; readonly place: string },
  what: string,
  ports: Pick<ReconcilePorts, 'hold'>,
): void {
  const { entity, key } = 'desired' in record ? record.desired : record;
  const reason = `${what}: undone by an operator, and not done again while the source and the mapping stay the same.`;
  const remedy = `Change it in the source, or let it be done again: talent-sync undo --unpin ${entity}:${key}`;
  if ('desired' in record) holdRecord(record, 'SYNC_UNDONE_PINNED', { reason, remedy }, ports);
  else ports.hold({ entity, key, place: record.place, code: 'SYNC_UNDONE_PINNED', reason, remedy });
}
