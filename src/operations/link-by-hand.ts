import { recordEnd } from '../apply/outcome.js';
import { type Clock, isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import { type Entity, isAccount, TRAITS } from '../model/entity.js';
import { groupBy } from '../model/group-by.js';
import type { Observed } from '../model/observed.js';
import { type Change, SOURCE_KEY } from '../model/plan.js';
import { shortenDigest } from '../model/sha256.js';
import { typed } from '../model/typed.js';
import { LINK } from '../model/undo.js';
import { buildChange } from '../reconcile/build-change.js';
import { appendEvent } from '../store/audit/audit-log.js';
import type { Stores } from '../store/open-stores.js';

/** An operator's order about one link. */
export interface LinkOrder {
  readonly entity: Entity;
  readonly key: string;
  /** The reason, which may be blank. */
  readonly reason: string;
}

export interface LinkContext {
  readonly run: string;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly configDigest: string;
  /** `ops: link, process 4711 on worker-1` */
  readonly startedBy: string;
  /**
   * True if only one person confirmed that the two are the same, although two people must confirm. If the two look
   * different, a guard asks.
   */
  readonly alone: boolean;
}

/** The result, which is a run with one change. `undo` can undo this run like any other. */
export interface LinkedByHand {
  readonly run: string;
  readonly entity: Entity;
  readonly key: string;
  readonly id: string;
  readonly label: string;
  /** The key to which the object was linked before. */
  readonly from: string | null;
}

/**
 * Links a key to an object of the service, and unlinks the key that the object had. The next run compares the two. A record
 * of the old key in the source no longer has an effect, because the operator has said that both records are the same.
 *
 * @throws SyncError SYNC_LINK_TAKEN if the key is linked to another object
 */
export function linkByHand(order: LinkOrder, id: string, context: LinkContext): LinkedByHand {
  const [linked] = linkAll([{ ...order, id }], context);
  if (linked === undefined) throw new Error('a link was not made');
  return linked;
}

/**
 * Links many keys in one run.
 *
 * @throws SyncError SYNC_LINK_TAKEN, SYNC_NOT_FOUND. No link is created in that case
 */
export function linkAll(
  orders: readonly (LinkOrder & { readonly id: string })[],
  context: LinkContext,
): readonly LinkedByHand[] {
  const { links } = context.stores;
  return recordMoves(
    orders.map(({ id, ...order }) => {
      const object = requireFree(order, id, context.stores);
      return { order, object, from: links.findByServiceId(order.entity, id)?.sourceKey ?? null, to: order.key };
    }),
    context,
  );
}

function requireFree({ entity, key }: LinkOrder, id: string, { links, mirror }: Stores): Observed {
  const object = mirror.get(entity, id);
  if (object === null) {
    throw new SyncError('SYNC_NOT_FOUND', {
      message: `The mirror has no ${TRAITS[entity].singular} with the id ${id}.`,
      place: 'link',
      remedy: 'Check the id, and update the mirror: `talent-sync mirror refresh --full`',
    });
  }
  const link = links.find(entity, key);
  if (link !== null && link.serviceId !== id) {
    throw new SyncError('SYNC_LINK_TAKEN', {
      message: `${key} is linked to ${mirror.get(entity, link.serviceId)?.label ?? 'an object'} (${link.serviceId}).`,
      place: 'link',
      remedy: `Remove that link first: \`talent-sync unlink ${entity} ${typed(key)}\``,
    });
  }
  return object;
}

/**
 * Removes the link of a key. The key is not matched again automatically; its record waits until someone links it.
 *
 * @throws SyncError SYNC_NOT_FOUND if the key has no link
 */
export function unlinkByHand(order: LinkOrder, context: LinkContext): LinkedByHand {
  const { entity, key } = order;
  const { links, mirror } = context.stores;
  const link = links.find(entity, key);
  if (link === null) {
    throw new SyncError('SYNC_NOT_FOUND', {
      message: `No ${TRAITS[entity].singular} is linked to ${key}.`,
      place: 'unlink',
      remedy: '`talent-sync explain` shows what a record is linked to; keys are written as in the source.',
    });
  }
  const known = mirror.get(entity, link.serviceId);
  const object = known ?? { entity, id: link.serviceId, label: key, active: true, values: {}, hash: '' };
  const [unlinked] = recordMoves([{ order, object, from: key, to: null }], context);
  if (unlinked === undefined) throw new Error('a link was not removed');
  return unlinked;
}

/** A link, with the keys of its object before and after. */
interface MovedLink {
  readonly order: LinkOrder;
  readonly object: Observed;
  readonly from: string | null;
  readonly to: string | null;
}

function recordMoves(moves: readonly MovedLink[], context: LinkContext): readonly LinkedByHand[] {
  const { run, stores, clock, configDigest, startedBy } = context;
  const { history } = stores;
  const command = moves.some(({ to }) => to === null) ? 'unlink' : 'link';
  const at = isoNow(clock);
  const counts = Object.fromEntries(
    [...groupBy(moves, ({ order }) => order.entity)].map(([entity, all]) => [entity, { relink: all.length }]),
  );
  const result = JSON.stringify({ run, counts, done: moves.length, failed: [], held: [], guards: [] });
  stores.state.transaction(() => {
    history.startRun({ id: run, command, startedAt: at, configDigest });
    const config = shortenDigest(configDigest);
    appendEvent(stores.audit, { kind: 'run started', at, run, command, by: startedBy, config });
    for (const move of moves) recordMove(move, command, at, context);
    history.endRun(run, { endedAt: at, plan: null, exitCode: 0, result });
  });
  return moves.map(({ order: { entity, key }, object, from }) => {
    return { run, entity, key, id: object.id, label: object.label, from };
  });
}

function recordMove(
  { order, object, from, to }: MovedLink,
  command: string,
  at: string,
  { run, stores, configDigest, alone }: LinkContext,
): void {
  const { entity, key } = order;
  const change = buildRelink(order, object, { from, to }, command);
  const end = { change, run, at, approval: null, calls: [], result: 'done', error: null, observed: object } as const;
  recordEnd(
    stores,
    end,
    () => configDigest,
    () => undefined,
  );
  if (to !== null && isAccount(entity)) stores.history.noteSaidSame(to, object.id, { at, alone });
  if (to === null)
    stores.pins.pin([{ entity, key, path: LINK, value: object.id, mapping: LINK, undone: run, run, at }]);
  if (from !== null && to !== null) stores.history.noteSameRecord(entity, object.id, { from, to });
}

function buildRelink(
  { entity, key, reason }: LinkOrder,
  { id, label, hash }: Observed,
  { from, to }: Pick<MovedLink, 'from' | 'to'>,
  command: string,
): Change {
  const moved = `${from ?? 'no record'} → ${to ?? 'no record'} by hand`;
  return buildChange(
    {
      entity,
      action: 'relink',
      key,
      target: id,
      label,
      fields: [SOURCE_KEY],
      before: { [SOURCE_KEY]: from },
      after: { [SOURCE_KEY]: to },
      reason: { kind: 'by_hand', text: reason === '' ? moved : `${moved}: ${reason}` },
      place: command,
      observedHash: hash,
    },
    command,
  );
}
