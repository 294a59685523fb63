import { type Entity, isAccount } from '../../model/entity.js';
import { type PlannedChange, recordKeyOf } from '../../model/plan.js';
import type { PlanDocument } from '../../planning/saved/plan-document.js';
import {
  describeMirror,
  type Explanation,
  explainDeparture,
  findAbsence,
  pickAction,
  type StoredApp,
} from './explain.js';
import { listHistory } from './history.js';

/** An explanation from the data of earlier runs. */
export interface StoredExplanation extends Explanation {
  /** ISO 8601: the last complete read of the service; null before the first one. */
  readonly read_at: string | null;
  /** The plan that `action` and `guard` come from; null if none is stored. */
  readonly plan: string | null;
}

interface AskedStored {
  readonly entity: Entity;
  readonly key: string;
  /** ISO 8601 */
  readonly now: string;
  /** The newest complete plan; null if none is stored. */
  readonly plan: PlanDocument | null;
}

/** Steps that need a new read of the sources. */
const UNREAD = {
  ...{ sources: [], scope: null, leaver: null, joiner: null, doubtful: null, fields: [] },
  ...{ named_in: null, starts: null, left_alone: null, setting: null, unverifiable: [], write_back: null },
} as const;

/** Explains an object without reading a source, sending calls or taking a lock. */
export async function explainStored(
  { stores, config }: StoredApp,
  { entity, key, now, plan }: AskedStored,
): Promise<StoredExplanation> {
  const { links, mirror, work, pins, declines, waiting, audit } = stores;
  const link = links.find(entity, key);
  const object = link === null ? null : mirror.get(entity, link.serviceId);
  const change = plan === null ? null : await findPlanned(plan, entity, key);
  const steps: Explanation['steps'] = {
    ...UNREAD,
    desired: work.valuesBefore(entity, key),
    correlation: {
      ...{ link: link?.serviceId ?? null, origin: link?.origin ?? null, since: link?.at ?? null },
      ...{ found: null, match: [] },
    },
    mirror: describeMirror({ stores, config }, object),
    base: link?.base ?? null,
    absence: findAbsence({ stores, config }, { entity, key }),
    departure: isAccount(entity) ? explainDeparture({ stores, config }, key, object) : null,
    pins: pins.ofRecord(entity, key).map(({ path, undone, run, at }) => ({ path, undone, run, at })),
    declined: declines
      .ofRecord(entity, key, now)
      .map(({ id, path, who, reason, at, until }) => ({ id, path, who, reason, at, until })),
    held: [...waiting.holds(now)].filter((hold) => hold.entity === entity && hold.key === key),
    history: listHistory(audit, entity, key),
    action: change === null ? null : pickAction(change),
    guard: change?.withheld ?? null,
  };
  return { entity, key, steps, read_at: mirror.mark('users.full_read_at'), plan: plan?.meta.plan ?? null };
}

async function findPlanned(plan: PlanDocument, entity: Entity, key: string): Promise<PlannedChange | null> {
  for await (const batch of plan.changes()) {
    const found = batch.find((change) => change.entity === entity && recordKeyOf(change.key) === key);
    if (found !== undefined) return found;
  }
  return null;
}
