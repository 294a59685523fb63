import { foldKey } from '../../model/observed.js';
import type { Stores } from '../../store/open-stores.js';
import { PERSONAL_ENTITIES } from '../people.js';
import { type Belonging, marksOf, stringOf } from './person.js';
import { eachSighting } from './sightings.js';

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

function* eachSeen(stores: Stores): Iterable<SeenBelonging> {
  for (const { entity, key, id, sides } of eachSighting(stores)) {
    if (!PERSONAL_ENTITIES.has(entity)) continue;
    const users = sides.flatMap(({ user, user_id }) => [user, user_id]).flatMap((one) => stringOf(one) ?? []);
    yield { entity, key, id, users };
  }
}
