import type { Yaml } from '../scenarios/company.js';
import type { Cells, Rows, Tables } from './history.js';
import { isUnusable } from './in-use.js';
import { type Facts, type Holding, listOf, type Moment, toList } from './part.js';

const DAY_MS = 86_400_000;
/** A round with its faults takes less, and the clock may be set back by this much in one. */
const UNSURE_MS = (14 + 5) * DAY_MS;

/** People whom the runs have deactivated, and since when. */
export interface Departures {
  /** @param days after which they are to be deleted; null for never */
  note(key: string, nowMs: number, days: number | null): void;
  forget(key: string): void;
  isDue(key: string, nowMs: number): boolean;
  /** How long to wait until it is certain for everyone whether the time is up. */
  waitMs(nowMs: number): number;
}

export function rememberDepartures(): Departures {
  /** When the time is up. */
  const left = new Map<string, number>();
  return {
    note(key, nowMs, days) {
      if (days !== null) left.set(key, nowMs + days * DAY_MS);
    },
    forget: (key) => void left.delete(key),
    isDue: (key, nowMs) => nowMs >= (left.get(key) ?? Number.POSITIVE_INFINITY) + UNSURE_MS,
    waitMs(nowMs) {
      let sureMs = nowMs;
      for (const upMs of [...left.values()].sort((a, b) => a - b))
        if (sureMs > upMs - UNSURE_MS) sureMs = Math.max(sureMs, upMs + UNSURE_MS);
      return sureMs - nowMs;
    },
  };
}

/** Nobody is deleted while an unreadable row may be theirs, or a record of the sources names them. */
export function isPurgeBlocked(key: string, { rows, before, delivers, shown }: Moment): boolean {
  const isStrange = ([other, cells]: readonly [string, Cells]): boolean =>
    isUnusable(cells) && (before.get(`user ${other}`)?.key ?? null) === null;
  return [...rows].some(isStrange) || (!delivers && isNamed(key, shown));
}

/** True if a new delivery names the person. Only staffing and sections may name people who are gone. */
function isNamed(key: string, { deals, bids }: Partial<Tables>): boolean {
  const isIn = (rows: Rows = new Map(), columns: readonly string[]): boolean =>
    [...rows.values()].some((cells) => columns.some((column) => toList(cells, column).includes(key)));
  return isIn(deals, ['owners']) || isIn(bids, ['owner', 'team', 'people']);
}

/**
 * The contents without these people: their CVs disappear too, and projects and proposals lose them.
 *
 * @param deals rows whose owners are written to their projects before anybody is deleted
 */
export function withoutPeople(holding: Holding, keys: ReadonlySet<string>, deals: Rows = new Map()): Holding {
  if (keys.size === 0) return holding;
  const isTheirs = (name: string, facts: Facts): boolean => {
    const [of, , person = facts.person] = name.split(' ');
    return (of === 'section' || of === 'seat') && keys.has(String(person));
  };
  return new Map(
    [...holding]
      .filter(([name, facts]) => !isTheirs(name, facts))
      .map(([name, facts]): [string, Facts] => {
        const [of, key = ''] = name.split(' ');
        if (of === 'proposal') return [name, withoutParties(facts, keys)];
        if (of !== 'project' || toList(deals.get(key) ?? {}, 'owners').length > 0) return [name, facts];
        return [name, { ...facts, owners: listOf(facts.owners).filter((owner) => !keys.has(String(owner))) }];
      }),
  );
}

function withoutParties(facts: Facts, keys: ReadonlySet<string>): Facts {
  const isThere = (person: Yaml): boolean => !keys.has(String(person));
  const lists = ['team', 'people'].map((list) => [list, listOf(facts[list]).filter(isThere)]);
  return { ...facts, owner: isThere(facts.owner ?? null) ? facts.owner : null, ...Object.fromEntries(lists) };
}

/** The keys of people who exist before and not after. */
export function listGone(before: Holding, after: Holding): ReadonlySet<string> {
  const gone = [...before].filter(([name]) => name.startsWith('user ') && !after.has(name));
  return new Set(gone.map(([, { key }]) => String(key)));
}
