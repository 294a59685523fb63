import { companyId } from '../answers/client-fields.js';
import { renderRecordTags } from '../answers/render-tags.js';
import { renderImage } from '../answers/render-user.js';
import { toStamp } from '../answers/stamps.js';
import { requireReferenceManager } from '../calls/access.js';
import { type Call, refuse, type World } from '../calls/call.js';
import { type CodeMode, foldText, toWireTexts } from '../fields/languages.js';
import { CUSTOMER_FIELDS, readFields, renderFields } from '../fields/plain-fields.js';
import { readParameter, readRequiredTexts, readString } from '../fields/values.js';
import type { CustomerDocument } from '../store/documents.js';
import { createId } from '../store/store.js';
import { checkExternalId, type Resource, readPage } from './resource.js';

export function requireCustomer({ world, params }: Call): CustomerDocument {
  return world.store.customers.get(params.customer_id) ?? refuse(404, 'customer not found');
}

/** The industry of a customer or of its projects. Its own times are not kept: it is as old as what names it. */
export function renderIndustry(world: World, customer: CustomerDocument | undefined, mode: CodeMode): object | null {
  const industry = world.store.industries.get(customer?.industry_id ?? '');
  if (!industry || !customer) return null;
  const { id, values, external_unique_id } = industry;
  const place = { section_type: 'project_experiences', field_name: 'industry' };
  const made = toStamp(world, customer.created_at);
  const extras = { _id: id, company_id: companyId(world), help_text: {}, created_at: made, updated_at: made };
  return { ...extras, id, ...place, values: toWireTexts(values, mode), external_unique_id };
}

export function renderCustomer({ world, mode }: Call, customer: CustomerDocument): object {
  return {
    id: customer.id,
    _id: customer.id,
    customer_name: toWireTexts(customer.customer_name, mode),
    industry_id: customer.industry_id,
    industry: renderIndustry(world, customer, mode),
    customer_description_to_cvs: {},
    masterdata_industry_id: customer.industry_id,
    image: renderImage(null),
    image_width: null,
    image_height: null,
    company_id: companyId(world),
    project_count: world.store.projects.count('WHERE company_customer_id = ?', [customer.id]),
    version: customer.version,
    custom_tags: renderRecordTags(world, customer.custom_tag_ids, 'can_be_used_for_customers', mode),
    created_at: toStamp(world, customer.created_at),
    updated_at: toStamp(world, customer.updated_at),
    ...renderFields(CUSTOMER_FIELDS, customer, mode),
  };
}

export function findCustomer(call: Call): object {
  const external = readParameter(call.query, 'external_unique_id') || refuse(400, 'external_unique_id is required');
  const customer = call.world.store.customers.first('WHERE external_unique_id = ?', [external]);
  return renderCustomer(call, customer ?? refuse(404, 'customer not found'));
}

/** By name; `customer_name` matches any part in any language. The account says whether the list comes in an object. */
export function listCustomers(call: Call): object {
  const { customers } = call.world.store;
  const { size, offset } = readPage(call, 'size', 500);
  const name = foldText((readParameter(call.query, 'customer_name') ?? '').trim());
  const named = 'WHERE instr(name_key, ?) > 0';
  const page = customers.find(`${named} ORDER BY name_key, id LIMIT ? OFFSET ?`, [name, size, offset]);
  const list = page.map((customer) => renderCustomer(call, customer));
  if (call.world.account.customer_lists === 'bare') return list;
  return { customers: list, total: customers.count(named, [name]) };
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
      version: (before?.version ?? 0) + 1,
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
