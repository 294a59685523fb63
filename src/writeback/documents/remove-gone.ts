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

/** Whole lists that a record must be missing from where no other read proves that it is out. */
const LISTS_TO_PROVE = 2;

interface Removing {
  readonly context: Pick<DeliveryContext, 'stores' | 'setup'>;
  readonly store: DropStore;
  /** What the audit tells of all files of the delivery. */
  readonly about: Pick<DocumentDelivered, 'run' | 'by' | 'delivery' | 'of' | 'entity'>;
}

/**
 * Takes away the documents of records that are gone, where the configuration says so, after a look at each alone. What was not
 * seen is not known: a list that is empty or not whole removes nothing.
 *
 * @returns how many files were removed
 */
export async function removeGone(
  delivery: DocumentDelivery,
  { survey, unlisted, back }: DocumentQueue,
  removing: Removing,
): Promise<number> {
  const { documents } = removing.context.stores;
  for (const record of back) documents.save({ ...record, missing: 0 });
  if (!mayRemove(survey)) return 0;
  // Of these nothing is there: what is remembered is a document that could not be had.
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
    // Somebody changed it: it is not ours any more, and stays.
    if (!isRemoved) return;
    const facts = { target: key, file: store.locate(laid.file) };
    appendEvent(stores.audit, { kind: 'document removed', at: isoNow(setup.tools.clock), ...about, ...facts });
  });
  return isRemoved;
}
