import { isoNow } from '../../base/clock.js';
import { asSyncError, type SyncError } from '../../base/errors.js';
import type { DocumentDelivery } from '../../config/resolve-documents.js';
import type { DropStore } from '../../connectors/drop/store.js';
import type { DeliveredFile, DeliveryProblem, DocumentCounts, DocumentState } from '../../model/delivery.js';
import { pauseAfter } from '../../model/refusal-pauses.js';
import { formatTemplate } from '../../service/endpoints.js';
import { ServiceError } from '../../service/service-error.js';
import { appendEvent } from '../../store/audit/audit-log.js';
import { BudgetSpent, claimCall } from '../reports/deliverable.js';
import type { DeliveryContext } from '../reports/delivery-context.js';
import { type DocumentDesk, deliverDocument, resumeDocument } from './deliver-document.js';
import { keepManifest, nameManifest } from './document-files.js';
import { DOCUMENT_KINDS } from './document-kinds.js';
import { countDue, type DocumentQueue, type DueDocument, queueDocuments } from './queue-documents.js';
import { removeGone } from './remove-gone.js';

/** This many failures in a row mean that the service is at fault, not the records. */
const MOST_IN_A_ROW = 3;

/** The result of a delivery in one run. */
export interface DocumentsEnd {
  readonly counts: DocumentCounts;
  readonly files: readonly DeliveredFile[];
  readonly state: DocumentState;
  /** The reason why the delivery stopped early; null if it did not. */
  readonly stopped: SyncError | 'budget' | 'signal' | null;
}

/**
 * Returns the documents that are due. It surveys all records once per run. The run reuses the survey of its plan unless
 * it has written to the service since.
 */
export async function lookForDocuments(delivery: DocumentDelivery, context: DeliveryContext): Promise<DocumentQueue> {
  const { setup, stores, surveys } = context;
  const sent = setup.countWrites();
  const seen = surveys.get(delivery.name);
  const survey = seen?.sent === sent ? seen.survey : await DOCUMENT_KINDS[delivery.kind].survey(delivery, setup.tools);
  surveys.set(delivery.name, { sent, survey });
  return queueDocuments(delivery, survey, stores.documents.of(delivery.name), setup.tools.clock.now());
}

/** Endpoint template → calls of the next run, including the survey. */
export function forecastDocuments(delivery: DocumentDelivery, queue: DocumentQueue): Readonly<Record<string, number>> {
  const { now, gone } = countDue(delivery, queue);
  const download = formatTemplate(DOCUMENT_KINDS[delivery.kind].endpoint(delivery));
  const looks = delivery.kind === 'cv_documents' && gone > 0 ? { [formatTemplate('getUser')]: gone } : {};
  return { ...queue.survey.calls, ...(now > 0 ? { [download]: now } : {}), ...looks };
}

/**
 * Delivers documents one by one and records each document once it is in place, so an interrupted run loses nothing. The
 * manifest is written at the end.
 */
export async function deliverDocuments(
  delivery: DocumentDelivery,
  context: DeliveryContext,
  run: string | null,
): Promise<DocumentsEnd> {
  const { setup, stores } = context;
  const store = setup.openStore(delivery.place);
  try {
    await store.checkWritable();
    const batch = openBatch(delivery, context, { store, run });
    await batch.resume();
    const queue = await lookForDocuments(delivery, context);
    const stopped = await batch.work(queue);
    const now = queueDocuments(delivery, queue.survey, stores.documents.of(delivery.name), setup.tools.clock.now());
    const known = stores.deliveries.of(delivery.name).last?.documents?.manifest ?? null;
    const manifest = await keepManifest(delivery, context, { store, known });
    const state = { listed: queue.survey.listed.length, left: now.due.length, failing: now.resting.length, manifest };
    return { counts: { to: store.at, ...batch.counts(), left: now.due.length }, files: batch.files(), state, stopped };
  } finally {
    await store.close();
  }
}

interface OpenFolder {
  readonly store: DropStore;
  readonly run: string | null;
}

/** Prepares one delivery's documents for one run. */
function openBatch(delivery: DocumentDelivery, context: DeliveryContext, { store, run }: OpenFolder) {
  const { setup, stores, startedBy } = context;
  const { clock, signal } = setup.tools;
  const { of, entity } = DOCUMENT_KINDS[delivery.kind];
  const failed: DocumentCounts['failed'][number][] = [];
  const files: DeliveredFile[] = [];
  let [unchanged, removed] = [0, 0];
  const about = { run, by: startedBy, delivery: delivery.name, of, entity };

  const desk: DocumentDesk = {
    store,
    spools: setup.spools,
    format: delivery.format,
    manifest: nameManifest(delivery.name),
    now: () => isoNow(clock),
    note: (work) => stores.deliveries.save(delivery.name, { work }),
    settle(key, laid, how) {
      const { file, bytes, sha256, stamp } = laid;
      stores.state.transaction(() => {
        stores.documents.save({ delivery: delivery.name, entity, key, laid, missing: 0, failure: null });
        stores.deliveries.save(delivery.name, { work: null });
        if (how === 'unchanged') return;
        const facts = { target: key, file: store.locate(file), bytes, sha256, changed: stamp };
        appendEvent(stores.audit, { kind: 'document delivered', at: isoNow(clock), ...about, ...facts });
      });
      if (how === 'unchanged') unchanged += 1;
      else files.push({ at: store.locate(file), name: file, bytes, rows: null, sha256, entity, target: key });
    },
  };

  function noteFailure({ listed, before }: DueDocument, asked: string, error: SyncError): void {
    const { key, stamp } = listed;
    const earlier = before?.failure;
    const times = earlier?.stamp === stamp && earlier.asked === asked ? earlier.times + 1 : 1;
    const { code, message, remedy } = error;
    const failure = { stamp, asked, times, nextMs: clock.now() + pauseAfter(times), code, message, remedy };
    stores.documents.save({
      delivery: delivery.name,
      entity,
      key,
      laid: before?.laid ?? null,
      missing: before?.missing ?? 0,
      failure,
    });
    failed.push({ entity, target: key, ...describeProblem(error) });
  }

  async function fetchDue({ due, asked }: DocumentQueue): Promise<void> {
    let inARow = 0;
    const now = due.slice(0, delivery.atMost);
    for (const one of now) {
      signal?.throwIfAborted();
      claimCall(setup.tools);
      try {
        await deliverDocument(one, asked, desk);
        inARow = 0;
      } catch (thrown) {
        if (!isOfRecord(thrown)) throw thrown;
        noteFailure(one, asked, asSyncError(thrown));
        inARow += 1;
        if (inARow === MOST_IN_A_ROW) throw thrown;
      }
      const step = { step: `fetching ${delivery.name}`, of: 'documents', total: now.length };
      context.onProgress?.({ ...step, more: 1 });
    }
  }

  return {
    async resume(): Promise<void> {
      const { work } = stores.deliveries.of(delivery.name);
      await resumeDocument(work, (key) => stores.documents.find(delivery.name, key)?.laid ?? null, desk);
      if (work !== null) stores.deliveries.save(delivery.name, { work: null });
    },
    async work(queue: DocumentQueue): Promise<DocumentsEnd['stopped']> {
      try {
        await fetchDue(queue);
        removed = await removeGone(delivery, queue, { context, store, about });
        return null;
      } catch (thrown) {
        if (signal?.aborted) return 'signal';
        return thrown instanceof BudgetSpent ? 'budget' : asSyncError(thrown);
      }
    },
    counts: (): Omit<DocumentCounts, 'left' | 'to'> => ({ delivered: files.length, unchanged, removed, failed }),
    files: (): readonly DeliveredFile[] => files,
  };
}

/** True if the failure seems to concern this record only, so that the other records are still tried. */
function isOfRecord(thrown: unknown): boolean {
  const { code, kind } = asSyncError(thrown);
  if (thrown instanceof ServiceError)
    return thrown.fault === 'status' && !['unsafe', 'halt'].includes(kind) && code !== 'SYNC_SERVICE_LIMITED';
  return kind === 'record';
}

export function describeProblem({ code, message, place, remedy }: SyncError): DeliveryProblem {
  return { code, message, place: place ?? null, remedy };
}
