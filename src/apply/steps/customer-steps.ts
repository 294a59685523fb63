import { observeCustomer } from '../../mirror/observe.js';
import { textOf } from '../../model/json.js';
import { keyValues, type Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { EndpointName } from '../../service/endpoints.js';
import type { WireCustomer } from '../../service/wire.js';
import { buildCustomerCreate, buildPlainBody } from '../bodies.js';
import type { CallContext, EntityCalls, Step } from '../step.js';
import { buildTagSteps, isTagsAlone, tagEndpoints } from './tag-set-steps.js';

export const CUSTOMER_CALLS: EntityCalls = { endpoints: customerEndpoints, build: buildCustomerSteps };

function customerEndpoints(change: Change): readonly EndpointName[] {
  const plain = !isTagsAlone(change.fields);
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
  const external = textOf(change.after.external_unique_id ?? known?.values.external_unique_id);
  const seenBy = external === '' ? 'listCustomers' : 'findCustomer';
  const probe = async (): Promise<Observed | null> => {
    const found = external === '' ? await findByName(change, context) : await reader.customers.find(external);
    return found === null ? null : observeCustomer(found, directory);
  };
  const [first] = customerEndpoints(change);
  const steps: Step[] = [];
  if (first === 'createCustomer') {
    steps.push({
      name: 'create',
      endpoint: first,
      repeat: 'probe',
      seenBy,
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
      seenBy,
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
      seenBy,
      async add(id, tag) {
        const { value, requestId, status } = await writer.tags.addToCustomer(id, tag);
        return { observed: observeCustomer(value, directory), requestId, status };
      },
      remove: (id, tagId) => writer.tags.removeFromCustomer(id, tagId),
    }),
  ];
}

/**
 * A customer without an external id is found by its name: the one of the change, or one that nobody knew before the call
 * and that no other record is linked to.
 */
async function findByName({ target, key, after }: Change, context: CallContext): Promise<WireCustomer | null> {
  const { reader, mirrored, linkedKey } = context;
  const names = keyValues(after.customer_name ?? mirrored('customers', target ?? '')?.values.customer_name);
  const isNamed = names.length > 0;
  if (!isNamed) return null;
  const isOurs = ({ id, customer_name }: WireCustomer): boolean => {
    if (target !== null) return id === target;
    const owner = linkedKey('customers', id);
    const isNew = owner === null ? mirrored('customers', id) === null : owner === key;
    return isNew && keyValues(customer_name ?? null).some((one) => names.includes(one));
  };
  for await (const page of reader.customers.list()) {
    const found = page.find(isOurs);
    if (found !== undefined) return found;
  }
  return null;
}
