import { observeCustomer } from '../../mirror/observe.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import { buildCustomerCreate, buildPlainBody } from '../bodies.js';
import { type CallContext, type EntityCalls, readText, type Step } from '../step.js';

export const CUSTOMER_CALLS: EntityCalls = {
  endpoints: ({ action }) => (action === 'create' ? ['createCustomer'] : ['updateCustomer']),
  build: buildCustomerSteps,
};

function buildCustomerSteps(change: Change, { writer, reader, directory, mirrored }: CallContext): readonly Step[] {
  const { target } = change;
  const known = target === null ? null : mirrored('customers', target);
  const external = readText(change.after.external_unique_id ?? known?.values.external_unique_id);
  const probe = async (): Promise<Observed | null> => {
    const found = external === '' ? null : await reader.customers.find(external);
    return found === null ? null : observeCustomer(found);
  };
  if (target === null) {
    return [
      {
        name: 'create',
        endpoint: 'createCustomer',
        repeat: 'probe',
        async send() {
          const { value, requestId, status } = await writer.customers.create(buildCustomerCreate(change.after));
          return { observed: observeCustomer(value), requestId, status };
        },
        probe,
      },
    ];
  }
  return [
    {
      name: 'update',
      endpoint: 'updateCustomer',
      repeat: 'idempotent',
      async send() {
        const { value, requestId, status } = await writer.customers.update(
          target,
          buildPlainBody('customers', change.after, directory),
        );
        return { observed: observeCustomer(value), requestId, status };
      },
      probe,
    },
  ];
}
