import type { Config } from '../config/config.js';
import type { Stores } from '../store/open-stores.js';
import type { WaitingSource } from '../store/state/outbox-store.js';

/** What the sources were told and do not show yet. Of a column that is never read nothing can be waited for. */
export function listWaiting(
  config: Pick<Config, 'mappings'>,
  { outbox }: Pick<Stores, 'outbox'>,
): readonly WaitingSource[] {
  const columns = Object.values(config.mappings).flatMap((mapping) => mapping?.writeBack ?? []);
  return outbox.waitingBySource(columns.filter(({ isRead }) => !isRead));
}
