import type { Multilingual } from '../model/json.js';
import type { Reads, Writes, Writing } from './answer.js';
import { listRows, type Pages } from './paging.js';
import { WireCustomer } from './wire.js';
import type { PlainBody } from './wire-plain.js';

export interface CustomerFields extends PlainBody<'customers'> {
  readonly industry_id?: string | null;
}
export type CustomerCreate = CustomerFields & { readonly customer_name: Multilingual };

interface CustomerList {
  /** Text that the service matches against the customer's name. */
  readonly name?: string;
  readonly size?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The spec names no maximum for this list. If the service silently returned fewer rows than requested, the read would
 * end early and customers would seem absent. So the size is one that every list of the interface returns.
 */
const PAGE_SIZE = 100;

export function createCustomersReader(read: Reads) {
  return {
    /** Finds a customer; null if none has this external id. */
    find: (externalId: string, signal?: AbortSignal): Promise<WireCustomer | null> =>
      read.record('findCustomer', WireCustomer, { query: { external_unique_id: externalId }, signal }),
    /** Reads all customers page by page, each once. */
    list({ name, size = PAGE_SIZE, signal }: CustomerList = {}): Pages<WireCustomer> {
      const filter = { customer_name: name, size };
      const ask = (offset: number) => read.call({ endpoint: 'listCustomers', query: { ...filter, offset }, signal });
      return listRows(size, ask, WireCustomer, 'customers', 'company_customers');
    },
  };
}

export function createCustomersWriter(send: Writes) {
  return {
    create: (customer: CustomerCreate, signal?: AbortSignal): Writing<WireCustomer> =>
      send.record('createCustomer', WireCustomer, { body: { company_customer: { ...customer } }, signal }),
    update(customerId: string, customer: CustomerFields, signal?: AbortSignal): Writing<WireCustomer> {
      const body = { company_customer: { ...customer } };
      return send.record('updateCustomer', WireCustomer, { path: [customerId], body, signal });
    },
    /** Deletes a customer; all of its projects must be deleted first. */
    delete: (customerId: string, signal?: AbortSignal): Writing<null> =>
      send.empty('deleteCustomer', { path: [customerId], signal }),
  };
}
