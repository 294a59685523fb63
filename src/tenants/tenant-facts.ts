import type { Config } from '../config/config.js';
import { ENTITIES, type Entity } from '../model/entity.js';
import { nameGuardKind } from '../model/held-source.js';
import { listStreams } from '../model/stream.js';
import { readOverlooked } from '../planning/reads/overlooked.js';
import type { RunEnd } from '../run.js';
import type { Stores } from '../store/open-stores.js';
import { listWaiting } from '../writeback/list-waiting.js';

/** What is known of a tenant between its runs, for monitoring. Times are milliseconds since the epoch. */
export interface TenantFacts {
  /** The newest run that went through, whether or not something waits for a person. */
  readonly lastGoodRunMs: number | null;
  /** The newest read of each source that is proven whole. */
  readonly sources: readonly {
    readonly source: string;
    readonly completeMs: number | null /** Since when each read has found the same content. */;
    readonly sameMs: number | null;
    /** Newer files that the newest plan did not read. */
    readonly overlooked: number;
  }[];
  readonly mirror: readonly { readonly entity: Entity; readonly objects: number }[];
  /** Of the last run of this process; null before it. */
  readonly lastRun: {
    readonly held: readonly { readonly entity: string; readonly code: string; readonly count: number }[];
    readonly guards: readonly { readonly guard: string; readonly held: number }[];
    /** Questions between the two sides that wait for a person. */
    readonly conflicts: number;
    readonly nearMisses: number;
  } | null;
  /** What each source was told and does not show yet. */
  readonly outbox: readonly { readonly source: string; readonly records: number; readonly sinceMs: number }[];
}

export function readFacts(config: Config, stores: Stores, last: RunEnd | null): TenantFacts {
  const { history, mirror } = stores;
  const overlooked = new Map(readOverlooked(stores).map(({ source, files }) => [source, files]));
  return {
    lastGoodRunMs: parseTime(history.lastGoodRunAt()),
    sources: listStreams(config.sources).map(({ name }) => {
      const last = history.lastCompleteRead(name);
      return {
        source: name,
        completeMs: parseTime(last?.readAt ?? null),
        overlooked: overlooked.get(name) ?? 0,
        sameMs: last === null ? null : parseTime(history.sameContentSince(name, last.digest)),
      };
    }),
    mirror: ENTITIES.map((entity) => ({ entity, objects: mirror.counts(entity).all })),
    lastRun: last === null ? null : describeRun(last),
    outbox: listWaiting(config, stores).map(({ source, records, since }) => ({
      source,
      records,
      sinceMs: Date.parse(since),
    })),
  };
}

function describeRun({ document }: RunEnd): TenantFacts['lastRun'] {
  const counts = new Map<string, { readonly entity: string; readonly code: string; count: number }>();
  for (const { entity, code } of [...document.held, ...document.conflicts]) {
    const known = counts.get(`${entity} ${code}`);
    if (known === undefined) counts.set(`${entity} ${code}`, { entity, code, count: 1 });
    else known.count += 1;
  }
  return {
    held: [...counts.values()],
    guards: document.guards.map(({ guard, held }) => ({ guard: nameGuardKind(guard), held })),
    conflicts: document.conflicts.length,
    nearMisses: document.near_misses ?? 0,
  };
}

function parseTime(iso: string | null): number | null {
  return iso === null ? null : Date.parse(iso);
}
