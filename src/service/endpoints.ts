/** What is done to the service: `read` leaves it as it is, `write` does not. */
export type EndpointKind = 'read' | 'write';
export type EndpointGroup = 'users' | 'countries' | 'tags' | 'customers' | 'projects';
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Endpoint {
  readonly method: HttpMethod;
  /** Path with `{name}` for its parameters, as in the spec. */
  readonly path: string;
  readonly kind: EndpointKind;
  /** Sent twice it leaves the service as sent once; only then may it be repeated after a lost answer. */
  readonly idempotent: boolean;
  readonly group: EndpointGroup;
  /** Carries or returns multilingual values: gets `use_legacy_codes=false` (spec, Conventions 4). */
  readonly multilingual: boolean;
}

const CUSTOMERS = '/api/v2/company/cv/customers';
const CATEGORY = '/api/v1/masterdata/custom_tags/custom_tag_category';
const TAG = '/api/v1/masterdata/custom_tags/custom_tag';
const PROJECT = `${CUSTOMERS}/{customer_id}/projects/{project_id}` as const;

type Row<K extends EndpointKind> = Endpoint & { readonly kind: K };

function buildRead(group: EndpointGroup, path: string): Row<'read'> {
  return { method: 'GET', path, kind: 'read', idempotent: true, group, multilingual: true };
}

/** `plain`: no multilingual value goes either way, so the spec names no query for it. */
function buildWrite(group: EndpointGroup, method: HttpMethod, path: string, shape?: 'plain'): Row<'write'> {
  return { method, path, kind: 'write', idempotent: method !== 'POST', group, multilingual: shape !== 'plain' };
}

/** Every call the worker can make. Counters, the cost forecast and the retry rule all read this table. */
export const ENDPOINTS = {
  searchUsers: buildRead('users', '/api/v2/users/search'),
  getUser: buildRead('users', '/api/v1/users/{user_id}'),
  findUser: buildRead('users', '/api/v1/users/find'),
  readUserChanges: buildRead('users', '/api/v1/users/changes'),
  createUser: buildWrite('users', 'POST', '/api/v1/users'),
  updateUser: buildWrite('users', 'PUT', '/api/v1/users/{user_id}'),
  deleteUser: buildWrite('users', 'DELETE', '/api/v1/users/{user_id}', 'plain'),

  listCountries: buildRead('countries', '/api/v1/countries'),
  createCountry: buildWrite('countries', 'POST', '/api/v1/countries'),
  updateCountry: buildWrite('countries', 'PUT', '/api/v1/countries/{country_id}'),
  createOffice: buildWrite('countries', 'POST', '/api/v1/countries/{country_id}/offices', 'plain'),
  updateOffice: buildWrite('countries', 'PUT', '/api/v1/countries/{country_id}/offices/{department_id}', 'plain'),
  deleteOffice: buildWrite('countries', 'DELETE', '/api/v1/countries/{country_id}/offices/{department_id}', 'plain'),

  listTagCategories: buildRead('tags', CATEGORY),
  createTagCategory: buildWrite('tags', 'POST', CATEGORY),
  updateTagCategory: buildWrite('tags', 'PUT', `${CATEGORY}/{custom_tag_category_id}`),
  deleteTagCategory: buildWrite('tags', 'DELETE', `${CATEGORY}/{custom_tag_category_id}`, 'plain'),
  listTags: buildRead('tags', TAG),
  createTag: buildWrite('tags', 'POST', TAG),
  updateTag: buildWrite('tags', 'PUT', `${TAG}/{custom_tag_id}`),
  deleteTag: buildWrite('tags', 'DELETE', `${TAG}/{custom_tag_id}`, 'plain'),
  deleteTags: buildWrite('tags', 'DELETE', `${CATEGORY}/{custom_tag_category_id}/bulk_delete`, 'plain'),

  findCustomer: buildRead('customers', `${CUSTOMERS}/find`),
  listCustomers: buildRead('customers', CUSTOMERS),
  createCustomer: buildWrite('customers', 'POST', CUSTOMERS),
  updateCustomer: buildWrite('customers', 'PUT', `${CUSTOMERS}/{customer_id}`),
  deleteCustomer: buildWrite('customers', 'DELETE', `${CUSTOMERS}/{customer_id}`, 'plain'),

  getProject: buildRead('projects', PROJECT),
  findProject: buildRead('projects', '/api/v2/company/cv/projects/find'),
  listProjects: buildRead('projects', '/api/v2/company/cv/projects'),
  createProject: buildWrite('projects', 'POST', `${CUSTOMERS}/{customer_id}/projects`),
  updateProject: buildWrite('projects', 'PUT', PROJECT),
  deleteProject: buildWrite('projects', 'DELETE', PROJECT, 'plain'),
  addProjectOwners: buildWrite('projects', 'POST', `${PROJECT}/project_owners`),
  syncProjectOwners: buildWrite('projects', 'PUT', `${PROJECT}/project_owners/sync_by_email`),
  removeProjectOwner: buildWrite('projects', 'DELETE', `${PROJECT}/project_owners/{user_id}`, 'plain'),
} as const satisfies Readonly<Record<string, Endpoint>>;

export type EndpointName = keyof typeof ENDPOINTS;
type NamesOf<K extends EndpointKind> = {
  [N in EndpointName]: (typeof ENDPOINTS)[N]['kind'] extends K ? N : never;
}[EndpointName];
export type ReadEndpointName = NamesOf<'read'>;
export type WriteEndpointName = NamesOf<'write'>;

/** `PUT /api/v1/users/{user_id}`: the name of an endpoint in counters, forecasts and records. */
export function formatTemplate(name: EndpointName): string {
  const endpoint: Endpoint = ENDPOINTS[name];
  return `${endpoint.method} ${endpoint.path}`;
}
