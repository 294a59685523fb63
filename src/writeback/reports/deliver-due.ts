import { isoNow } from '../../base/clock.js';
import { asSyncError, SyncError } from '../../base/errors.js';
import type { Config } from '../../config/config.js';
import type { DeliveredReport } from '../../config/resolve-deliveries.js';
import type { DocumentDelivery } from '../../config/resolve-documents.js';
import { type Due, findDue } from '../../config/schedule/due.js';
import type { Delivered, DeliveryFailure, DeliveryResult, DueDelivery } from '../../model/delivery.js';
import { appendEvent } from '../../store/audit/audit-log.js';
import type { Stores } from '../../store/open-stores.js';
import { DOCUMENT_KINDS } from '../documents/document-kinds.js';
import {
  deliverDocumentsNow,
  deliverDueDocuments,
  findDueDocuments,
  listDueDocuments,
} from '../documents/due-documents.js';
import { type DeliveryCheckpoint, deliverOne } from './deliver-one.js';
import { BudgetSpent } from './deliverable.js';
import type { DeliveryContext } from './delivery-context.js';
import { describeDeliverable } from './kinds.js';

/** The times of the last and the next delivery, in milliseconds since the epoch. */
export interface DeliveryState extends Pick<Due, 'slotMs' | 'nextMs'> {
  readonly report: DeliveredReport | DocumentDelivery;
  readonly of: string;
  readonly last: Delivered | null;
  readonly failure: DeliveryFailure | null;
  /** The number of delivered documents; null for a report. */
  readonly delivered: number | null;
}

export function listDeliveryStates(
  { reports, documents }: Pick<Config, 'reports' | 'documents'>,
  { deliveries, documents: delivered }: Pick<Stores, 'deliveries' | 'documents'>,
  nowMs: number,
): readonly DeliveryState[] {
  return [
    ...reports.map((report) => {
      const { anchor, last, failure } = deliveries.of(report.name);
      const { slotMs, nextMs } = findDue(report.schedule, anchor, nowMs);
      return { report, of: describeDeliverable(report).of, last, failure, slotMs, nextMs, delivered: null };
    }),
    ...documents.map((report) => {
      const { anchor, last, failure } = deliveries.of(report.name);
      const { slotMs, nextMs } = findDueDocuments(report, anchor, nowMs);
      const { of } = DOCUMENT_KINDS[report.kind];
      return { report, of, last, failure, slotMs, nextMs, delivered: delivered.count(report.name) };
    }),
  ];
}

/** Lists the deliveries of the next run, for its plan. Reports are due by schedule, documents by changes in the service. */
export async function forecastDeliveries(context: DeliveryContext): Promise<readonly DueDelivery[]> {
  const nowMs = context.setup.tools.clock.now();
  return [...listDueDeliveries(context.config, context.stores, nowMs), ...(await listDueDocuments(context, nowMs))];
}

/** Lists the reports that a run would deliver now, and the calls they take. Changes nothing. */
export function listDueDeliveries(
  { reports }: Pick<Config, 'reports'>,
  { deliveries }: Pick<Stores, 'deliveries'>,
  nowMs: number,
): readonly DueDelivery[] {
  return reports.flatMap((report) => {
    const { anchor, last, work } = deliveries.of(report.name);
    const { slotMs, missed } = findDue(report.schedule, anchor, nowMs);
    if (slotMs === null) return [];
    const { of, forecast } = describeDeliverable(report);
    // Completely written files need no more calls to the service.
    const isLaid = work?.slotMs === slotMs && work.laid !== null;
    return [{ report: report.name, of, slot: toIso(slotMs), missed, calls: isLaid ? {} : forecast(last) }];
  });
}

/**
 * Delivers everything that is due, one delivery after the other. A failed delivery is reported and retried in the next
 * run; it does not stop the others. A slot is done when its files have their final names. If several slots have passed,
 * only the newest is delivered; the others are missed.
 *
 * @param run null between runs
 */
export async function deliverDue(context: DeliveryContext, run: string | null): Promise<readonly DeliveryResult[]> {
  const { config, stores, setup } = context;
  const { clock, signal } = setup.tools;
  const results: DeliveryResult[] = [];
  for (const report of config.reports) {
    if (signal?.aborted) break;
    const { anchor: known } = stores.deliveries.of(report.name);
    const { slotMs, missed, anchor } = findDue(report.schedule, known, clock.now());
    if (slotMs === null) {
      if (anchor !== known) stores.deliveries.save(report.name, { anchor });
      continue;
    }
    const memory: DeliveryCheckpoint = {
      slotMs,
      work: stores.deliveries.of(report.name).work,
      save: (work) => stores.deliveries.save(report.name, { work }),
    };
    const save = (last: Delivered): void =>
      stores.deliveries.save(report.name, { anchor, work: null, last, failure: null });
    const result = await attempt(context, report, { run, slotMs, missed, save }, memory);
    if (result !== null) results.push(result);
  }
  for (const delivery of config.documents) {
    const result = signal?.aborted ? null : await deliverDueDocuments(context, delivery, run);
    if (result !== null) results.push(result);
  }
  return results;
}

/**
 * Delivers one delivery now, regardless of its schedule, which stays unchanged.
 * @throws SyncError if the delivery fails
 */
export async function deliverNow(context: DeliveryContext, name: string): Promise<DeliveryResult> {
  const { stores, config, setup } = context;
  // A person started this delivery, so the call budget of runs does not apply.
  const freely = { ...setup, tools: { ...setup.tools, mayCall: () => true } };
  const documents = config.documents.find((one) => one.name === name);
  if (documents !== undefined) return deliverDocumentsNow({ ...context, setup: freely }, documents);
  const report = config.reports.find((one) => one.name === name);
  if (report === undefined) {
    const names = [...config.reports, ...config.documents].map((one) => one.name);
    throw new SyncError('SYNC_CLI_USAGE', {
      message: `There is no delivery "${name}" in the configuration.`,
      place: name,
      remedy: names.length === 0 ? 'Add it under `deliveries:`.' : `There are: ${names.join(', ')}.`,
    });
  }
  const memory = { slotMs: setup.tools.clock.now(), work: null, save: () => undefined };
  const made = await deliverOne(report, describeDeliverable(report), memory, freely);
  const save = (last: Delivered): void => stores.deliveries.save(report.name, { last });
  return settle(context, report, { run: null, slotMs: null, missed: 0, save }, made);
}

interface DueSlot {
  readonly run: string | null;
  readonly slotMs: number | null;
  readonly missed: number;
  readonly save: (last: Delivered) => void;
}

async function attempt(
  context: DeliveryContext,
  report: DeliveredReport,
  slot: DueSlot,
  memory: DeliveryCheckpoint,
): Promise<DeliveryResult | null> {
  const { stores, logger, setup } = context;
  const deliverable = describeDeliverable(report);
  const { missed } = slot;
  const { slotMs } = memory;
  try {
    return settle(context, report, slot, await deliverOne(report, deliverable, memory, setup));
  } catch (thrown) {
    // The run was stopped from outside, so the report is not at fault. Its progress is stored.
    if (setup.tools.signal?.aborted) return null;
    const told = { report: report.name, of: deliverable.of, slot: toIso(slotMs), missed, files: [] };
    if (thrown instanceof BudgetSpent) return { ...told, status: 'left' };
    const { code, message, place = null, remedy } = asSyncError(thrown);
    const error = { code, message, place, remedy };
    const earlier = stores.deliveries.of(report.name).failure;
    const atMs = earlier?.atMs ?? setup.tools.clock.now();
    stores.deliveries.save(report.name, { failure: { slotMs, atMs, ...error } });
    logger.error({ report: report.name, ...error }, 'a report was not delivered');
    return { ...told, status: 'failed', error };
  }
}

/** Stores the delivery and its audit entry in one transaction. */
function settle(
  { stores, logger, setup, startedBy }: DeliveryContext,
  report: DeliveredReport,
  { run, slotMs, missed, save }: DueSlot,
  { files, parts, polls }: Pick<Delivered, 'parts' | 'polls' | 'files'>,
): DeliveryResult {
  const { clock } = setup.tools;
  const { of } = describeDeliverable(report);
  const slot = slotMs === null ? null : toIso(slotMs);
  stores.state.transaction(() => {
    save({ slotMs, atMs: clock.now(), parts, polls, files });
    appendEvent(stores.audit, {
      kind: 'report delivered',
      at: isoNow(clock),
      run,
      by: startedBy,
      report: report.name,
      of,
      slot,
      files: files.map(({ at, bytes, rows, sha256 }) => ({ at, bytes, rows, sha256 })),
    });
  });
  logger.info({ report: report.name, slot, missed, files: files.length }, 'report delivered');
  return { report: report.name, of, slot, status: 'delivered', missed, files };
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}

/** Lists the checks of `check` for each delivery. The folder must exist and seem writable; no test file is written. */
export function listDestinations({
  config,
  setup,
}: DeliveryContext): readonly { readonly name: string; probe(): Promise<string> }[] {
  const reports = config.reports.map(({ name, place }) => ({ name: `report ${name}`, place }));
  const documents = config.documents.map(({ name, place }) => ({ name: `documents ${name}`, place }));
  return [...reports, ...documents].map(({ name, place }) => ({
    name,
    async probe() {
      const store = setup.openStore(place);
      try {
        await store.checkWritable();
        return `delivers to ${store.at}`;
      } finally {
        await store.close();
      }
    },
  }));
}
