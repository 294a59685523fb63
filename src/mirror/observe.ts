import type { TagNames } from '../model/directory.js';
import { FIELDS, type FieldTable, isManager, isPlain, type SpecialName } from '../model/fields.js';
import { isJsonObject, type Json, type JsonObject, type Values } from '../model/json.js';
import { labelOf } from '../model/label.js';
import { foldKey, type Observed } from '../model/observed.js';
import { textName } from '../model/shown-text.js';
import type {
  WireCountry,
  WireCustomer,
  WireOffice,
  WireProject,
  WireTag,
  WireTagCategory,
  WireUser,
} from '../service/wire.js';
import { hashObserved } from '../store/hash-observed.js';
import { observeCustomFields, observeEntries, observeTags } from './observe-parts.js';

/**
 * Translates the service's fields to the model's. It keeps only fields that can be managed or that writing needs.
 * Stamps and signed image addresses are left out. These addresses differ at every read, so each object would look
 * changed.
 */
export function observe(
  entity: Observed['entity'],
  id: string,
  /** null if the values determine the label */
  label: string | null,
  given: Readonly<Record<string, Json | undefined>>,
): Observed {
  return withValues({ entity, id, label: label ?? labelOf(entity, id, {}), active: true, values: {} }, given);
}

/** Returns the object with some values replaced. Values given as undefined stay unchanged. */
export function withValues(object: Omit<Observed, 'hash'>, ...given: readonly ShownValues[]): Observed {
  const { entity, id, active, label } = object;
  const merged: Record<string, Json> = { ...object.values };
  for (const part of given) {
    for (const name of Object.keys(part)) {
      const value = part[name];
      if (value !== undefined) merged[name] = value;
    }
  }
  const values = sortNames(merged);
  const isCalledByValues = label === labelOf(entity, id, object.values);
  return {
    ...object,
    values,
    label: isCalledByValues ? labelOf(entity, id, values) : label,
    hash: hashObserved(active, values),
  };
}

/** Sorts names into the order in which they are hashed and stored. */
function sortNames(values: Values): Values {
  const sorted: Record<string, Json> = {};
  for (const name of Object.keys(values).sort()) sorted[name] = values[name] ?? null;
  return sorted;
}

/** Returns the value of a field in a response; null if it is empty, undefined if it is missing. */
export function shown(object: Readonly<Record<string, unknown>>, name: string): Json | undefined {
  const value = object[name];
  return value === '' ? null : (value as Json | undefined);
}

type ShownValues = Readonly<Record<string, Json | undefined>>;
/** Values for the fields that the service shows under another name or in another form than the model. */
export type Observation<E extends keyof FieldTable, F extends keyof FieldTable[E] = SpecialName<E>> = ShownValues & {
  readonly [N in F]: Json | undefined;
};

/**
 * Returns the fields that the service shows in the model's form. It omits fields that are only set on create and never
 * compared.
 */
function plainValues(entity: keyof FieldTable, object: Readonly<Record<string, unknown>>): ShownValues {
  const values: Record<string, Json | undefined> = {};
  for (const name of PLAIN_NAMES[entity] ?? []) values[name] = shown(object, name);
  return values;
}

const PLAIN_NAMES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(FIELDS).map(([entity, fields]) => {
    const plain = Object.entries(fields).filter(
      ([, { shape, createOnly, maybeText }]) => isPlain(shape) && createOnly !== true && maybeText !== true,
    );
    return [entity, plain.map(([name]) => name)];
  }),
);

const USER_NAMES = [
  ...new Set([...(PLAIN_NAMES.users ?? []), ...Object.keys(observeSpecial({ id: '', deactivated: false }))]),
].sort();

/** Every read observes everyone, so the values are created in the order in which they are stored. */
export function observeUser(user: WireUser): Observed {
  const special = observeSpecial(user);
  const values: Record<string, Json> = {};
  for (const name of USER_NAMES) {
    const value = name in special ? special[name] : shown(user, name);
    if (value !== undefined) values[name] = value;
  }
  const { id, deactivated } = user;
  const active = !deactivated;
  return {
    entity: 'users',
    id,
    label: labelOf('users', id, values),
    active,
    values,
    hash: hashObserved(active, values),
  };
}

/** The values that the service shows under another name or in another form; every one has its name, even if it is not shown. */
function observeSpecial(user: WireUser): Observation<'users'> {
  const roles = user.roles === undefined || user.roles.length === 0 ? undefined : user.roles;
  const isScoped = isManager(roles);
  const { place_of_residence: place } = user;
  // A plain text on a person has no language.
  const isPlain = typeof place === 'string' && place !== '';
  return {
    place_of_residence: isPlain ? undefined : shownPlace(user),
    [textName('place_of_residence')]: isPlain ? place : undefined,
    office_id: user.office_id ?? null,
    country_id: user.country_id ?? null,
    office: user.office_name ? { country: user.country_code ?? '', name: user.office_name } : undefined,
    default_cv_id: user.default_cv_id ?? null,
    // The only stamp that is kept, because it does not move while the account is inactive.
    deactivated_at: user.deactivated ? (user.deactivated_at ?? undefined) : null,
    role: user.role,
    roles: roles === undefined ? undefined : [...new Set(roles)].sort(),
    // The service shows only the ids, and only for people with the role.
    role_allowed_offices: undefined,
    role_allowed_tags: undefined,
    // Shown only if this person is read alone (spec, Users); meaningless without the role.
    role_allowed_office_ids: isScoped ? sortWords(user.role_allowed_office_ids) : undefined,
    role_allowed_tag_ids: isScoped ? sortWords(user.role_allowed_tag_ids) : undefined,
    // The CV shows these, not the user.
    tags: undefined,
    cv_tags: undefined,
  };
}

function sortWords(words: readonly string[] | undefined): Json | undefined {
  return words && [...words].sort();
}

/** The spec does not say if an answer shows the industry. An answer that does shows only its id. */
export function observeCustomer(customer: WireCustomer, names: TagNames): Observed {
  const values: Observation<'customers'> = {
    ...plainValues('customers', customer),
    industry: shown(customer, 'industry_id'),
    tags: observeTags(customer.custom_tags, 'customers', names),
  };
  return observe('customers', customer.id, null, values);
}

export function observeProject(project: WireProject, customerId: string, names: TagNames): Observed {
  const values: Observation<'projects'> = {
    ...plainValues('projects', project),
    ...observeOwners(project.project_owners),
    customer: undefined,
    customer_id: project.company_customer_id ?? customerId,
    // Only set on create, and never compared.
    offices: undefined,
    tags: observeTags(project.custom_tags, 'projects', names),
    custom_fields: observeCustomFields(project.custom_fields),
    project_challenges: observeEntries(project.project_challenges),
    project_solutions: observeEntries(project.project_solutions),
    customer_value_propositions: observeEntries(project.customer_value_propositions),
  };
  return observe('projects', project.id, null, values);
}

function observeOwners(owners: WireProject['project_owners']) {
  return {
    owners: owners
      ?.map(({ email }) => foldKey(email ?? ''))
      .filter((email) => email !== '')
      .sort(),
    owners_ids: owners && Object.fromEntries(owners.map(({ id, email }) => [foldKey(email ?? id), id])),
  };
}

/** Observes a project from the project search, which has enough data to refer to it (spec, Search result item). */
export function observeFoundProject(project: ProjectFound): Observed {
  return observe('projects', project.id, null, {
    external_unique_id: shown(project, 'external_unique_id'),
    project_name: shown(project, 'project_name'),
    customer_id: project.company_customer_id ?? undefined,
  });
}

export type ProjectFound = Pick<WireProject, 'id' | 'external_unique_id' | 'project_name' | 'company_customer_id'>;

export function observeCountry(country: WireCountry): Observed {
  return observe('countries', country.id, null, plainValues('countries', country));
}

export function observeOffice(office: WireOffice, country: { readonly id: string; readonly code: string }): Observed {
  const values: Observation<'offices'> = {
    ...plainValues('offices', office),
    country: country.code,
    country_id: country.id,
    // This count includes deactivated people. An office can only be deleted when it is empty.
    num_users: shown(office, 'num_users'),
  };
  return observe('offices', office.id, null, values);
}

export function observeCategory(category: WireTagCategory): Observed {
  const external = category.external_unique_id || null;
  return observe('tag_categories', category.id, null, {
    ...plainValues('tag_categories', category),
    external_unique_id: external,
    values: category.values ?? {},
  });
}

export function observeTag(tag: WireTag, categoryId: string): Observed {
  const external = tag.external_unique_id || null;
  const values: Observation<'tags'> = {
    ...plainValues('tags', tag),
    external_unique_id: external,
    // The service shows only the id.
    category: undefined,
    category_id: categoryId,
    values: tag.values ?? {},
  };
  return observe('tags', tag.id, null, values);
}

/** The place of residence is multilingual (spec, CV). A plain text on a CV counts as English. */
export function shownPlace({ place_of_residence: place }: { readonly place_of_residence?: unknown }): Json | undefined {
  if (typeof place === 'string') return place === '' ? null : { en: place };
  if (place === undefined) return undefined;
  // If the user object has no place, the CV has an empty text.
  return isJsonObject(place as Json) && Object.keys(place as JsonObject).length === 0 ? null : (place as Json);
}
