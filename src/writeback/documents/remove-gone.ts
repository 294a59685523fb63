import { isoNow } from '../../base/clock.js';
import type { DocumentDelivery } from '../../config/resolve-documents.js';
import type { DropStore } from '../../connectors/drop/store.js';
import type { DocumentRecord } from '../../model/delivery.js';
import { appendEvent } from '../../store/audit/audit-log.js';
import type { DocumentDelivered } from '../../store/audit/events.js';
import type { DeliveryContext } from '../reports/delivery-context.js';
import { removeOwn } from './document-files.js';
import { DOCUMENT_KINDS } from './document-kinds.js';
import { type DocumentQueue, mayRemove } from './queue-documents.js';

/** The number of complete lists that must lack a record before it counts as gone, if no other read can prove its absence. */
const LISTS_TO_PROVE = 2;

interface Removing {
  readonly context: Pick<DeliveryContext, 'stores' | 'setup'>;
  readonly store: DropStore;
  /** Facts that the audit log records for each file of the delivery. */
  readonly about: Pick<DocumentDelivered, 'run' | 'by' | 'delivery' | 'of' | 'entity'>;
}

/**
 * Removes the documents of records that are gone, if configured, after checking each record. An empty or incomplete list
 * removes nothing.
 *
 * @returns the number of files removed
 */
export async function removeGone(
  delivery: DocumentDelivery,
  { survey, unlisted, back }: DocumentQueue,
  removing: Removing,
): Promise<number> {
  const { documents } = removing.context.stores;
  for (const record of back) documents.save({ ...record, missing: 0 });
  if (!mayRemove(survey)) return 0;
  // These records have no file; only a failed attempt is stored.
  for (const { key, laid } of unlisted) if (laid === null) documents.forget(delivery.name, key);
  if (delivery.gone === 'keep') return 0;
  let removed = 0;
  for (const record of unlisted.filter(({ laid }) => laid !== null).slice(0, delivery.atMost)) {
    removing.context.setup.tools.signal?.throwIfAborted();
    if (await removeIfGone(delivery, record, removing)) removed += 1;
  }
  return removed;
}

async function removeIfGone(
  delivery: DocumentDelivery,
  record: DocumentRecord,
  { context: { stores, setup }, store, about }: Removing,
): Promise<boolean> {
  const { key, laid } = record;
  const missing = record.missing + 1;
  const found = await DOCUMENT_KINDS[delivery.kind].proveAbsence(key, delivery, setup.tools);
  const isGone = found === 'gone' || (found === 'unproven' && missing >= LISTS_TO_PROVE);
  if (laid === null || !isGone) {
    stores.documents.save({ ...record, missing });
    return false;
  }
  const isRemoved = await removeOwn(store, laid);
  stores.state.transaction(() => {
    stores.documents.forget(delivery.name, key);
    // Someone changed the file, so it stays.
    if (!isRemoved) return;
    const facts = { target: key, file: store.locate(laid.file) };
    appendEvent(stores.audit, { kind: 'document removed', at: isoNow(setup.tools.clock), ...about, ...facts });
  });
  return isRemoved;
}
