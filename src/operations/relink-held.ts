import { SyncError } from '../errors.js';
import { type LinkedByHand, linkByHand } from '../link-by-hand.js';
import { ENTITIES, wordFor } from '../model/entity.js';
import { newId } from '../planning/saved/summary.js';
import { approve, type GivenApproval } from './approve.js';
import { findHold } from './find-hold.js';
import { type LockContext, withLockedStores } from './with-locked-stores.js';
import type { DecisionContext } from './with-stores.js';

/** A hold, and what an operator says of it. */
interface RelinkOrder {
  readonly id: string;
  readonly reason: string;
}

/**
 * Links the record of a hold to the object that it is held for.
 *
 * @throws SyncError SYNC_HOLD_UNKNOWN, SYNC_HOLD_UNDECIDABLE, SYNC_LINK_TAKEN, SYNC_STATE_LOCKED
 */
export async function relinkHeld(
  context: DecisionContext & LockContext,
  { id, reason }: RelinkOrder,
): Promise<LinkedByHand> {
  const { entity, key, object } = await findRelink(context, id);
  const { clock, config, by, holder } = context;
  return withLockedStores(context, (stores) => {
    const run = newId('r', clock);
    const decided = { run, stores, clock, configDigest: config.digest, startedBy: `${by}: ${holder}` };
    return linkByHand({ entity, key, reason }, object, decided);
  });
}

/**
 * Lets the record of a hold stand by itself, beside the object that it looks like.
 *
 * @throws SyncError SYNC_HOLD_UNKNOWN, SYNC_HOLD_UNDECIDABLE, SYNC_APPROVAL_NOTHING
 */
export async function standApart(context: DecisionContext, { id, reason }: RelinkOrder): Promise<GivenApproval> {
  const { entity, key } = await findRelink(context, id);
  return (await approve(context, { who: `${wordFor(entity)}:${key}`, reason })).document;
}

async function findRelink(context: DecisionContext, id: string) {
  const hold = await findHold(context, id);
  const { relink } = hold;
  const entity = ENTITIES.find((name) => name === hold.entity);
  if (relink !== undefined && entity !== undefined) return { entity, key: relink.key, object: relink.id };
  throw new SyncError('SYNC_HOLD_UNDECIDABLE', {
    message: `${hold.id} (${hold.code}) names no one object that the record could be linked to: ${hold.reason}`,
    place: hold.place,
    remedy: 'Link it by hand: `talent-sync link ENTITY KEY ID`',
  });
}
