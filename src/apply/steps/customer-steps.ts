import { observeCustomer } from '../../mirror/observe.js';
import { textOf } from '../../model/json.js';
import { keyValues, type Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { EndpointName } from '../../service/endpoints.js';
import type { WireCustomer } from '../../service/wire.js';
import { buildCustomerCreate, buildPlainBody } from '../bodies.js';
import { answerAs, type CallContext, type EntityCalls, type Step } from '../step.js';
import { buildTagSteps, isTagsAlone, type TagEndpoints, tagEndpoints } from './tag-set-steps.js';

export const CUSTOMER_CALLS: EntityCalls = { endpoints: customerEndpoints, build: buildCustomerSteps };

const TAG_ENDPOINTS: TagEndpoints = { add: 'addCustomerTag', remove: 'removeCustomerTag' };

/** The endpoint that changes fields other than tags; null if there is none. */
function mainEndpoint({ action, fields }: Change): 'createCustomer' | 'updateCustomer' | null {
  if (action === 'create') return 'createCustomer';
  return isTagsAlone(fields) ? null : 'updateCustomer';
}

function customerEndpoints(change: Change): readonly EndpointName[] {
  const main = mainEndpoint(change);
  return [...(main === null ? [] : [main]), ...tagEndpoints(change, TAG_ENDPOINTS)];
}

function buildCustomerSteps(change: Change, context: CallContext): readonly Step[] {
  const { writer, directory } = context;
  const { target } = change;
  const look = buildLook(change, context);
  const observe = (customer: WireCustomer): Observed => observeCustomer(customer, directory);
  const main = mainEndpoint(change);
  const steps: Step[] = [];
  if (main === 'createCustomer') {
    const send = async () => answerAs(await writer.customers.create(buildCustomerCreate(change, directory)), observe);
    steps.push({ name: 'create', endpoint: main, repeat: 'probe', ...look, send });
  } else if (main === 'updateCustomer' && target !== null) {
    const send = async () =>
      answerAs(await writer.customers.update(target, buildPlainBody('customers', change, directory)), observe);
    steps.push({ name: 'update', endpoint: main, repeat: 'idempotent', ...look, send });
  }
  return [
    ...steps,
    ...buildTagSteps(change, context, {
      ...look,
      endpoints: TAG_ENDPOINTS,
      add: async (id, tag) => answerAs(await writer.tags.addToCustomer(id, tag), observe),
      remove: (id, tagId) => writer.tags.removeFromCustomer(id, tagId),
    }),
  ];
}

function buildLook(change: Change, context: CallContext): Pick<Step, 'probe' | 'seenBy'> {
  const { reader, directory, mirrored } = context;
  const known = change.target === null ? null : mirrored('customers', change.target);
  const external = textOf(change.after.external_unique_id ?? known?.values.external_unique_id);
  return {
    seenBy: external === '' ? 'listCustomers' : 'findCustomer',
    async probe() {
      const found = external === '' ? await findByName(change, context) : await reader.customers.find(external);
      return found === null ? null : observeCustomer(found, directory);
    },
  };
}

/**
 * Finds a customer by name if there is no external id. A customer that was unknown before the call matches only if it is
 * not linked to another record.
 */
async function findByName({ target, key, after }: Change, context: CallContext): Promise<WireCustomer | null> {
  const { reader, mirrored, linkedKey } = context;
  const names = keyValues(after.customer_name ?? mirrored('customers', target ?? '')?.values.customer_name);
  if (names.length === 0) return null;
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
