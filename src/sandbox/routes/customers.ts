import { renderCustomer } from '../answers/render-customer.js';
import { requireReferenceManager } from '../calls/access.js';
import type { Call } from '../calls/call.js';
import { foldText } from '../fields/languages.js';
import { CUSTOMER_FIELDS, readFields } from '../fields/plain-fields.js';
import { refuse } from '../fields/refusal.js';
import { readParameter, readRequiredTexts, readString } from '../fields/values.js';
import type { CustomerDocument } from '../store/documents.js';
import { createId } from '../store/store.js';
import { checkExternalId, type Resource, readPage } from './resource.js';

export function requireCustomer({ world, params }: Call): CustomerDocument {
  return world.store.customers.get(params.customer_id) ?? refuse(404, 'customer not found');
}

export function findCustomer(call: Call): object {
  const external = readParameter(call.query, 'external_unique_id') || refuse(400, 'external_unique_id is required');
  const customer = call.world.store.customers.first('WHERE external_unique_id = ?', [external]);
  return renderCustomer(call, customer ?? refuse(404, 'customer not found'));
}

/**
 * Lists customers by name. `customer_name` may be any part of the name in any language. A setting of the account decides if an
 * object wraps the list.
 */
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
  /** Removes a customer without projects. Otherwise 400, as for an office with users, which is the closest case in the spec. */
  remove: ({ world: { store } }, { id }) => {
    if (store.projects.first('WHERE company_customer_id = ?', [id])) refuse(400, 'the customer still has projects');
    store.customers.delete(id);
  },
};
