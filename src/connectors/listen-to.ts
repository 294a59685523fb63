import type { RecordBatch } from '../model/source.js';
import type { Connector } from './connector.js';

/**
 * Wraps a source so that `hear` also receives its batches while it is read.
 *
 * @param seesAll true to read unchanged rows too, which `hear` would otherwise not receive
 */
export function listenTo(connector: Connector, hear: (batch: RecordBatch) => void, seesAll: boolean): Connector {
  return {
    name: connector.name,
    ...(connector.mayBeEmpty === undefined ? {} : { mayBeEmpty: connector.mayBeEmpty }),
    read: (take, signal, standing) => {
      const both = (batch: RecordBatch): void => {
        hear(batch);
        take(batch);
      };
      return connector.read(both, signal, seesAll ? null : standing);
    },
    settle: async (evidence, signal) => connector.settle?.(evidence, signal),
    probe: (signal) => connector.probe(signal),
    close: () => connector.close(),
  };
}
