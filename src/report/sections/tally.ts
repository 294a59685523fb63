import { takeEach } from '../../base/clock.js';
import { ENTITIES } from '../../model/entity.js';
import { countHeld, groupHolds, type HoldGroup } from './held.js';
import { BY_DANGER, isDangerous, lookOf } from './kinds.js';
import { groupOf, type Report, type ReportChange, STATES, type State } from './report.js';

/** Numbers about the write-backs to one source. */
export interface SourceTally {
  records: number;
  values: number;
  /** Column → number of records, in the order of first appearance. */
  readonly columns: Map<string, number>;
  readonly states: Map<State, number>;
  /** `for hr.write_back` → number of records. */
  readonly waits: Map<string, number>;
}

/** The numbers of a report, counted in one pass that keeps no rows. */
export interface ReportTally {
  /** Number of changes to the service. */
  readonly total: number;
  /** Number of changes to the service and write-backs. */
  readonly rows: number;
  /** Number of rows that failed or are dangerous. */
  readonly urgent: number;
  /** Number of rows per rank, in display order; see `rankOf`. */
  readonly ranks: readonly number[];
  readonly sources: ReadonlyMap<string, SourceTally>;
  /** `users` → `update` → number of rows. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly states: ReadonlyMap<State, number>;
  /** `users.title` → number of changes that affect the field, largest first. */
  readonly fields: readonly (readonly [string, number])[];
  /** Calls sent, by endpoint; empty for a plan. */
  readonly calls: ReadonlyMap<string, number>;
  readonly entities: readonly string[];
  readonly actions: readonly string[];
  readonly held: number;
  /** Held records by cause, largest first. */
  readonly holds: readonly HoldGroup[];
}

/** @param look called for each change */
export async function tallyReport(
  report: Report,
  shownHolds: number,
  look?: (change: ReportChange) => void,
): Promise<ReportTally> {
  const counts = new Map<string, Map<string, number>>();
  const states = new Map<State, number>();
  const fields = new Map<string, number>();
  const calls = new Map<string, number>();
  const sources = new Map<string, SourceTally>();
  const ranks = [0, 0, 0];
  let [total, rows, urgent] = [0, 0, 0];
  const take = (change: ReportChange): void => {
    look?.(change);
    rows += 1;
    const rank = rankOf(change);
    ranks[rank] = (ranks[rank] ?? 0) + 1;
    if (isUrgent(change)) urgent += 1;
    const group = groupOf(change);
    if (change.sourceRecord === null) total += 1;
    else tallySource(change, change.sourceRecord.source, sources);
    const actions = counts.get(group) ?? new Map<string, number>();
    counts.set(group, actions);
    add(actions, change.action);
    add(states, change.state);
    // A new object has only new fields, so they are not counted.
    if (change.action !== 'create')
      for (const field of new Set(change.differences.map((one) => topField(one.field))))
        add(fields, `${group}.${field}`);
    for (const { call } of change.calls) add(calls, call);
  };
  await takeEach(report.changes(), take);
  const holds = await groupHolds(report.holds(), shownHolds);
  const found = new Set([...counts.values()].flatMap((actions) => [...actions.keys()]));
  return {
    total,
    rows,
    urgent,
    ranks,
    sources,
    counts,
    states: inOrder(states, Object.keys(STATES) as State[]),
    fields: [...fields].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)),
    calls,
    entities: [...inOrder(counts, ENTITIES).keys()],
    actions: [...BY_DANGER, ...found]
      .filter((action, i, all) => found.has(action) && all.indexOf(action) === i)
      .sort((a, b) => lookOf(a).rank - lookOf(b).rank),
    held: countHeld(holds),
    holds,
  };
}

/** 0 for held and failed changes, 1 for dangerous ones, 2 for all others. A decided change keeps its place. */
export function rankOf({ state, action, heldFirst }: Pick<ReportChange, 'state' | 'action' | 'heldFirst'>): 0 | 1 | 2 {
  if (state === 'waits' || state === 'failed' || heldFirst !== undefined) return 0;
  return isDangerous(action) ? 1 : 2;
}

/** True if a person must decide. A change from a held source is excluded, because it is decided together with the source. */
export function isHeldForPerson({ state, about }: Pick<ReportChange, 'state' | 'about'>): boolean {
  return state === 'waits' && !about.includes(':');
}

/** True if a person had to decide when the report was created. */
export function wasHeldForPerson({ heldFirst, ...now }: Pick<ReportChange, 'state' | 'about' | 'heldFirst'>): boolean {
  return isHeldForPerson(heldFirst === undefined ? now : { state: 'waits', about: heldFirst.by });
}

/** The guards that hold, or held, a change. */
export function guardsOf({ heldFirst, about }: Pick<ReportChange, 'about' | 'heldFirst'>): readonly string[] {
  return (heldFirst?.by ?? about).replace(/^for /, '').split(' + ');
}

export function isUrgent({ state, action }: Pick<ReportChange, 'state' | 'action'>): boolean {
  return state === 'failed' || isDangerous(action);
}

function tallySource(change: ReportChange, source: string, sources: Map<string, SourceTally>): void {
  const fresh = { records: 0, values: 0, columns: new Map(), states: new Map(), waits: new Map() };
  const tally = sources.get(source) ?? fresh;
  sources.set(source, tally);
  tally.records += 1;
  tally.values += change.differences.length;
  for (const { field } of change.differences) add(tally.columns, field);
  add(tally.states, change.state);
  if (change.state === 'waits') add(tally.waits, change.about);
}

/** `title.no` → `title` */
export function topField(field: string): string {
  return field.replace(/[.[].*$/, '');
}

function add<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** The entries in the given order. Unknown names come last, in their original order. */
function inOrder<K extends string, V>(map: ReadonlyMap<K, V>, order: readonly K[]): ReadonlyMap<K, V> {
  const rank = (key: K): number => (order.includes(key) ? order.indexOf(key) : order.length);
  return new Map([...map].sort(([a], [b]) => rank(a) - rank(b)));
}
