import { ACTIONS, type Action, ENTITIES, type Entity } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import { adviseName } from '../../model/nearest.js';
import type { Config, EntityGuards } from '../config.js';
import type { ConfigProblems } from '../yaml/config-problems.js';
import type { GuardLimit, GuardsInput } from './guard-schema.js';

/** So many updates may touch one field: a mapping that goes wrong shows in one field of nearly everybody. */
const ANY_FIELD: EntityGuards = { fields: { '*': { max: null, percent: 50, min: 50 } } };

/** Another company's list, or a key that was formatted again, shows as many new objects; joiners of a season do not. */
const CREATE: GuardLimit = { max: null, percent: 20, min: 20, afterFirstLoad: true };
const UPDATE: GuardLimit = { max: null, percent: 30, min: 20 };

/** What holds where the configuration says nothing: losing people is the worst, then rewriting many of them. */
const DEFAULT_GUARDS: Readonly<Partial<Record<Entity, EntityGuards>>> = {
  users: {
    create: CREATE,
    deactivate: { max: 10, percent: 2, min: 3 },
    update: UPDATE,
    reactivate: { max: null, percent: 1, min: 3 },
    // One person more or less under a new number is daily life; many of them are a renumbering, or another file.
    relink: { max: null, percent: 1, min: 3 },
    // Nothing brings an account back, nor its CV: fewer than may be deactivated.
    delete: { max: 5, percent: 1, min: 1 },
    ...ANY_FIELD,
  },
  customers: { create: CREATE, update: UPDATE, ...ANY_FIELD },
  projects: { create: CREATE, update: UPDATE, ...ANY_FIELD },
  proposals: { create: CREATE },
};
/** What is deleted does not come back, by whatever it is removed, an undo too: a few at a time, the others wait for a person. */
const DEFAULT_DELETE: GuardLimit = { max: 10, percent: 2, min: 3 };

/** A guard that is given replaces the default of its action as a whole; `off` leaves none. */
export function resolveGuards(input: GuardsInput, report: ConfigProblems): Config['guards'] {
  const guards: Partial<Record<Entity, EntityGuards>> = {};
  for (const entity of ENTITIES) {
    const limits: Partial<Record<Action, GuardLimit>> = {};
    for (const [action, limit] of listLimits(ACTIONS, (name) => [input[entity]?.[name], usualOf(entity, name)]))
      limits[action] = limit;
    const fields = resolveFieldGuards(entity, input[entity]?.fields ?? {}, report);
    const all = Object.keys(fields).length === 0 ? limits : { ...limits, fields };
    if (Object.keys(all).length > 0) guards[entity] = all;
  }
  return guards;
}

function usualOf(entity: Entity, action: Action): GuardLimit | null {
  return DEFAULT_GUARDS[entity]?.[action] ?? (action === 'delete' ? DEFAULT_DELETE : null);
}

/** Null where it is turned off, undefined where nothing is said of it. */
type Guard = GuardLimit | null | undefined;

/** Of each what is given, else the usual; those that are turned off are left out. */
function listLimits<Name extends string>(
  names: readonly Name[],
  look: (name: Name) => readonly [given: Guard, usual: GuardLimit | null],
): readonly (readonly [Name, GuardLimit])[] {
  return names.flatMap((name) => {
    const [given, usual] = look(name);
    const limit = given === undefined ? usual : given;
    return limit === null ? [] : [[name, limit] as const];
  });
}

function resolveFieldGuards(
  entity: Entity,
  given: Readonly<Record<string, Guard>>,
  report: ConfigProblems,
): Readonly<Record<string, GuardLimit | null>> {
  const known = Object.keys(FIELDS[entity]);
  const fields: Record<string, GuardLimit | null> = { ...DEFAULT_GUARDS[entity]?.fields };
  for (const [name, guard] of Object.entries(given)) {
    if (name !== '*' && !known.includes(name)) {
      const remedy = adviseName(name, known, `Fields: ${known.join(', ')}.`);
      report.add(['guards', entity, 'fields', name], `${entity} have no field \`${name}\``, remedy, 'key');
    }
    fields[name] = guard ?? null;
  }
  return fields;
}

/** What holds of writing back where the configuration says nothing: values that were empty may be filled without limit. */
const DEFAULT_OVERWRITE: GuardLimit = { max: null, percent: 30, min: 20 };

/** One for each stream that may be written to. */
export function resolveSourceGuards(
  input: GuardsInput,
  streams: readonly string[],
  report: ConfigProblems,
): Config['sourceGuards'] {
  const given = input.sources ?? {};
  for (const [name, { overwrite }] of Object.entries(given))
    if (overwrite !== undefined) refuseUnknown(name, streams, ['nothing is written to', 'May be written to'], report);
  return Object.fromEntries(listLimits(streams, (name) => [given[name]?.overwrite, DEFAULT_OVERWRITE]));
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
const DEFAULT_ANOTHER_TENANT: GuardLimit = { max: null, percent: 50, min: 3 };

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
