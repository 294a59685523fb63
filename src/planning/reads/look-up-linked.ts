import { loadDirectory } from '../../mirror/directory.js';
import { isListedAlone, type Sought, wasMissed } from '../../mirror/look-up.js';
import { currentRound } from '../../mirror/refresh.js';
import type { Candidate } from '../../model/desired.js';
import { idOfIn } from '../../model/directory.js';
import { type Entity, liesOnCv } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import { type Json, objectOf } from '../../model/json.js';
import { PEOPLE_MEANT } from '../../model/people-meant.js';
import type { DeriveContext } from '../derive-context.js';

/**
 * Looks up linked objects that no list has shown, before they count as deleted. A link has the id of its object even if
 * the mirror was lost. If nothing shows what happened to the object, the record is held.
 */
export async function lookUpLinked(entity: Entity, context: DeriveContext): Promise<void> {
  const { stores, refresh, now } = context;
  const { work, mirror } = stores;
  const { lookUps } = refresh;
  for (const candidate of work.unmirrored(entity)) {
    const { linkedId } = candidate;
    if (linkedId === null || mirror.get(entity, linkedId) !== null) continue;
    const sought = soughtOf(candidate, linkedId, context);
    if (!isWanted(candidate, sought, context)) continue;
    const found = await lookUps.find(sought);
    if (found === 'gone') continue;
    if (found !== 'unknown') mirror.save([found], currentRound(mirror, entity));
    else if (!isListedAlone(sought) || !wasMissed(mirror, `${entity}.${linkedId}`, true, now))
      lookUps.doubt(entity, linkedId);
  }
}

/** A leaver may stay in the source for years after the account is gone, and nothing is changed on a closed CV. */
function isWanted({ desired }: Candidate, { values }: Sought, { stores, usersFresh }: DeriveContext): boolean {
  if (desired.leaver && !usersFresh) return false;
  if (!liesOnCv(desired.entity)) return true;
  const { user_id: userId } = values;
  return typeof userId === 'string' && stores.mirror.get('users', userId)?.active === true;
}

/** The facts that the link and its record give about the object: its keys, and the ids of its owners. */
function soughtOf({ desired, base }: Candidate, id: string, { stores }: DeriveContext): Sought {
  const { entity } = desired;
  const idOf = idOfIn(loadDirectory(stores.mirror));
  const values: Record<string, Json> = { ...desired.values, ...base };
  const meant = objectOf(base?.[PEOPLE_MEANT]);
  for (const [name, { to }] of Object.entries(FIELDS[entity])) {
    const word = values[name];
    if (to === undefined || typeof word !== 'string') continue;
    const owner = meant[word] ?? idOf(to, word);
    if (owner !== null) values[`${name}_id`] = owner;
  }
  return { entity, id, values };
}
