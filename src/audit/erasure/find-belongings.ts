import { isJsonObject, type Json } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';
import type { Stores } from '../../store/open-stores.js';
import { parseRow } from '../audit-log.js';
import { PERSONAL_ENTITIES } from '../people.js';
import { contentOf } from '../read-log.js';
import type { Belonging } from './person.js';

interface SeenBelonging extends Belonging {
  /** Whose it is, as far as this place tells: an update does not say it again. */
  readonly users: readonly string[];
}

/**
 * The objects that belong to a person, of whom `names` are all keys, ids, addresses and pseudonyms. What says whose it is
 * leads to what does not, by source key and service id.
 */
export function findBelongings(stores: Stores, names: readonly string[]): readonly Belonging[] {
  const wanted = new Set(names.map(foldKey));
  const seen = [...new Map([...eachSeen(stores)].map((one) => [JSON.stringify(one), one])).values()];
  const known = new Set<string>();
  const found = new Set<SeenBelonging>();
  const isTheirs = (one: SeenBelonging): boolean =>
    one.users.some((user) => wanted.has(foldKey(user))) || marksOf(one).some((mark) => known.has(mark));
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const one of seen.filter(isTheirs)) {
      found.add(one);
      for (const mark of marksOf(one)) known.add(mark);
    }
  }
  return [...found].map(({ entity, key, id }) => ({ entity, key, id }));
}

function marksOf({ entity, key, id }: Belonging): readonly string[] {
  return [...(key === null ? [] : [`${entity} key ${key}`]), ...(id === null ? [] : [`${entity} id ${id}`])];
}

function* eachSeen({ erasure, audit }: Stores): Iterable<SeenBelonging> {
  for (const row of erasure.rows('state', 'links'))
    yield* see(row.entity, row.source_key, row.service_id, [parse(row.agreed), parse(row.written)]);
  for (const row of erasure.rows('mirror', 'objects')) yield* see(row.entity, null, row.id, [parse(row.body)]);
  for (const row of erasure.rows('state', 'journal')) yield* seeChange(parse(row.change));
  for (const row of audit.rows()) {
    const line = parseRow(row);
    if (line !== null) yield* seeChange(contentOf(line) as unknown as Json);
  }
}

function* seeChange(change: Json): Iterable<SeenBelonging> {
  if (isJsonObject(change))
    yield* see(change.entity, change.key, change.target, [change.before ?? null, change.after ?? null]);
}

function* see(
  entity: Json | undefined,
  key: Json | undefined,
  id: Json | undefined,
  sides: readonly Json[],
): Iterable<SeenBelonging> {
  if (typeof entity !== 'string' || !PERSONAL_ENTITIES.has(entity)) return;
  const users = sides.flatMap((side) => (isJsonObject(side) ? [side.user, side.user_id] : [])).flatMap(text);
  yield { entity, key: text(key)[0] ?? null, id: text(id)[0] ?? null, users };
}

function text(value: Json | undefined): readonly string[] {
  return typeof value === 'string' ? [value] : [];
}

function parse(value: Json | undefined): Json {
  return typeof value === 'string' ? (JSON.parse(value) as Json) : null;
}
