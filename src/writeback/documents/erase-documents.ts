import type { DocumentDelivery } from '../../config/resolve-documents.js';
import { discardFile } from '../../connectors/drop/partial-file.js';
import type { DropStore } from '../../connectors/drop/store.js';
import type { DocumentRecord } from '../../model/delivery.js';
import type { DeliveryContext } from '../reports/delivery-context.js';
import { keepManifest, manifestOf } from './document-files.js';

/** A person's delivered documents. */
export interface PersonDocuments {
  /** Documents of configured deliveries, which can be removed. */
  readonly reachable: readonly { readonly delivery: DocumentDelivery; readonly record: DocumentRecord }[];
  /** File names of deliveries that are no longer configured, so their folders are unknown. */
  readonly beyond: readonly string[];
}

type Erasing = Pick<DeliveryContext, 'config' | 'stores' | 'setup'>;

/** @param ids ids of the person in the service */
export function findPersonDocuments({ config, stores }: Erasing, ids: readonly string[]): PersonDocuments {
  const records = ids.flatMap((id) => stores.documents.ofKey(id)).filter(({ laid }) => laid !== null);
  const found = records.map((record) => ({
    record,
    delivery: config.documents.find(({ name }) => name === record.delivery) ?? null,
  }));
  return {
    reachable: found.flatMap(({ delivery, record }) => (delivery === null ? [] : [{ delivery, record }])),
    beyond: found.flatMap(({ delivery, record }) =>
      delivery === null ? [`${record.laid?.file ?? ''} (delivery ${record.delivery})`] : [],
    ),
  };
}

/** Paths of the documents, for messages. */
export function listPersonDocuments({ reachable }: PersonDocuments): readonly string[] {
  return reachable.map(
    ({ delivery: { place }, record }) => `${place.drop.replace(/\/$/, '')}/${record.laid?.file ?? ''}`,
  );
}

/**
 * Removes a person's documents, changed or not, and their entries in the manifests. This is the first step of an
 * erasure. If a folder cannot be reached, the erasure stops while the places of the documents are still known.
 *
 * @throws SyncError when a folder or server cannot be reached
 */
export async function erasePersonDocuments(erasing: Erasing, { reachable }: PersonDocuments): Promise<void> {
  const { config, stores, setup } = erasing;
  for (const delivery of config.documents) {
    const own = reachable.filter((one) => one.delivery === delivery).map(({ record }) => record);
    const { work, last } = stores.deliveries.of(delivery.name);
    const known = last?.documents?.manifest ?? null;
    const isStale = manifestOf(delivery, stores.documents.of(delivery.name)).hash !== known && known !== null;
    if (own.length === 0 && work === null && !isStale) continue;
    const store = setup.openStore(delivery.place);
    try {
      await eraseFrom(store, { delivery, own }, erasing);
    } finally {
      await store.close();
    }
  }
}

async function eraseFrom(
  store: DropStore,
  { delivery, own }: { readonly delivery: DocumentDelivery; readonly own: readonly DocumentRecord[] },
  { stores }: Erasing,
): Promise<void> {
  const { name } = delivery;
  const { work, last } = stores.deliveries.of(name);
  // All unfinished files are discarded, because their owner is not always recorded. Another person's file is fetched
  // again.
  for (const file of work?.names ?? []) await discardFile(store, file);
  for (const { laid } of own) if (laid !== null) await store.delete(laid.file);
  stores.state.transaction(() => {
    stores.deliveries.save(name, { work: null });
    for (const { key } of own) stores.documents.forget(name, key);
  });
  const known = last?.documents?.manifest ?? null;
  const manifest = await keepManifest(delivery, { stores }, { store, known });
  if (last?.documents !== undefined)
    stores.deliveries.save(name, { last: { ...last, documents: { ...last.documents, manifest } } });
}
