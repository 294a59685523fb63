import { requireReferenceManager } from '../access.js';
import type { CustomerDocument } from '../documents.js';
import { type CodeMode, foldText, toWireTexts } from '../languages.js';
import { CUSTOMER_FIELDS, readFields, renderFields } from '../plain-fields.js';
import { renderRecordTags } from '../render-tags.js';
import { type Call, refuse, type World } from '../route.js';
import { toStamp } from '../stamps.js';
import { createId } from '../store.js';
import { readParameter, readRequiredTexts, readString } from '../values.js';
import { checkExternalId, type Resource, readPage } from './resource.js';

export function requireCustomer({ world, params }: Call): CustomerDocument {
  return world.store.customers.get(params.customer_id) ?? refuse(404, 'customer not found');
}

export function renderIndustry(world: World, industryId: string | null, mode: CodeMode): object | null {
  const industry = world.store.industries.get(industryId ?? '');
  if (!industry) return null;
  const { id, values, external_unique_id } = industry;
  const place = { section_type: 'project_experiences', field_name: 'industry' };
  return { id, ...place, values: toWireTexts(values, mode), external_unique_id };
}

export function renderCustomer({ world, mode }: Call, customer: CustomerDocument): object {
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

export function findCustomer(call: Call): object {
  const external = readParameter(call.query, 'external_unique_id') || refuse(400, 'external_unique_id is required');
  const customer = call.world.store.customers.first('WHERE external_unique_id = ?', [external]);
  return renderCustomer(call, customer ?? refuse(404, 'customer not found'));
}

/** A plain array by name, like the other lists of the service; `customer_name` matches any part in any language. */
export function listCustomers(call: Call): readonly object[] {
  const { size, offset } = readPage(call, 'size', 500);
  const name = foldText((readParameter(call.query, 'customer_name') ?? '').trim());
  const page = 'WHERE instr(name_key, ?) > 0 ORDER BY name_key, id LIMIT ? OFFSET ?';
  return call.world.store.customers.find(page, [name, size, offset]).map((customer) => renderCustomer(call, customer));
}

export function getCustomer(call: Call): object {
  return renderCustomer(call, requireCustomer(call));
}

export const CUSTOMERS: Resource<void, CustomerDocument> = {
  wrapper: 'company_customer',
  place: ({ key }) => requireReferenceManager(key),
  find: requireCustomer,
  render: renderCustomer,
  save: ({ world, mode }, _, body, before) => {
    const { customers, industries } = world.store;
    const name = readRequiredTexts(body, 'customer_name', mode) ?? before?.customer_name;
    if (name === undefined) refuse(422, "Customer name can't be blank");
    const fields = readFields(CUSTOMER_FIELDS, body, mode, before);
    checkExternalId(customers, fields.external_unique_id, before?.id);
    const industry = readString(body, 'industry_id');
    if (industry && !industries.get(industry)) refuse(422, 'industry_id is not in the account');
    const now = world.clock.now();
    return customers.put({
      id: before?.id ?? createId(),
      ...fields,
      customer_name: name,
      industry_id: industry === undefined ? (before?.industry_id ?? null) : industry,
      custom_tag_ids: before?.custom_tag_ids ?? [],
      created_at: before?.created_at ?? now,
      updated_at: now,
    });
  },
  /** Only after all its projects are deleted; 400 like an office that still has users, the spec's nearest case. */
  remove: ({ world: { store } }, { id }) => {
    if (store.projects.first('WHERE company_customer_id = ?', [id])) refuse(400, 'the customer still has projects');
    store.customers.delete(id);
  },
};
