import type { Multilingual } from '../model/json.js';
import { buildWriteResult, nullIfUnknown, parseAnswer, parseRows, parseWrite, type WriteResult } from './answer.js';
import type { ReadCall, WriteCall } from './call.js';
import { readPages } from './paging.js';
import { WireCustomer } from './wire.js';
import type { PlainBody } from './wire-plain.js';

export interface CustomerFields extends PlainBody<'customers'> {
  readonly industry_id?: string | null;
}
export type CustomerCreate = CustomerFields & { readonly customer_name: Multilingual };

export interface CustomersReader {
  /** null: no customer has this external id. */
  find(externalId: string, signal?: AbortSignal): Promise<WireCustomer | null>;
  /** All customers, page by page; each customer once. */
  list(options?: {
    /** Matched by the service against the customer's name. */
    readonly name?: string;
    readonly size?: number;
    readonly signal?: AbortSignal | undefined;
  }): AsyncGenerator<readonly WireCustomer[], void, undefined>;
}

export interface CustomersWriter {
  create(customer: CustomerCreate, signal?: AbortSignal): Promise<WriteResult<WireCustomer>>;
  update(customerId: string, customer: CustomerFields, signal?: AbortSignal): Promise<WriteResult<WireCustomer>>;
  /** Only after all its projects. */
  delete(customerId: string, signal?: AbortSignal): Promise<WriteResult<null>>;
}

/**
 * The spec names no maximum for this list. A server that quietly gives fewer than asked would end the read early and make
 * customers seem absent, so ask for what every list of the interface gives.
 */
const PAGE_SIZE = 100;

export function createCustomersReader(call: ReadCall): CustomersReader {
  return {
    async find(externalId, signal) {
      const query = { external_unique_id: externalId };
      const answer = await nullIfUnknown(call({ endpoint: 'findCustomer', query, signal }));
      return answer === null ? null : parseAnswer(answer, WireCustomer);
    },
    async *list(options = {}) {
      const size = options.size ?? PAGE_SIZE;
      const filter = { customer_name: options.name, size };
      const pages = readPages<WireCustomer>({
        size,
        async readPage(offset) {
          const query = { ...filter, offset };
          const answer = await call({ endpoint: 'listCustomers', query, signal: options.signal });
          return { rows: parseRows(answer, WireCustomer, 'customers', 'company_customers'), total: null };
        },
        idOf: (customer) => customer.id,
      });
      for await (const page of pages) if (page.rows.length > 0) yield page.rows;
    },
  };
}

export function createCustomersWriter(call: WriteCall): CustomersWriter {
  return {
    async create(customer, signal) {
      const body = { company_customer: { ...customer } };
      return parseWrite(await call({ endpoint: 'createCustomer', body, signal }), WireCustomer);
    },
    async update(customerId, customer, signal) {
      const path = { customer_id: customerId };
      const body = { company_customer: { ...customer } };
      return parseWrite(await call({ endpoint: 'updateCustomer', path, body, signal }), WireCustomer);
    },
    async delete(customerId, signal) {
      const path = { customer_id: customerId };
      return buildWriteResult(await call({ endpoint: 'deleteCustomer', path, signal }), null);
    },
  };
}
