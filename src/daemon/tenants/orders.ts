import { asSyncError, describeError, readDescribed, toLogFields } from '../../base/errors.js';
import type { Json } from '../../model/json.js';
import { nameSignal } from '../../model/signal.js';
import { findOperation, OPERATION_NAMES } from '../../operations/all-operations.js';
import type { TenantOperation } from '../../operations/operation.js';
import type { LockContext } from '../../operations/with-locked-stores.js';
import type { DecisionContext } from '../../operations/with-stores.js';
import type { ToldWork, WorkOrder } from '../../operations/work-order.js';
import type { Holding } from '../../store/remote/hold-state.js';
import type { Inbox, InboxEntry, InboxOrder } from '../../store/remote/inbox.js';
import type { AskedKind, AskedWork } from './asked-work.js';

/* Orders in the inbox of a tenant: operations by name, and requested plans and runs. */

/** The person who asks for an operation, and the input. */
interface OperationOrder extends Pick<DecisionContext, 'by' | 'via'> {
  readonly input: Json;
  readonly isVeiled: boolean;
}

type OperationAnswer = { readonly document: Json } | { readonly error: Json };

export function orderOf(
  tenant: string,
  { name, needs }: Pick<TenantOperation<never, unknown>, 'name' | 'needs'>,
  { by, via, isVeiled = false }: Pick<DecisionContext, 'by' | 'via' | 'isVeiled'>,
  input: unknown,
): InboxOrder {
  const order: OperationOrder = { by, via, isVeiled, input: toJson(input) };
  const as = needs === 'a word' ? 'decisions' : 'requests';
  return { tenant, kind: name, content: order as unknown as Json, as };
}

export function whoOf(content: Json): string {
  return (content as unknown as OperationOrder).by;
}

/** @throws SyncError the error that ended the operation */
export function openAnswer<Document>({ answer }: InboxEntry): Document {
  const ended = answer as unknown as OperationAnswer;
  if ('error' in ended) throw readDescribed(ended);
  return ended.document as Document;
}

/** The held state in which an order is carried out. */
export interface OrderContext extends Omit<DecisionContext & LockContext, 'by' | 'via' | 'isVeiled'> {
  readonly holding: Holding;
  readonly inbox: Inbox;
}

/** How to treat an order. Null if this version does not know the order and leaves it to other daemons. */
export function kindOfOrder({ kind }: InboxEntry): 'word' | 'turn' | 'work' | null {
  if (kind in WORK_KINDS) return 'work';
  const operation = findOperation(kind);
  if (operation === null) return null;
  return operation.needs === 'a turn' ? 'turn' : 'word';
}

export function isErasure({ kind }: InboxEntry): boolean {
  return findOperation(kind)?.erases === true;
}

/**
 * Carries out an operation. The answer goes into the same commit as the changes, so that both are stored or neither.
 *
 * @returns false if it was rejected
 * @throws SyncError SYNC_LEASE_LOST, SYNC_BACKEND_*
 */
export async function carryOut(entry: InboxEntry, { holding, inbox, ...context }: OrderContext): Promise<boolean> {
  const operation = findOperation(entry.kind);
  if (operation === null) return false;
  const { by, via, isVeiled, input } = entry.content as unknown as OperationOrder;
  let answer: OperationAnswer;
  try {
    await holding.fetchPlans();
    answer = { document: toJson(await operation.perform({ ...context, by, via, isVeiled }, input)) };
  } catch (thrown) {
    const error = asSyncError(thrown);
    if (error.code === 'SYNC_LEASE_LOST' || error.code.startsWith('SYNC_BACKEND_')) throw error;
    if (error.code === 'SYNC_INTERNAL') context.logger.error(toLogFields(error), 'defect');
    answer = describeError(error) as { readonly error: Json };
  }
  const forgotten = operation.erases === true ? [inbox.forgetOrder(entry)] : [];
  await holding.ship([...forgotten, inbox.end(entry, answer as Json)]);
  return 'document' in answer;
}

/** Kinds of requested plans and runs, by their names in the inbox. */
const WORK_KINDS: Readonly<Record<string, AskedKind>> = {
  planNow: 'plan',
  runNow: 'run',
  deliverNow: 'deliveries',
};
/** Kinds of orders that this version carries out. */
export const ORDER_KINDS: readonly string[] = [...Object.keys(WORK_KINDS), ...OPERATION_NAMES];
const NAMES: Readonly<Record<AskedKind, string>> = { plan: 'planNow', run: 'runNow', deliveries: 'deliverNow' };

interface WorkContent {
  readonly by: string;
  readonly order: WorkOrder | null;
}

interface AskedAnswer {
  readonly result: string | null;
  readonly told: ToldWork | null;
  readonly problem: Json;
}

export function workOrderOf(tenant: string, kind: AskedKind, by: string, order: WorkOrder | null): InboxOrder {
  const content: WorkContent = { by, order };
  const own = { tenant, kind: NAMES[kind], content: content as unknown as Json, as: 'requests' } as const;
  // Requests for a due run are identical, and so are signals of the same sources. An order with options is for one person.
  if (order === null) return { ...own, key: '' };
  const { signals } = order;
  return signals === undefined ? own : { ...own, key: signals.map(nameSignal).sort().join('\n') };
}

/** Converts an entry to requested work; null for an entry that is not a plan or run. */
export function toAskedWork({ id, kind: name, content, atMs, state, answer }: InboxEntry): AskedWork | null {
  const kind = WORK_KINDS[name];
  if (kind === undefined) return null;
  const { by, order } = content as unknown as WorkContent;
  const { result = null, told = null, problem = null } = (answer ?? {}) as unknown as Partial<AskedAnswer>;
  const error = problem === null ? null : readDescribed(problem as { readonly error: unknown });
  return { id, kind, by, askedMs: atMs, state, order, result, told, problem: error };
}

export function answerOf({ result, told, problem }: Pick<AskedWork, 'result' | 'told' | 'problem'>): Json {
  return toJson({ result, told, problem: problem === null ? null : describeError(problem) });
}

function toJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null)) as Json;
}
