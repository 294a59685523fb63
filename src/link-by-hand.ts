import { recordEnd } from './apply/outcome.js';
import { appendEvent } from './audit/audit-log.js';
import { type Clock, isoNow } from './clock.js';
import { SyncError } from './errors.js';
import { type Entity, TRAITS } from './model/entity.js';
import type { Observed } from './model/observed.js';
import { type Change, SOURCE_KEY } from './model/plan.js';
import { shortenDigest } from './model/sha256.js';
import { typed } from './model/typed.js';
import { LINK } from './model/undo.js';
import { buildChange } from './reconcile/build-change.js';
import type { Stores } from './store/open-stores.js';

/** What an operator says of one link. */
export interface LinkOrder {
  readonly entity: Entity;
  readonly key: string;
  /** Blank for none given. */
  readonly reason: string;
}

export interface LinkContext {
  readonly run: string;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly configDigest: string;
  /** `ops: link, process 4711 on worker-1` */
  readonly startedBy: string;
}

/** How it ended: a run of one change, which `undo` takes back like any other. */
export interface LinkedByHand {
  readonly run: string;
  readonly entity: Entity;
  readonly key: string;
  readonly id: string;
  readonly label: string;
  /** The key that the object was linked to before. */
  readonly from: string | null;
}

/**
 * Links a key to an object of the service, from whichever key it was linked to. The next run compares the two. Should the
 * record of that other key stay in the source, it has no effect: the operator has said that both are the same.
 *
 * @throws SyncError SYNC_LINK_TAKEN where the key stands for another object
 */
export function linkByHand(order: LinkOrder, id: string, context: LinkContext): LinkedByHand {
  const { entity, key } = order;
  const { links, mirror } = context.stores;
  const object = mirror.get(entity, id);
  if (object === null) {
    throw new SyncError('SYNC_NOT_FOUND', {
      message: `The copy of the service holds no ${TRAITS[entity].singular} with the id ${id}.`,
      place: 'link',
      remedy: 'See whether the id is right, and bring the copy up to date: `talent-sync mirror refresh --full`',
    });
  }
  const link = links.find(entity, key);
  if (link !== null && link.serviceId !== id) {
    throw new SyncError('SYNC_LINK_TAKEN', {
      message: `${key} is linked to ${mirror.get(entity, link.serviceId)?.label ?? 'an object'} (${link.serviceId}).`,
      place: 'link',
      remedy: `Take that link off first: \`talent-sync unlink ${entity} ${typed(key)}\``,
    });
  }
  const from = links.findByServiceId(entity, id)?.sourceKey ?? null;
  return record(order, object, { from, to: key }, context);
}

/**
 * Takes the link of a key off. The key is not matched again by itself: its record waits until it is linked by hand.
 *
 * @throws SyncError SYNC_NOT_FOUND where the key has no link
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
  return record(order, object, { from: key, to: null }, context);
}

/** The keys that an object is linked to, before and after. */
interface MovedLink {
  readonly from: string | null;
  readonly to: string | null;
}

function record(order: LinkOrder, object: Observed, moved: MovedLink, context: LinkContext): LinkedByHand {
  const { entity, key } = order;
  const { run, stores, clock, configDigest, startedBy } = context;
  const { history, pins } = stores;
  const command = moved.to === null ? 'unlink' : 'link';
  const at = isoNow(clock);
  const change = buildRelink(order, object, moved, command);
  const counts = { [entity]: { relink: 1 } };
  const result = JSON.stringify({ run, counts, done: 1, failed: [], held: [], guards: [] });
  stores.state.transaction(() => {
    history.startRun({ id: run, command, startedAt: at, configDigest });
    const config = shortenDigest(configDigest);
    appendEvent(stores.audit, { kind: 'run started', at, run, command, by: startedBy, config });
    const end = { change, run, at, approval: null, calls: [], result: 'done', error: null, observed: object } as const;
    recordEnd(
      stores,
      end,
      () => configDigest,
      () => undefined,
    );
    if (moved.to === null)
      pins.pin([{ entity, key, path: LINK, value: object.id, mapping: LINK, undone: run, run, at }]);
    if (moved.from !== null && moved.to !== null)
      history.noteSameRecord(entity, object.id, { from: moved.from, to: moved.to });
    history.endRun(run, { endedAt: at, plan: null, exitCode: 0, result });
  });
  return { run, entity, key, id: object.id, label: object.label, from: moved.from };
}

function buildRelink(
  { entity, key, reason }: LinkOrder,
  { id, label, hash }: Observed,
  { from, to }: MovedLink,
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
