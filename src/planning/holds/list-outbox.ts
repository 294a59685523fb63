import type { Config } from '../../config/config.js';
import type { Stores } from '../../store/open-stores.js';
import type { WaitingSource } from '../../store/state/outbox-store.js';

/** Values that were sent to the sources and that the sources do not show yet. A column that is never read cannot show a value. */
export function listOutbox(
  config: Pick<Config, 'mappings'>,
  { outbox }: Pick<Stores, 'outbox'>,
): readonly WaitingSource[] {
  const columns = Object.values(config.mappings).flatMap((mapping) => mapping.writeBack);
  return outbox.waitingBySource(columns.filter(({ isRead }) => !isRead));
}
