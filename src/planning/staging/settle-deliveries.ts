import { asSyncError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { Connector } from '../../connectors/connector.js';
import type { StagedEntity } from './stage-sources.js';

/**
 * Moves deliveries to their archive after a run has used them. If a file cannot be moved, this is logged, and the next
 * run tries again.
 */
export async function settleDeliveries(
  staged: readonly StagedEntity[],
  connectors: ReadonlyMap<string, Connector>,
  logger: Logger,
  signal: AbortSignal | undefined,
): Promise<void> {
  const settled = new Set<string>();
  for (const { source, evidence, error } of staged.flatMap(({ deciding, enriching }) => [...deciding, ...enriching])) {
    if (evidence === null || error !== null || settled.has(source)) continue;
    settled.add(source);
    try {
      await connectors.get(source)?.settle?.(evidence, signal);
    } catch (fault) {
      const { code, message, place } = asSyncError(fault);
      logger.warn({ source, code, place, problem: message }, 'a delivery could not be moved to its archive');
    }
  }
}
