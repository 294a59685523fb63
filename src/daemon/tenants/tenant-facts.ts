import type { Config } from '../../config/config.js';
import { ENTITIES, type Entity } from '../../model/entity.js';
import type { Pause } from '../../model/pause.js';
import { listStreams } from '../../model/stream.js';
import type { WaitingItem } from '../../model/waiting.js';
import { listOutbox } from '../../planning/holds/list-outbox.js';
import { listWaiting } from '../../planning/holds/list-waiting.js';
import { readOverlooked } from '../../planning/reads/overlooked.js';
import type { Stores } from '../../store/open-stores.js';

/** Facts about a tenant between its runs, for monitoring. Times are milliseconds since the epoch. */
export interface TenantFacts {
  /** Time of the newest successful run, even if some of its changes need approval. */
  readonly lastGoodRunMs: number | null;
  /** The pause, during which nothing is planned or written; null if there is none. The pause may have ended since. */
  readonly pause: Pause | null;
  /** The newest complete read of each source. */
  readonly sources: readonly {
    readonly source: string;
    readonly completeMs: number | null;
    /** When the current content was first read. Each later read has found the same content. */
    readonly sameMs: number | null;
    /** Newer files that the newest plan did not read. */
    readonly overlooked: number;
  }[];
  /** Entities that are configured or have objects. */
  readonly mirror: readonly { readonly entity: Entity; readonly objects: number }[];
  /** Pending items as in `status`, one per cause. Acknowledged items are omitted. */
  readonly waiting: readonly WaitingItem[];
  /** The key of the audit log's pseudonyms; null until one is created. */
  readonly pseudonymKey: string | null;
  /**
   * Number of written-back values that a source shows in another form, in the last run of this process; null before that
   * run, or without write-back.
   */
  readonly nearMisses: number | null;
  /** Deliveries of documents, as of the last check for changes. */
  readonly documents: readonly { readonly delivery: string; readonly left: number; readonly failing: number }[];
  /** Records sent to each source that the source does not show yet. */
  readonly outbox: readonly { readonly source: string; readonly records: number; readonly sinceMs: number }[];
}

/**
 * @param now ISO 8601
 * @param nearMisses near misses of the last run of this process; null before that run
 */
export function readFacts(config: Config, stores: Stores, now: string, nearMisses: number | null): TenantFacts {
  const { history, mirror } = stores;
  const overlooked = new Map(readOverlooked(stores).map(({ source, files }) => [source, files]));
  return {
    lastGoodRunMs: parseTime(history.lastGoodRunAt()),
    pause: stores.pauses.find(now),
    sources: listStreams(config.sources).map(({ name }) => {
      const last = history.lastCompleteRead(name);
      return {
        source: name,
        completeMs: parseTime(last?.readAt ?? null),
        overlooked: overlooked.get(name) ?? 0,
        sameMs: last === null ? null : parseTime(history.sameContentSince(name, last.digest)),
      };
    }),
    mirror: ENTITIES.map((entity) => ({ entity, objects: mirror.counts(entity).all })).filter(
      ({ entity, objects }) => objects > 0 || config.mappings[entity] !== undefined,
    ),
    waiting: listOpen(config, stores, now),
    pseudonymKey: stores.audit.pseudonymKey(),
    nearMisses: writesBack(config) ? nearMisses : null,
    documents: config.documents.flatMap(({ name: delivery }) => {
      const state = stores.deliveries.of(delivery).last?.documents;
      return state === undefined ? [] : [{ delivery, left: state.left, failing: state.failing }];
    }),
    outbox: listOutbox(config, stores).map(({ source, records, since }) => ({
      source,
      records,
      sinceMs: Date.parse(since),
    })),
  };
}

function writesBack({ mappings }: Config): boolean {
  return Object.values(mappings).some(({ writeBack }) => writeBack.length > 0);
}

function listOpen(config: Config, stores: Stores, now: string): TenantFacts['waiting'] {
  const open = listWaiting({ config, stores }, now).filter(({ acknowledged }) => acknowledged === undefined);
  return open.map(({ ids: _ids, ...item }) => item);
}

function parseTime(iso: string | null): number | null {
  return iso === null ? null : Date.parse(iso);
}
