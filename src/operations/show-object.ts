import { isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import type { Config } from '../config/config.js';
import type { Entity } from '../model/entity.js';
import type { Values } from '../model/json.js';
import { readNewestPlan } from '../planning/saved/newest-plan.js';
import { findPlanFile } from '../planning/saved/plan-file.js';
import { readPlan } from '../planning/saved/read-plan.js';
import { plansFolder } from '../planning/saved/save-plan.js';
import { listDifferences } from '../report/sections/differences.js';
import type { Stores } from '../store/open-stores.js';
import { isWho, listSaved } from './choose-changes.js';
import { createFates, type Fate } from './fates.js';
import type { ListedHold } from './find-hold.js';
import type { TenantOperation } from './operation.js';
import { type OperationContext, withStores } from './with-stores.js';

/** Asks for one object by the key of its record, or by its id in the service. */
export interface ObjectQuestion {
  readonly entity: Entity;
  readonly key: string;
}

/** One value on both sides, as text. Null on a side without the value. */
export interface SidedValue {
  /** `title.no` */
  readonly field: string;
  readonly wanted: string | null;
  readonly service: string | null;
  /** The side with the winning value: `source`, `service`, or the side that changed last. */
  readonly owner: 'source' | 'service' | 'newest';
  readonly same: boolean;
}

/** A change of the object in the newest complete plan. */
export interface PlannedFor {
  readonly id: string;
  readonly action: string;
  readonly fields: readonly string[];
  /** `guard`, `declined` or `blocked`, and the name; null if a run carries the change out. */
  readonly withheld: { readonly by: string; readonly name: string } | null;
  /** The decision or outcome since the plan; null if there is none. */
  readonly since: { readonly kind: 'approved' | 'half approved' | 'declined' | 'done'; readonly text: string } | null;
}

/** Everything stored about one object. Times are ISO 8601. */
export interface ShownObject {
  readonly entity: Entity;
  readonly key: string | null;
  /** Id in the service. */
  readonly id: string | null;
  readonly label: string | null;
  /** True if the account or object in the service is active; null without one. */
  readonly active: boolean | null;
  /** The record as last read; null if no source delivers it. */
  readonly record: {
    readonly source: string;
    readonly state: string;
    readonly starts: string | null;
    /** For a leaver by date, the day or the text in the source. */
    readonly left: string | null;
  } | null;
  readonly values: readonly SidedValue[];
  readonly plan: string | null;
  readonly planned: readonly PlannedFor[];
  /** `decision` is set once a person has decided a conflict, until a run carries it out. */
  readonly holds: readonly (ListedHold & {
    readonly decision: ReturnType<Stores['outbox']['decisionOn']>;
  })[];
  readonly declines: readonly {
    readonly id: string;
    readonly path: string;
    readonly who: string;
    readonly reason: string;
    readonly until: string | null;
  }[];
  readonly pins: readonly { readonly path: string; readonly run: string; readonly at: string }[];
}

export const SHOW_OBJECT: TenantOperation<ObjectQuestion, ShownObject> = {
  name: 'showObject',
  needs: 'the mirror',
  perform: (context, question) => withStores(context, (stores) => readObject(context, stores, question)),
};

/**
 * Reads both sides of one object, as last read, and everything that waits for the object. Contacts neither sources nor the
 * service.
 *
 * @throws SyncError SYNC_NOT_FOUND if nothing is known by that key or id
 */
async function readObject(context: OperationContext, stores: Stores, question: ObjectQuestion): Promise<ShownObject> {
  const { entity } = question;
  const { links, mirror, work, waiting, declines, pins } = stores;
  const link = links.find(entity, question.key) ?? links.findByServiceId(entity, question.key);
  const key = link?.sourceKey ?? question.key;
  const record = work.recordBefore(entity, key);
  const object = mirror.get(entity, link?.serviceId ?? question.key);
  const now = isoNow(context.clock);
  const holds = [...waiting.holds(now, 'all')].filter((hold) => hold.entity === entity && hold.key === key);
  if (record === null && object === null && link === null && holds.length === 0) throw unknown(question);
  const service = object === null ? {} : stores.withNames(object).values;
  const { plan, planned } = await readPlanned(context, stores, { who: `${entity}:${key}`, now });
  return {
    entity,
    key: record === null && link === null && holds.length === 0 ? null : key,
    id: object?.id ?? link?.serviceId ?? null,
    label: object?.label ?? record?.label ?? null,
    active: object?.active ?? null,
    record:
      record === null
        ? null
        : { source: record.source, state: record.state, starts: record.starts, left: record.left?.on ?? null },
    values: compareSides(context.config, entity, record?.values ?? {}, service),
    plan,
    planned,
    holds: holds.map((hold) => ({
      ...hold,
      decidable: hold.conflict !== undefined,
      decision: hold.conflict === undefined ? null : stores.outbox.decisionOn(hold.conflict),
    })),
    declines: declines
      .ofRecord(entity, key, now)
      .map(({ id, path, who, reason, until }) => ({ id, path, who, reason, until })),
    pins: pins.ofRecord(entity, key).map(({ path, run, at }) => ({ path, run, at })),
  };
}

/** Every managed value. Values that differ come first. */
function compareSides({ mappings }: Config, entity: Entity, wanted: Values, service: Values): readonly SidedValue[] {
  const rules = mappings[entity]?.rules ?? {};
  const fields = [
    ...new Set([...Object.keys(rules).map((path) => path.split('.')[0] ?? path), ...Object.keys(wanted)]),
  ];
  const [here, there] = [listTexts(entity, fields, wanted), listTexts(entity, fields, service)];
  const both = { entity, before: service, after: wanted };
  // `listDifferences` returns every given field, even if the field does not differ.
  const differences = listDifferences({ ...both, fields: fields.filter((field) => field in wanted) });
  const moved = new Set(differences.filter(({ before, after }) => before !== after).map(({ field }) => field));
  const paths = [...new Set([...here.keys(), ...there.keys()])];
  const values = paths.map((field): SidedValue => {
    const rule = rules[field] ?? rules[field.split('.')[0] ?? field];
    const [one, other] = [here.get(field) ?? null, there.get(field) ?? null];
    return { field, wanted: one, service: other, owner: rule?.authority ?? 'source', same: !moved.has(field) };
  });
  return [...values.filter(({ same }) => !same), ...values.filter(({ same }) => same)];
}

function listTexts(entity: Entity, fields: readonly string[], values: Values): ReadonlyMap<string, string> {
  const own = fields.filter((field) => values[field] !== undefined && values[field] !== null);
  const leaves = listDifferences({ entity, fields: own, before: {}, after: values });
  return new Map(leaves.flatMap(({ field, after }) => (after === null ? [] : [[field, after] as const])));
}

/** The changes of an object in the newest complete plan; none if no plan exists. */
async function readPlanned(
  { config }: OperationContext,
  stores: Stores,
  { who, now }: { readonly who: string; readonly now: string },
): Promise<Pick<ShownObject, 'plan' | 'planned'>> {
  const newest = readNewestPlan(stores);
  if (newest === null) return { plan: null, planned: [] };
  try {
    const saved = await readPlan(findPlanFile(plansFolder(config), newest.plan, 'all'), stores.planKey());
    const own = listSaved(saved).filter((change) => isWho(change, who));
    if (own.length === 0) return { plan: newest.plan, planned: [] };
    const fateOf = createFates(stores, { now, since: saved.meta.created, current: saved });
    const halves = stores.history.halfApprovalsAt(now);
    const planned = own.map(({ id, action, withheld, ...change }) => ({
      ...{ id, action },
      fields: 'fields' in change ? (change.fields as readonly string[]) : [],
      withheld: withheld === null ? null : { by: withheld.by, name: withheld.name },
      since: describeFate(fateOf(id), halves.get(id)?.who ?? null),
    }));
    return { plan: newest.plan, planned };
  } catch (error) {
    if (error instanceof SyncError && error.code.startsWith('SYNC_PLAN_')) return { plan: null, planned: [] };
    throw error;
  }
}

function describeFate({ kind, text }: Fate, first: string | null): PlannedFor['since'] {
  if (kind === 'approved' || kind === 'declined' || kind === 'done') return { kind, text };
  return first === null ? null : { kind: 'half approved', text: `approved by ${first}` };
}

function unknown({ entity, key }: ObjectQuestion): SyncError {
  return new SyncError('SYNC_NOT_FOUND', {
    message: `Nothing is known about ${entity}:${key}.`,
    place: 'people',
    remedy: 'Search by key, e-mail or a part of the name.',
  });
}
