import { requireReferenceManager } from '../access.js';
import type { CustomerDocument } from '../documents.js';
import { type CodeMode, foldText, toWireTexts } from '../languages.js';
import { CUSTOMER_FIELDS, readFields, renderFields } from '../plain-fields.js';
import { renderRecordTags } from '../render-tags.js';
import { type Answer, type Call, NO_CONTENT, Refusal, type Route, type World } from '../route.js';
import { toStamp } from '../stamps.js';
import { createId } from '../store.js';
import { readIntegerParameter, readParameter, readRequiredTexts, readString, readWrapper } from '../values.js';

export const CUSTOMERS = '/api/v2/company/cv/customers';

export const CUSTOMER_ROUTES: readonly Route[] = [
  { method: 'GET', path: `${CUSTOMERS}/find`, access: 'read', handle: findCustomer },
  { method: 'GET', path: CUSTOMERS, access: 'read', handle: listCustomers },
  { method: 'GET', path: `${CUSTOMERS}/:customer_id`, access: 'read', handle: getCustomer },
  { method: 'POST', path: CUSTOMERS, access: 'write', handle: postCustomer },
  { method: 'PUT', path: `${CUSTOMERS}/:customer_id`, access: 'write', handle: putCustomer },
  { method: 'DELETE', path: `${CUSTOMERS}/:customer_id`, access: 'write', handle: deleteCustomer },
];

export function requireCustomer(world: World, call: Call): CustomerDocument {
  const customer = world.store.customers.get(call.params.customer_id ?? '');
  if (!customer) throw new Refusal(404, 'customer not found');
  return customer;
}

export function renderIndustry(world: World, id: string | null, mode: CodeMode): object | null {
  const industry = id === null ? undefined : world.store.industries.get(id);
  if (!industry) return null;
  return {
    id: industry.id,
    section_type: 'project_experiences',
    field_name: 'industry',
    values: toWireTexts(industry.values, mode),
    external_unique_id: industry.external_unique_id,
  };
}

export function renderCustomer(world: World, customer: CustomerDocument, mode: CodeMode): object {
  return {
    id: customer.id,
    _id: customer.id,
    ...renderFields(CUSTOMER_FIELDS, customer, mode),
    customer_name: toWireTexts(customer.customer_name, mode),
    industry_id: customer.industry_id,
    industry: renderIndustry(world, customer.industry_id, mode),
    custom_tags: renderRecordTags(world, customer.custom_tag_ids, 'can_be_used_for_customers', mode),
    created_at: toStamp(world, customer.created_at),
    updated_at: toStamp(world, customer.updated_at),
  };
}

function findCustomer(world: World, call: Call): Answer {
  const external = readParameter(call.query, 'external_unique_id');
  if (!external) throw new Refusal(400, 'external_unique_id is required');
  const customer = world.store.customers.first('WHERE external_unique_id = ?', [external]);
  if (!customer) throw new Refusal(404, 'customer not found');
  return { status: 200, body: renderCustomer(world, customer, call.mode) };
}

/** A plain array by name, like the other lists of the service; `customer_name` matches any part in any language. */
function listCustomers(world: World, call: Call): Answer {
  const size = readIntegerParameter(call.query, 'size', { min: 1, max: 500, fallback: 100 });
  const offset = readIntegerParameter(call.query, 'offset', { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 });
  const name = foldText((readParameter(call.query, 'customer_name') ?? '').trim());
  const customers = world.store.customers.find('WHERE instr(name_key, ?) > 0 ORDER BY name_key, id LIMIT ? OFFSET ?', [
    name,
    size,
    offset,
  ]);
  return { status: 200, body: customers.map((customer) => renderCustomer(world, customer, call.mode)) };
}

function getCustomer(world: World, call: Call): Answer {
  return { status: 200, body: renderCustomer(world, requireCustomer(world, call), call.mode) };
}

function postCustomer(world: World, call: Call): Answer {
  requireReferenceManager(call.key);
  const customer = saveCustomer(world, call, undefined);
  return { status: 200, body: renderCustomer(world, customer, call.mode) };
}

function putCustomer(world: World, call: Call): Answer {
  requireReferenceManager(call.key);
  const customer = saveCustomer(world, call, requireCustomer(world, call));
  return { status: 200, body: renderCustomer(world, customer, call.mode) };
}

function saveCustomer(world: World, call: Call, before: CustomerDocument | undefined): CustomerDocument {
  const body = readWrapper(call, 'company_customer');
  const name = readRequiredTexts(body, 'customer_name', call.mode) ?? before?.customer_name;
  if (name === undefined) throw new Refusal(422, "Customer name can't be blank");
  const fields = readFields(CUSTOMER_FIELDS, body, call.mode, before);
  const external = fields.external_unique_id;
  const holder =
    external === null ? undefined : world.store.customers.first('WHERE external_unique_id = ?', [external]);
  if (holder && holder.id !== before?.id) throw new Refusal(422, 'External unique id has already been taken');
  const industry = readString(body, 'industry_id');
  if (industry && !world.store.industries.get(industry)) throw new Refusal(422, 'industry_id is not in the account');
  const now = world.clock.now();
  return world.store.customers.put({
    id: before?.id ?? createId(),
    ...fields,
    customer_name: name,
    industry_id: industry === undefined ? (before?.industry_id ?? null) : industry,
    custom_tag_ids: before?.custom_tag_ids ?? [],
    created_at: before?.created_at ?? now,
    updated_at: now,
  });
}

/** Only after all its projects are deleted; 400 like an office that still has users, the spec's nearest case. */
function deleteCustomer(world: World, call: Call): Answer {
  requireReferenceManager(call.key);
  const customer = requireCustomer(world, call);
  const project = world.store.projects.first('WHERE company_customer_id = ?', [customer.id]);
  if (project) throw new Refusal(400, 'the customer still has projects');
  world.store.customers.delete(customer.id);
  return NO_CONTENT;
}
