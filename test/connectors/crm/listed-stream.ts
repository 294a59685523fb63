import { systemOf } from '../../../src/connectors/crm/systems.js';
import { createListedReader } from '../../../src/connectors/listed/listed-reader.js';
import type { IncrementalConfig, ListedStreamConfig } from '../../../src/connectors/listed/listed-stream.js';
import { buildContext, listedConfig, NOW, type Respond, readAll, startServer } from '../fixtures.js';

export const HOUR = 3_600_000;

export interface FeedRead {
  /** Key → name of the delivered records. */
  readonly names: Readonly<Record<string, unknown>>;
  readonly rejected: readonly string[];
  readonly gone: readonly string[];
  /** Path and query of the requests. */
  readonly asked: readonly string[];
  readonly complete: boolean;
  readonly because: string | undefined;
}

/** Opens a stream from a loopback server that can be read repeatedly while time passes. */
export async function openFeed(respond: Respond, rest: Partial<ListedStreamConfig> = {}) {
  const { baseUrl, requests } = await startServer(respond);
  return { baseUrl, requests, ...openFeedAt(baseUrl, requests, rest) };
}

export function openFeedAt(baseUrl: string, requests: readonly string[], rest: Partial<ListedStreamConfig>) {
  const context = buildContext();
  let now = NOW;
  const clock = { ...context.clock, now: () => now };
  const config = listedConfig(baseUrl, rest);
  const connector = createListedReader('crm.people', config, systemOf(config), { ...context, clock });
  return {
    connector,
    slept: context.slept,
    now: () => now,
    pass: (ms: number): void => {
      now += ms;
    },
    read: async (): Promise<FeedRead> => {
      const before = requests.length;
      const { records, rejected, batches, evidence } = await readAll(connector);
      return {
        names: Object.fromEntries(records.map(({ key, cells }) => [key, cells.name])),
        rejected: rejected.map(({ reason }) => reason),
        gone: batches.flatMap(({ gone }) => gone ?? []).map(({ key }) => key),
        asked: requests.slice(before),
        complete: evidence.complete,
        because: evidence.incompleteBecause,
      };
    },
  };
}

export const BY_TIME: IncrementalConfig = {
  modified: '/changed',
  parameter: 'since',
  template: '{since}',
  time: 'iso',
  overlapMs: 600_000,
  fullEveryMs: 24 * HOUR,
};
