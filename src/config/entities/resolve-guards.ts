import { ACTIONS, type Action, ENTITIES, type Entity, isAccount, TRAITS } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import { adviseName } from '../../model/nearest.js';
import type { Config, EntityGuards } from '../config.js';
import type { ConfigProblems } from '../yaml/config-problems.js';
import type { DeliveryLimit, GuardLimit, GuardsInput, WrittenLimit } from './guard-schema.js';

/** A limit before its window is known: that follows from what it is of. */
type UsualLimit = Partial<Omit<GuardLimit, 'withinMs'>>;
interface UsualGuards extends Readonly<Partial<Record<Action, UsualLimit>>> {
  readonly fields?: Readonly<Record<string, UsualLimit>>;
}

/** A mapping that goes wrong shows in one field of nearly everybody. */
const ANY_FIELD: UsualGuards = { fields: { '*': { percent: 50, min: 50 } } };

/** Another company's list, or a key that was formatted again, shows as many new objects; joiners of a season do not. */
const CREATE: UsualLimit = { percent: 20, min: 20, afterFirstLoad: true };
const UPDATE: UsualLimit = { percent: 30, min: 20 };

/** What holds where the configuration says nothing: losing people is the worst, then rewriting many of them. */
const DEFAULT_GUARDS: Readonly<Partial<Record<Entity, UsualGuards>>> = {
  users: {
    create: CREATE,
    deactivate: { max: 10, maxPercent: 0.25, percent: 2, min: 3 },
    update: UPDATE,
    reactivate: { percent: 1, min: 3 },
    // One person more or less under a new number is daily life; many of them are a renumbering, or another file.
    relink: { percent: 1, min: 3 },
    // Nothing brings an account back, nor its CV: fewer than may be deactivated.
    delete: { max: 5, maxPercent: 0.25, percent: 1, min: 1 },
    ...ANY_FIELD,
  },
  customers: { create: CREATE, update: UPDATE, ...ANY_FIELD },
  projects: { create: CREATE, update: UPDATE, ...ANY_FIELD },
  proposals: { create: CREATE },
};
/** What is deleted does not come back, by whatever it is removed, an undo too: a few at a time, the others wait for a person. */
const DEFAULT_DELETE: UsualLimit = { max: 10, percent: 2, min: 3 };

const DAY_MS = 86_400_000;

/** A guard that is given replaces the default of its action as a whole; `off` leaves none. */
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

/** Power is gained by few, and a country's by nobody whom no person has looked at. */
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

/** Staffing and sections of CVs come in waves, so each run is counted alone; everything else over a day. */
function windowOf(entity: Entity): number {
  return TRAITS[entity].onCv === true ? 0 : DAY_MS;
}

const NO_LIMIT = { max: null, maxPercent: null, percent: null, min: null };

function withWindow(limit: UsualLimit | WrittenLimit, usual: number): GuardLimit {
  return { ...NO_LIMIT, ...limit, withinMs: ('withinMs' in limit ? limit.withinMs : null) ?? usual };
}

/** Null where it is turned off, undefined where nothing is said of it. */
type Guard<Limit> = Limit | null | undefined;

/** Of each what is given, else the usual; those that are turned off are left out. */
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

/** What holds of writing back where the configuration says nothing: values that were empty may be filled without limit. */
const DEFAULT_OVERWRITE: UsualLimit = { percent: 30, min: 20 };

/** One for each stream that may be written to. */
export function resolveSourceGuards(
  input: GuardsInput,
  streams: readonly string[],
  report: ConfigProblems,
): Config['sourceGuards'] {
  const given = input.sources ?? {};
  for (const [name, { overwrite }] of Object.entries(given))
    if (overwrite !== undefined) refuseUnknown(name, streams, ['nothing is written to', 'May be written to'], report);
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

/** When half of the known are gone, and others are in their place. */
const DEFAULT_ANOTHER_TENANT: DeliveryLimit = { ...NO_LIMIT, percent: 50, min: 3 };

/** Built in for the source that decides who exists; elsewhere lists may well change from one read to the next. */
export function resolveSuspicions(
  input: GuardsInput,
  { existence, deciding }: { readonly existence: string | null; readonly deciding: readonly string[] },
  report: ConfigProblems,
): Config['sourceSuspicions'] {
  const given = input.sources ?? {};
  const streams = [...new Set([...(existence === null ? [] : [existence]), ...deciding])];
  for (const [name, { another_tenant: limit }] of Object.entries(given))
    if (limit !== undefined) refuseUnknown(name, streams, ['nothing is decided by', 'Decide what exists'], report);
  const limits = listLimits(streams, (name) => [
    given[name]?.another_tenant,
    name === existence ? DEFAULT_ANOTHER_TENANT : null,
  ]);
  return Object.fromEntries(limits.map(([name, limit]) => [name, { another_tenant: limit }]));
}
