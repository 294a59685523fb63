import { observeCustomer } from '../../mirror/observe.js';
import type { Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { EndpointName } from '../../service/endpoints.js';
import { buildCustomerCreate, buildPlainBody } from '../bodies.js';
import { type CallContext, type EntityCalls, readText, type Step } from '../step.js';
import { buildTagSteps, tagEndpoints } from './tag-set-steps.js';

export const CUSTOMER_CALLS: EntityCalls = { endpoints: customerEndpoints, build: buildCustomerSteps };

function customerEndpoints(change: Change): readonly EndpointName[] {
  const plain = change.fields.some((name) => name !== 'tags');
  const first: readonly EndpointName[] = change.action === 'create' ? ['createCustomer'] : ['updateCustomer'];
  return [
    ...(plain || change.action === 'create' ? first : []),
    ...tagEndpoints(change, { add: 'addCustomerTag', remove: 'removeCustomerTag' }),
  ];
}

function buildCustomerSteps(change: Change, context: CallContext): readonly Step[] {
  const { writer, reader, directory, mirrored } = context;
  const { target } = change;
  const known = target === null ? null : mirrored('customers', target);
  const external = readText(change.after.external_unique_id ?? known?.values.external_unique_id);
  const probe = async (): Promise<Observed | null> => {
    const found = external === '' ? null : await reader.customers.find(external);
    return found === null ? null : observeCustomer(found, directory);
  };
  const [first] = customerEndpoints(change);
  const steps: Step[] = [];
  if (first === 'createCustomer') {
    steps.push({
      name: 'create',
      endpoint: first,
      repeat: 'probe',
      async send() {
        const body = buildCustomerCreate(change, directory);
        const { value, requestId, status } = await writer.customers.create(body);
        return { observed: observeCustomer(value, directory), requestId, status };
      },
      probe,
    });
  }
  if (first === 'updateCustomer' && target !== null) {
    steps.push({
      name: 'update',
      endpoint: first,
      repeat: 'idempotent',
      async send() {
        const body = buildPlainBody('customers', change, directory);
        const { value, requestId, status } = await writer.customers.update(target, body);
        return { observed: observeCustomer(value, directory), requestId, status };
      },
      probe,
    });
  }
  return [
    ...steps,
    ...buildTagSteps(change, context, {
      endpoints: { add: 'addCustomerTag', remove: 'removeCustomerTag' },
      probe,
      async add(id, tag) {
        const { value, requestId, status } = await writer.tags.addToCustomer(id, tag);
        return { observed: observeCustomer(value, directory), requestId, status };
      },
      remove: (id, tagId) => writer.tags.removeFromCustomer(id, tagId),
    }),
  ];
}
