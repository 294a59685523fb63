import { officeKey, tagKey } from '../model/directory.js';
import type { SourcedEntity } from '../model/entity.js';
import { isJsonObject, type Json, type Values } from '../model/json.js';
import { nearestName } from '../model/nearest.js';
import { foldKey } from '../model/observed.js';
import type { Change, Reason } from '../model/plan.js';
import { buildChange } from './build-change.js';
import type { EntitySettings, ReconcilePorts } from './ports.js';

/** A field whose reference cannot be resolved: left out of the change and reported; it heals in a later run. */
export interface UnresolvedField {
  readonly field: string;
  readonly reason: string;
  readonly remedy: string;
}

export interface Resolution {
  /** `after` without what could not be resolved. */
  readonly after: Values;
  readonly unresolved: readonly UnresolvedField[];
  /** `entity:key` of the changes that must come first. */
  readonly needs: readonly string[];
}

interface Context {
  readonly entity: SourcedEntity;
  readonly key: string;
  readonly place: string;
  readonly settings: EntitySettings;
  readonly ports: ReconcilePorts;
  /** The object as the service has it; null when it is to be created. */
  readonly observed: Values | null;
}

/**
 * Checks every name in `after` against the service: offices, tags, the customer of a project, owners. What is missing
 * and may be created becomes a change of its own that this one needs; what may not is left out and reported.
 */
export function resolveReferences(after: Values, context: Context): Resolution {
  const kept: Record<string, Json> = {};
  const unresolved: UnresolvedField[] = [];
  const needs = new Set<string>();
  for (const [field, value] of Object.entries(after)) {
    const result = resolveField(field, value, context);
    for (const need of result.needs) needs.add(need);
    unresolved.push(...result.unresolved);
    if (result.value !== undefined) kept[field] = result.value;
  }
  return { after: kept, unresolved, needs: [...needs].sort() };
}

interface FieldResolution {
  readonly value: Json | undefined;
  readonly needs: readonly string[];
  readonly unresolved: readonly UnresolvedField[];
}

function fine(value: Json, needs: readonly string[] = []): FieldResolution {
  return { value, needs, unresolved: [] };
}

function resolveField(field: string, value: Json, context: Context): FieldResolution {
  if (field === 'office') return resolveOffices(field, [value], context, () => value);
  // Null clears the field and refers to nothing.
  if ((field === 'role_allowed_offices' || field === 'offices') && Array.isArray(value)) {
    return resolveOffices(field, value as readonly Json[], context, (good) => good);
  }
  if (field === 'tags' && isJsonObject(value)) return resolveTags(value, context);
  if (field === 'customer') return resolveCustomer(String(value), context);
  if (field === 'owners' && Array.isArray(value)) return resolveOwners(value as readonly Json[], context);
  return fine(value);
}

function resolveOffices(
  field: string,
  offices: readonly Json[],
  context: Context,
  whole: (good: readonly Json[]) => Json,
): FieldResolution {
  const needs: string[] = [];
  const unresolved: UnresolvedField[] = [];
  const good: Json[] = [];
  for (const office of offices) {
    if (!isJsonObject(office)) continue;
    const [country, name] = [String(office.country ?? ''), String(office.name ?? '')];
    const problem = needOffice(country, name, context, needs);
    if (problem === null) good.push(office);
    else unresolved.push({ field, ...problem });
  }
  return { value: good.length > 0 ? whole(good) : undefined, needs, unresolved };
}

function needOffice(
  country: string,
  name: string,
  { settings, ports, place }: Context,
  needs: string[],
): { reason: string; remedy: string } | null {
  const { directory } = ports;
  if (directory.officeId(country, name) !== null) return null;
  if (!directory.hasCountry(country)) {
    return {
      reason: `The service has no country "${country}"; it has ${list(directory.known('countries'))}.`,
      remedy: 'Correct the country in the source, or create the country in the service.',
    };
  }
  if (!settings.createMissingOffices) {
    return unknownName(`office "${name}" in country "${country}"`, name, directory.known('offices', country), {
      option: 'users.fields.office.create_missing: true',
    });
  }
  const key = officeKey(country, name);
  needs.push(`offices:${key}`);
  if (!ports.isPlanned(`offices:${key}`)) {
    ports.plan(derived('offices', key, `${name} (${country})`, { country, name }, place, settings, []));
  }
  return null;
}

function resolveTags(tags: { readonly [category: string]: Json }, context: Context): FieldResolution {
  const { settings, ports, place } = context;
  const needs: string[] = [];
  const unresolved: UnresolvedField[] = [];
  const good: Record<string, Json> = {};
  for (const [category, value] of Object.entries(tags)) {
    const tag = String(value);
    const key = tagKey(category, tag);
    if (ports.directory.tagId(category, tag) === null) {
      if (!settings.createMissingTags) {
        const known = ports.directory.categoryId(category) !== null;
        unresolved.push({
          field: `tags.${category}`,
          ...unknownName(
            known ? `tag "${tag}" in category "${category}"` : `tag category "${category}"`,
            known ? tag : category,
            known ? ports.directory.known('tags', category) : ports.directory.known('categories'),
            { option: 'tags.create_missing: true' },
          ),
        });
        continue;
      }
      needs.push(`tags:${key}`);
      planTag(category, tag, key, place, settings, ports);
    }
    good[category] = tag;
  }
  return { value: Object.keys(good).length > 0 ? good : undefined, needs, unresolved };
}

function planTag(
  category: string,
  tag: string,
  key: string,
  place: string,
  settings: EntitySettings,
  ports: ReconcilePorts,
): void {
  if (ports.isPlanned(`tags:${key}`)) return;
  const needs: string[] = [];
  if (ports.directory.categoryId(category) === null) {
    needs.push(`tag_categories:${category}`);
    if (!ports.isPlanned(`tag_categories:${category}`)) {
      const after = { external_unique_id: category, values: { en: category } };
      ports.plan(derived('tag_categories', category, category, after, place, settings, []));
    }
  }
  const after = { external_unique_id: tag, category, values: { en: tag } };
  ports.plan(derived('tags', key, `${category}: ${tag}`, after, place, settings, needs));
}

function resolveCustomer(externalId: string, { ports }: Context): FieldResolution {
  if (ports.directory.customerId(externalId) !== null) return fine(externalId);
  const [key] = ports.claimants('customers.external_unique_id', foldKey(externalId));
  if (key !== undefined && ports.isPlanned(`customers:${key}`)) return fine(externalId, [`customers:${key}`]);
  return {
    value: undefined,
    needs: [],
    unresolved: [
      {
        field: 'customer',
        reason: `No customer has the external id "${externalId}", and none is about to be created.`,
        remedy:
          'Deliver the customer in the feed, or correct the id; the record goes through by itself once it is there.',
      },
    ],
  };
}

/** The list in the service becomes this one, so while a name is open nobody is taken off it: it may be theirs. */
function resolveOwners(owners: readonly Json[], { ports, observed }: Context): FieldResolution {
  const needs: string[] = [];
  const unresolved: UnresolvedField[] = [];
  const good: string[] = [];
  for (const owner of owners) {
    const email = String(owner);
    const [key] = ports.claimants('users.email', foldKey(email));
    const planned = key === undefined ? null : ports.planned(`users:${key}`);
    if (planned !== null) needs.push(`users:${planned.key}`);
    if (planned !== null || ports.directory.userIdByEmail(email) !== null) good.push(email);
    else {
      unresolved.push({
        field: 'owners',
        reason: `No user of the service has the e-mail "${email}".`,
        remedy: 'Correct the address, or wait until the person is there; the owner is added by itself then.',
      });
    }
  }
  if (unresolved.length > 0 && Array.isArray(observed?.owners)) {
    const named = new Set(good.map(foldKey));
    good.push(...observed.owners.map(String).filter((email) => !named.has(foldKey(email))));
  }
  return { value: good.length > 0 ? good : undefined, needs, unresolved };
}

function derived(
  entity: Change['entity'],
  key: string,
  label: string,
  after: Values,
  place: string,
  settings: EntitySettings,
  needs: readonly string[],
): Change {
  const reason: Reason = { kind: 'referenced', text: 'a record refers to it and the service does not have it' };
  return buildChange(
    {
      entity,
      action: 'create',
      key,
      target: null,
      label,
      fields: Object.keys(after).sort(),
      before: {},
      after,
      reason,
      place,
      needs,
      observedHash: null,
      desiredHash: null,
    },
    settings.configDigest,
  );
}

function unknownName(
  what: string,
  name: string,
  known: readonly string[],
  { option }: { readonly option: string },
): { reason: string; remedy: string } {
  const near = nearestName(name, known);
  return {
    reason: `The service has no ${what}${near === null ? '' : `; the nearest name is "${near}"`}.`,
    remedy: `Correct the name in the source, create it in the service, or set \`${option}\`.`,
  };
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.slice(0, 10).join(', ') + (names.length > 10 ? ', …' : '');
}
