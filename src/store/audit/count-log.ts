import type { AuditStore } from '../state/audit-store.js';
import type { LogKind } from './entry-kinds.js';
import { createFilter, type LineTraits, type LogFilter, traitsOf } from './log-filter.js';
import { type LogLine, readLogBack } from './read-log.js';

/** Number of entries per name. */
export type EntryCounts<Name extends string = string> = ReadonlyMap<Name, number>;

export interface LogCounts {
  readonly fitting: number;
  /** Number of all entries in the log, regardless of the filter. */
  readonly all: number;
  /** False if older entries in the time range were not read, so more entries may match. */
  readonly isComplete: boolean;
  /** Numbers of matching changes that were made, by entity and action. */
  readonly changes: ReadonlyMap<string, EntryCounts>;
  /** Numbers of other matching entries, by kind. A change that also has another kind counts there too. */
  readonly kinds: EntryCounts<LogKind>;
  /** Values to filter by, counted as if none of these four filters were set. */
  readonly choices: {
    readonly kind: EntryCounts<LogKind>;
    readonly entity: EntryCounts;
    readonly action: EntryCounts;
    readonly field: EntryCounts;
  };
}

/** The counts in the form that programs receive. */
export interface ListedCounts {
  /** Numbers of changes that were made, by entity and action. */
  readonly changes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Numbers of other entries. An entry with several kinds counts once per kind. */
  readonly kinds: Readonly<Record<string, number>>;
}

/**
 * Counts the newest entries of the time range, and yields to other work. A log may contain a million entries, so the
 * number of entries to read is limited.
 *
 * @param mostLooked maximum number of entries to read
 */
export async function countLog(store: AuditStore, filter: LogFilter, mostLooked: number): Promise<LogCounts> {
  const isBroad = createFilter(store, { ...filter, kind: null, entity: null, action: null, field: null });
  const isWanted = createFilter(store, filter);
  const tally = createTally();
  let isComplete = true;
  for await (const { looked, line } of readLogBack(store, filter)) {
    if (looked > mostLooked) {
      isComplete = false;
      break;
    }
    // An erased entry has no time and no object, so it only matches if there is no filter.
    if (line.kind === 'erased' ? isWanted === null : isBroad === null || isBroad(line))
      tally.add(line, isWanted === null || (line.kind !== 'erased' && isWanted(line)));
  }
  return { ...tally.read(), all: store.length(), isComplete };
}

export function createTally() {
  const kind = new Map<LogKind, number>();
  const entity = new Map<string, number>();
  const action = new Map<string, number>();
  const field = new Map<string, number>();
  const changes = new Map<string, Map<string, number>>();
  const kinds = new Map<LogKind, number>();
  let fitting = 0;
  function addFitting(traits: LineTraits): void {
    fitting += 1;
    for (const name of traits.kinds) if (name !== 'changes') addTo(kinds, name);
    const [entity] = traits.entities;
    if (!traits.kinds.includes('changes') || entity === undefined || traits.action === null) return;
    const actions = changes.get(entity) ?? new Map<string, number>();
    changes.set(entity, actions);
    addTo(actions, traits.action);
  }
  return {
    /** @param isFitting false for an entry that only counts for the choices */
    add(line: LogLine, isFitting = true): void {
      if (line.kind === 'erased') {
        fitting += 1;
        return;
      }
      const traits = traitsOf(line);
      for (const name of traits.kinds) addTo(kind, name);
      for (const name of traits.entities) addTo(entity, name);
      if (traits.action !== null) addTo(action, traits.action);
      for (const name of traits.fields) addTo(field, name);
      if (isFitting) addFitting(traits);
    },
    read: () => ({
      fitting,
      changes: sortBy(new Map([...changes].map(([name, actions]) => [name, sortBy(actions)])), total),
      kinds: sortBy(kinds),
      choices: { kind, entity, action, field },
    }),
  };
}

/** Sorts the largest count first. */
function sortBy<Name, Count>(
  counts: ReadonlyMap<Name, Count>,
  size: (count: Count) => number = Number,
): ReadonlyMap<Name, Count> {
  return new Map([...counts].sort(([, a], [, b]) => size(b) - size(a)));
}

function total(counts: EntryCounts): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function addTo<Name>(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
