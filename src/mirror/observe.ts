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
 * From the service's words to the model's. Only what can be managed or is needed to write comes along: no stamps, no
 * signed image addresses, which differ at every read and would make every object look changed.
 */
export function observe(
  entity: Observed['entity'],
  id: string,
  /** null where its values say what it is called. */
  label: string | null,
  given: Readonly<Record<string, Json | undefined>>,
): Observed {
  return withValues({ entity, id, label: label ?? labelOf(entity, id, {}), active: true, values: {} }, given);
}

/** The same object with some values replaced; those given as undefined stay. */
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

/** The order in which they are hashed, and kept. */
function sortNames(values: Values): Values {
  const sorted: Record<string, Json> = {};
  for (const name of Object.keys(values).sort()) sorted[name] = values[name] ?? null;
  return sorted;
}

/** The value of a field that a response showed; null when shown empty; undefined when not shown. */
export function shown(object: Readonly<Record<string, unknown>>, name: string): Json | undefined {
  const value = object[name];
  return value === '' ? null : (value as Json | undefined);
}

type ShownValues = Readonly<Record<string, Json | undefined>>;
/** A word for each field that the service does not show under the name and with the value of the model. */
export type Observation<E extends keyof FieldTable, F extends keyof FieldTable[E] = SpecialName<E>> = ShownValues & {
  readonly [N in F]: Json | undefined;
};

/** Those that it does; some are taken on create only, and not compared after that. */
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

export function observeUser(user: WireUser): Observed {
  const roles = (user.roles ?? []).length === 0 ? undefined : user.roles;
  const isScoped = isManager(roles);
  const values: Observation<'users'> = {
    ...observePlace(user),
    office_id: user.office_id ?? null,
    country_id: user.country_id ?? null,
    office: user.office_name ? { country: user.country_code ?? '', name: user.office_name } : undefined,
    default_cv_id: user.default_cv_id ?? null,
    // The one stamp that comes along: it stays as long as the account is out of use.
    deactivated_at: user.deactivated ? (user.deactivated_at ?? undefined) : null,
    role: user.role,
    roles: roles === undefined ? undefined : [...new Set(roles)].sort(),
    // By their ids alone, and only of those who have the role.
    role_allowed_offices: undefined,
    role_allowed_tags: undefined,
    // Shown where one person is read alone (spec, Users), and without a meaning for those who do not have the role.
    role_allowed_office_ids: isScoped ? sortWords(user.role_allowed_office_ids) : undefined,
    role_allowed_tag_ids: isScoped ? sortWords(user.role_allowed_tag_ids) : undefined,
    // Not on the user, but on the CV.
    tags: undefined,
    cv_tags: undefined,
  };
  const label = labelOf('users', user.id, {});
  const object = { entity: 'users', id: user.id, label, active: !user.deactivated, values: {} } as const;
  return withValues(object, plainValues('users', user), values);
}

function sortWords(words: readonly string[] | undefined): Json | undefined {
  return words && [...words].sort();
}

/** Whether an answer shows the industry is not in the spec; where it does, its id is all there is to know it by. */
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
    // Taken on create only, and not compared.
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

/** As the project search shows it: enough to refer to it (spec, Search result item). */
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
    // Deactivated people included: an office is deleted only when nobody at all is in it.
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
    // By its id alone.
    category: undefined,
    category_id: categoryId,
    values: tag.values ?? {},
  };
  return observe('tags', tag.id, null, values);
}

/** A plain text on a person is in no language that is known. */
function observePlace(user: WireUser) {
  const { place_of_residence: place } = user;
  if (typeof place !== 'string' || place === '') return { place_of_residence: shownPlace(user) };
  return { place_of_residence: undefined, [textName('place_of_residence')]: place };
}

/** Multilingual (spec, CV); of a plain string on a CV there is no better word, so that it stands for English. */
export function shownPlace({ place_of_residence: place }: { readonly place_of_residence?: unknown }): Json | undefined {
  if (typeof place === 'string') return place === '' ? null : { en: place };
  if (place === undefined) return undefined;
  // The CV shows an empty text where the user object shows nothing.
  return isJsonObject(place as Json) && Object.keys(place as JsonObject).length === 0 ? null : (place as Json);
}
