import { asSyncError } from '../../base/errors.js';
import type { DocumentDelivery } from '../../config/resolve-documents.js';
import { type Anchor, type Due, findDue } from '../../config/schedule/due.js';
import type { DeliveryProblem, DeliveryRecord, DeliveryResult, DueDelivery } from '../../model/delivery.js';
import { BudgetSpent } from '../reports/deliverable.js';
import type { DeliveryContext } from '../reports/delivery-context.js';
import {
  type DocumentsEnd,
  deliverDocuments,
  describeProblem,
  forecastDocuments,
  lookForDocuments,
} from './deliver-documents.js';
import { DOCUMENT_KINDS } from './document-kinds.js';
import { countDue } from './queue-documents.js';

/** Without a schedule, a delivery is due in every run, and no slot is ever missed. */
const EVERY_RUN = { slotMs: null, missed: 0, nextMs: null, anchor: null };

export function findDueDocuments(
  { schedule }: DocumentDelivery,
  anchor: Anchor | null,
  nowMs: number,
): Pick<Due, 'slotMs' | 'missed' | 'nextMs'> & { readonly anchor: Anchor | null } {
  return schedule === null ? EVERY_RUN : findDue(schedule, anchor, nowMs);
}

/**
 * Lists the documents that the next run would fetch. This surveys the service. If a survey fails, the plan reports the
 * same error as the run would.
 */
export async function listDueDocuments(context: DeliveryContext, nowMs: number): Promise<readonly DueDelivery[]> {
  const due: DueDelivery[] = [];
  for (const delivery of context.config.documents) {
    const { slotMs, missed } = findDueDocuments(delivery, context.stores.deliveries.of(delivery.name).anchor, nowMs);
    if (delivery.schedule !== null && slotMs === null) continue;
    const words = { report: delivery.name, of: DOCUMENT_KINDS[delivery.kind].of, slot: toIso(slotMs), missed };
    try {
      const queue = await lookForDocuments(delivery, context);
      const documents = countDue(delivery, queue);
      if (documents.due + documents.gone > 0)
        due.push({ ...words, calls: forecastDocuments(delivery, queue), documents });
    } catch (error) {
      context.setup.tools.signal?.throwIfAborted();
      if (!(error instanceof BudgetSpent))
        due.push({ ...words, calls: {}, error: describeProblem(asSyncError(error)) });
    }
  }
  return due;
}

/** @returns null if nothing was due */
export async function deliverDueDocuments(
  context: DeliveryContext,
  delivery: DocumentDelivery,
  run: string | null,
): Promise<DeliveryResult | null> {
  const { stores, setup, logger } = context;
  const { clock, signal } = setup.tools;
  const known = stores.deliveries.of(delivery.name);
  const { slotMs, missed, anchor } = findDueDocuments(delivery, known.anchor, clock.now());
  if (delivery.schedule !== null && slotMs === null) {
    if (anchor !== known.anchor) stores.deliveries.save(delivery.name, { anchor });
    return null;
  }
  const words = { report: delivery.name, of: DOCUMENT_KINDS[delivery.kind].of, slot: toIso(slotMs), missed };
  try {
    const end = await deliverDocuments(delivery, context, run);
    const problem = findProblem(end, delivery, context);
    remember(delivery, known, { end, problem, anchor, slotMs }, context);
    if (isQuiet(end) && problem === null) return null;
    logger.info({ delivery: delivery.name, ...countOnly(end) }, 'documents delivered');
    return resultOfEnd(words, end, problem);
  } catch (thrown) {
    if (signal?.aborted) return null;
    if (thrown instanceof BudgetSpent) return { ...words, files: [], status: 'left' };
    const error = describeProblem(asSyncError(thrown));
    noteFailure(delivery, known, { error, slotMs }, context);
    logger.error({ delivery: delivery.name, code: error.code }, 'documents were not delivered');
    return { ...words, files: [], status: 'failed', error };
  }
}

/**
 * Delivers everything that is due now, up to `at_most`.
 * @throws SyncError if the delivery stopped early
 */
export async function deliverDocumentsNow(
  context: DeliveryContext,
  delivery: DocumentDelivery,
): Promise<DeliveryResult> {
  const known = context.stores.deliveries.of(delivery.name);
  const end = await deliverDocuments(delivery, context, null);
  const problem = findProblem(end, delivery, context);
  remember(delivery, known, { end, problem, anchor: known.anchor, slotMs: null }, context);
  if (end.stopped instanceof Error) throw end.stopped;
  const words = { report: delivery.name, of: DOCUMENT_KINDS[delivery.kind].of, slot: null, missed: 0 };
  return resultOfEnd(words, end, problem);
}

type DeliveryHead = Pick<DeliveryResult, 'report' | 'of' | 'slot' | 'missed'>;

function resultOfEnd(words: DeliveryHead, end: DocumentsEnd, problem: DeliveryProblem | null): DeliveryResult {
  const result = { ...words, files: end.files, documents: end.counts };
  if (problem !== null) return { ...result, status: 'failed', error: problem };
  return { ...result, status: end.stopped === 'budget' ? 'left' : 'delivered' };
}

/**
 * Returns the reason why the delivery stopped or a document failed. A document that waits for its next attempt still
 * counts as failed.
 */
function findProblem(
  { stopped, counts, state }: DocumentsEnd,
  delivery: DocumentDelivery,
  { stores }: DeliveryContext,
): DeliveryProblem | null {
  if (stopped instanceof Error) return describeProblem(stopped);
  const [first] = counts.failed;
  if (first !== undefined)
    return { code: first.code, message: first.message, place: first.place, remedy: first.remedy };
  if (state.failing === 0) return null;
  const resting = stores.documents.of(delivery.name).find(({ failure }) => failure !== null)?.failure;
  if (resting === undefined || resting === null) return null;
  return { code: resting.code, message: resting.message, place: null, remedy: resting.remedy };
}

function isQuiet({ counts, stopped }: DocumentsEnd): boolean {
  const { delivered, unchanged, removed, failed, left } = counts;
  return stopped === null && delivered + unchanged + removed + failed.length + left === 0;
}

function countOnly({ counts: { delivered, unchanged, removed, left, failed } }: DocumentsEnd) {
  return { delivered, unchanged, removed, left, failed: failed.length };
}

interface Ended {
  readonly end: DocumentsEnd;
  readonly problem: DeliveryProblem | null;
  readonly anchor: Anchor | null;
  readonly slotMs: number | null;
}

/** Stores the state of the delivery. A slot is done when nothing is left to deliver. */
function remember(
  delivery: DocumentDelivery,
  known: DeliveryRecord,
  { end, problem, anchor, slotMs }: Ended,
  { stores, setup }: DeliveryContext,
): void {
  const nowMs = setup.tools.clock.now();
  const isDone = end.stopped === null && end.counts.left === 0;
  const atMs = end.files.length > 0 ? nowMs : (known.last?.atMs ?? nowMs);
  // File names are stored only in the table of documents, where an erasure finds them.
  const last = { slotMs, atMs, parts: 1, polls: 0, files: [], documents: end.state };
  if (JSON.stringify(last) !== JSON.stringify(known.last)) stores.deliveries.save(delivery.name, { last });
  if (isDone && anchor !== known.anchor) stores.deliveries.save(delivery.name, { anchor });
  if (problem !== null) noteFailure(delivery, known, { error: problem, slotMs }, { stores, setup });
  else if (known.failure !== null) stores.deliveries.save(delivery.name, { failure: null });
}

function noteFailure(
  delivery: DocumentDelivery,
  known: DeliveryRecord,
  { error, slotMs }: { readonly error: DeliveryProblem; readonly slotMs: number | null },
  { stores, setup }: Pick<DeliveryContext, 'stores' | 'setup'>,
): void {
  const nowMs = setup.tools.clock.now();
  const failure = { slotMs: slotMs ?? nowMs, atMs: known.failure?.atMs ?? nowMs, ...error };
  stores.deliveries.save(delivery.name, { failure });
}

function toIso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
