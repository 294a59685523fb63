import type { Directory } from '../model/directory.js';
import { BASE_ROLES, FIELDS } from '../model/fields.js';
import { type Json, type JsonObject, listOf, objectOf, type Values } from '../model/json.js';
import { type Notifications, sendsMail } from '../model/mails.js';
import type { Change } from '../model/plan.js';
import { partsOf } from '../reconcile/fields/custom-fields.js';
import type { CustomerCreate } from '../service/customers.js';
import type { UserCreate, UserUpdate } from '../service/users.js';
import { needId, resolveIndustry, resolveOffice, resolveOfficeIds, resolveTagIds, resolveTags } from './resolve-ids.js';

/* Translates changes of the model into the bodies of the service's calls (spec, Endpoints). */

export function buildUserBody(change: Change, directory: Directory, notify: Notifications): UserUpdate {
  const { after, action } = change;
  const body: Record<string, Json> = {};
  for (const [name, value] of Object.entries(after)) Object.assign(body, userPart(name, value, directory));
  if (action === 'reactivate') body.deactivated = false;
  if (sendsMail(change, notify)) body.send_email = true;
  return body;
}

function userPart(name: string, value: Json, directory: Directory): Values {
  switch (name) {
    case 'office':
      return { ...resolveOffice(value, directory) };
    case 'roles':
      return splitRoles(value);
    case 'role_allowed_offices':
      return { role_allowed_office_ids: resolveOfficeIds(value, directory) };
    case 'role_allowed_tags':
      return { role_allowed_tag_ids: resolveTagIds(value, directory) };
    case 'tags':
      return { ensure_unique_custom_tag_ids_by_category: resolveTags(value, directory) };
    default:
      return { [name]: value };
  }
}

/** Splits roles into one base role and extra roles (spec, Authentication 3). */
function splitRoles(roles: Json): Values {
  const all = listOf(roles).map(String);
  const base = all.find((role) => (BASE_ROLES as readonly string[]).includes(role)) ?? 'consultant';
  return { role: base, extra_roles: all.filter((role) => role !== base) };
}

/**
 * @throws SyncError if the e-mail address or the office is missing. Planning holds such records, so this error means a
 * defect.
 */
export function buildUserCreate(change: Change, directory: Directory, notify: Notifications): UserCreate {
  const { email, country_id, office_id, ...rest } = buildUserBody(change, directory, notify);
  return {
    ...rest,
    email: needId(email ?? null, 'An e-mail'),
    country_id: needId(country_id ?? null, 'A country'),
    office_id: needId(office_id ?? null, 'An office'),
  };
}

export function buildCustomerCreate(change: Change, directory: Directory): CustomerCreate {
  return { customer_name: {}, ...buildPlainBody('customers', change, directory) };
}

/** The plain fields of a customer or project. Leaves out fields that are in the path or that another call sets. */
export function buildPlainBody(
  entity: 'customers' | 'projects',
  { action, before, after }: Change,
  directory: Directory,
): JsonObject {
  const body: Record<string, Json> = {};
  for (const [name, value] of Object.entries(after)) {
    switch (FIELDS[entity][name]?.shape) {
      case 'reference':
      case 'references':
      case 'entries':
      case 'tag_sets':
        break;
      case 'offices':
        body.office_ids = resolveOfficeIds(value, directory);
        break;
      case 'industry':
        body.industry_id = value === null ? null : resolveIndustry(value, directory);
        break;
      case 'custom_fields':
        body.custom_fields = buildCustomFields(before[name], value, directory.customFields() ?? {}).map((entry) =>
          action === 'create' ? withoutNulls(entry) : entry,
        );
        break;
      default:
        body[name] = value;
    }
  }
  return body;
}

/** The parts that clear a custom field when set to null, by type (spec, Custom fields on projects 2). */
const CLEARED: Readonly<Record<string, Values>> = {
  numeric: { value: null },
  single_select: { value: null },
  currency_amount: { amount: null, currency: null },
  quantity: { amount: null, unit: null },
  year_month_range: { from: null, to: null },
};

function buildCustomFields(
  before: Json | undefined,
  after: Json,
  defined: Readonly<Record<string, string>>,
): readonly JsonObject[] {
  const had = objectOf(before);
  return Object.entries(objectOf(after)).map(([name, value]) => {
    const type = defined[name] ?? '';
    if (value === null) return { name, ...(CLEARED[type] ?? clearedLike(had[name])) };
    const parts = partsOf(value);
    // The service needs numbers as numbers and options as strings; sources may deliver either type.
    if (type === 'numeric' && parts.value !== null) return { name, ...parts, value: Number(parts.value) };
    if (type === 'single_select' && parts.value !== null) return { name, ...parts, value: String(parts.value) };
    return { name, ...parts };
  });
}

/** Removes null parts, because a new object has nothing to clear. */
function withoutNulls(entry: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([, part]) => part !== null));
}

function clearedLike(before: Json | undefined): Values {
  const parts = Object.keys(partsOf(before)).filter((part) => part !== 'sensitivity' && part !== 'anonymized');
  return parts.length === 0 ? { value: null } : Object.fromEntries(parts.map((part) => [part, null]));
}
