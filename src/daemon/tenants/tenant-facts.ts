import type { Config } from '../../config/config.js';
import { ENTITIES, type Entity } from '../../model/entity.js';
import type { Pause } from '../../model/pause.js';
import { listStreams } from '../../model/stream.js';
import type { WaitingItem } from '../../model/waiting.js';
import { listOutbox } from '../../planning/holds/list-outbox.js';
import { listWaiting } from '../../planning/holds/list-waiting.js';
import { readOverlooked } from '../../planning/reads/overlooked.js';
import type { Stores } from '../../store/open-stores.js';

/** What is known of a tenant between its runs, for monitoring. Times are milliseconds since the epoch. */
export interface TenantFacts {
  /** The newest run that went through, whether or not something waits for a person. */
  readonly lastGoodRunMs: number | null;
  /** Nothing is planned or written until its end; null where there is none. It may be over by now. */
  readonly pause: Pause | null;
  /** The newest read of each source that is proven whole. */
  readonly sources: readonly {
    readonly source: string;
    readonly completeMs: number | null /** Since when each read has found the same content. */;
    readonly sameMs: number | null;
    /** Newer files that the newest plan did not read. */
    readonly overlooked: number;
  }[];
  /** Of what is configured, and of what there is. */
  readonly mirror: readonly { readonly entity: Entity; readonly objects: number }[];
  /** What waits, each cause once, as `status` shows it; what somebody knows of is left out. */
  readonly waiting: readonly WaitingItem[];
  /** What pseudonyms of the audit are made with; null as long as none was. */
  readonly pseudonymKey: string | null;
  /** Values that sources show in a form of their own, in the last run of this process; null before it, and where nothing is written back. */
  readonly nearMisses: number | null;
  /** Deliveries of documents, as of the last look at what changed. */
  readonly documents: readonly { readonly delivery: string; readonly left: number; readonly failing: number }[];
  /** What each source was told and does not show yet. */
  readonly outbox: readonly { readonly source: string; readonly records: number; readonly sinceMs: number }[];
}

/**
 * @param now ISO 8601
 * @param nearMisses of the last run of this process; null before it
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
