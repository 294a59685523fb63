import { ACTIONS, type Action, ENTITIES, type Entity, isAccount, TRAITS } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import { adviseName } from '../../model/nearest.js';
import type { Config, EntityGuards } from '../config.js';
import type { ConfigProblems } from '../yaml/config-problems.js';
import type { DeliveryLimit, GuardLimit, GuardsInput, WrittenLimit } from './guard-schema.js';

/** A limit without its window, because the default window depends on the entity. */
type UsualLimit = Partial<Omit<GuardLimit, 'withinMs'>>;
interface UsualGuards extends Readonly<Partial<Record<Action, UsualLimit>>> {
  readonly fields?: Readonly<Record<string, UsualLimit>>;
}

/** A wrong mapping changes one field of almost everyone. */
const ANY_FIELD: UsualGuards = { fields: { '*': { percent: 50, min: 50 } } };

/** Another company's list or reformatted keys create at least this many objects. Seasonal joiners stay below the limit. */
const CREATE: UsualLimit = { percent: 20, min: 20, afterFirstLoad: true };
const UPDATE: UsualLimit = { percent: 30, min: 20 };

/** The default limits. They are strictest for the loss of people, and less strict for updates. */
const DEFAULT_GUARDS: Readonly<Partial<Record<Entity, UsualGuards>>> = {
  users: {
    create: CREATE,
    deactivate: { max: 10, maxPercent: 0.25, percent: 2, min: 3 },
    update: UPDATE,
    reactivate: { percent: 1, min: 3 },
    // A few people with a new number are normal. Many indicate a renumbering or another file.
    relink: { percent: 1, min: 3 },
    // A deleted account and its CV cannot be restored, so the limit is lower than for deactivation.
    delete: { max: 5, maxPercent: 0.25, percent: 1, min: 1 },
    ...ANY_FIELD,
  },
  customers: { create: CREATE, update: UPDATE, ...ANY_FIELD },
  projects: { create: CREATE, update: UPDATE, ...ANY_FIELD },
  proposals: { create: CREATE },
};
/** Deleted objects cannot be restored, even by an undo. A few deletions are allowed at a time; more need approval. */
const DEFAULT_DELETE: UsualLimit = { max: 10, percent: 2, min: 3 };

const DAY_MS = 86_400_000;

/** Resolves the guards. A configured guard replaces the entire default of its action; `off` removes the guard. */
export function resolveGuards(input: GuardsInput, report: ConfigProblems): Config['guards'] {
  const guards: Partial<Record<Entity, EntityGuards>> = {};
  for (const entity of ENTITIES) {
    const window = windowOf(entity);
    const limits: Partial<Record<Action, GuardLimit>> = {};
    for (const [action, limit] of listLimits(ACTIONS, (name) => [input[entity]?.[name], usualOf(entity, name)]))
      limits[action] = withWindow(limit, window);
    const fields = resolveFieldGuards(entity, input[entity]?.fields ?? {}, report);
    const all = Object.keys(fields).length === 0 ? limits : { ...limits, fields };
    if (Object.keys(all).length > 0)
      guards[entity] = isAccount(entity) ? { ...all, promote: resolvePromote(input) } : all;
  }
  return guards;
}

/** Few people may gain power without approval. Power over a country always needs approval. */
const PROMOTE = { other: { max: 3 }, countrymanager: { max: 0 } } as const satisfies Readonly<
  Record<string, UsualLimit>
>;

function resolvePromote({ users }: GuardsInput): NonNullable<EntityGuards['promote']> {
  const given = users?.promote;
  const choose = (name: keyof typeof PROMOTE): GuardLimit | null => {
    const limit = given === null ? null : given?.[name];
    return limit === null ? null : withWindow(limit ?? PROMOTE[name], DAY_MS);
  };
  return { other: choose('other'), countrymanager: choose('countrymanager') };
}

function usualOf(entity: Entity, action: Action): UsualLimit | null {
  return DEFAULT_GUARDS[entity]?.[action] ?? (action === 'delete' ? DEFAULT_DELETE : null);
}

/**
 * Returns the window of an entity. Staffing and CV sections change in waves, so each run is counted separately; other changes
 * are counted per day.
 */
function windowOf(entity: Entity): number {
  return TRAITS[entity].onCv === true ? 0 : DAY_MS;
}

const NO_LIMIT = { max: null, maxPercent: null, percent: null, min: null };

function withWindow(limit: UsualLimit | WrittenLimit, usual: number): GuardLimit {
  return { ...NO_LIMIT, ...limit, withinMs: ('withinMs' in limit ? limit.withinMs : null) ?? usual };
}

/** null if the guard is turned off, undefined if it is not configured. */
type Guard<Limit> = Limit | null | undefined;

/** Returns the configured limit of each name, or its default. Limits that are turned off are omitted. */
function listLimits<Name extends string, Given, Usual>(
  names: readonly Name[],
  look: (name: Name) => readonly [given: Guard<Given>, usual: Usual | null],
): readonly (readonly [Name, Given | Usual])[] {
  return names.flatMap((name) => {
    const [given, usual] = look(name);
    const limit = given === undefined ? usual : given;
    return limit === null ? [] : [[name, limit] as const];
  });
}

function resolveFieldGuards(
  entity: Entity,
  given: Readonly<Record<string, Guard<WrittenLimit>>>,
  report: ConfigProblems,
): Readonly<Record<string, GuardLimit | null>> {
  const known = Object.keys(FIELDS[entity]);
  const window = windowOf(entity);
  const usual = Object.entries(DEFAULT_GUARDS[entity]?.fields ?? {});
  const fields: Record<string, GuardLimit | null> = Object.fromEntries(
    usual.map(([name, limit]) => [name, withWindow(limit, window)]),
  );
  for (const [name, guard] of Object.entries(given)) {
    if (name !== '*' && !known.includes(name)) {
      const remedy = adviseName(name, known, `Fields: ${known.join(', ')}.`);
      report.add(['guards', entity, 'fields', name], `${entity} have no field \`${name}\``, remedy, 'key');
    }
    fields[name] = guard === null || guard === undefined ? null : withWindow(guard, window);
  }
  return fields;
}

/** The default limit for write-back. Filling an empty value is not limited. */
const DEFAULT_OVERWRITE: UsualLimit = { percent: 30, min: 20 };

/** Resolves one guard for each stream that may be written to. */
export function resolveSourceGuards(
  input: GuardsInput,
  streams: readonly string[],
  report: ConfigProblems,
): Config['sourceGuards'] {
  const given = input.sources ?? {};
  for (const [name, { overwrite }] of Object.entries(given))
    if (overwrite !== undefined)
      refuseUnknown(name, streams, ['nothing is written to', 'Sources that may be written to'], report);
  const limits = listLimits(streams, (name) => [given[name]?.overwrite, DEFAULT_OVERWRITE]);
  return Object.fromEntries(limits.map(([name, limit]) => [name, withWindow(limit, DAY_MS)]));
}

function refuseUnknown(
  name: string,
  known: readonly string[],
  [found, list]: readonly [string, string],
  report: ConfigProblems,
): void {
  if (known.includes(name)) return;
  const remedy = adviseName(name, known, `${list}: ${known.join(', ') || 'none'}.`);
  report.add(['guards', 'sources', name], `${found} \`${name}\``, remedy, 'key');
}

/** Holds a delivery if half of the known objects are missing and other objects are there instead. */
const DEFAULT_ANOTHER_TENANT: DeliveryLimit = { ...NO_LIMIT, percent: 50, min: 3 };

/**
 * Resolves the limits on suspicious differences. Only the source that decides who exists has a default, because other lists may
 * change between reads.
 */
export function resolveSuspicions(
  input: GuardsInput,
  { existence, deciding }: { readonly existence: string | null; readonly deciding: readonly string[] },
  report: ConfigProblems,
): Config['sourceSuspicions'] {
  const given = input.sources ?? {};
  const streams = [...new Set([...(existence === null ? [] : [existence]), ...deciding])];
  for (const [name, { another_tenant: limit }] of Object.entries(given))
    if (limit !== undefined)
      refuseUnknown(name, streams, ['nothing is decided by', 'Sources that decide what exists'], report);
  const limits = listLimits(streams, (name) => [
    given[name]?.another_tenant,
    name === existence ? DEFAULT_ANOTHER_TENANT : null,
  ]);
  return Object.fromEntries(limits.map(([name, limit]) => [name, { another_tenant: limit }]));
}
