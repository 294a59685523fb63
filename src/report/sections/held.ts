import { type Batches, takeEach } from '../../base/clock.js';
import { compareTexts, sortNaturally } from '../../model/compare-texts.js';
import { type Acknowledgement, CONFLICT, type HeldCounts, type Hold, type ReportedHold } from '../../model/desired.js';
import { generalise, joinAlike, withoutRecord } from '../../model/hold-cause.js';
import { nameEntities, nameKey, nameOne } from './kinds.js';
import { type Block, blocksOf, code, name, prose, type ReportSection, type SectionCell } from './section.js';
import { capitalise, formatMinute, plural } from './words.js';

/** Holds with one cause, or holds of one kind with different causes. Contains their number and the first few of them. */
export interface HoldGroup {
  readonly entity: string;
  readonly code: string;
  /** The common cause; null if the causes differ. */
  readonly cause: string | null;
  /** True if only a field of each record is held. */
  readonly isField: boolean;
  /** Remedy of the first hold, which is usually the remedy of all. */
  readonly remedy: string;
  readonly shown: ReportedHold[];
  /** Keys of the first thousand holds. */
  readonly keys: string[];
  count: number;
}

/** Maximum number of keys to name per cause. */
const NAMED = 12;
/** Maximum number of keys from which the first ones are chosen. */
const KEYS_KEPT = 1_000;

/**
 * Groups holds by cause, because one wrong column causes thousands of identical holds. Holds with a unique cause are
 * grouped by kind. Each group keeps its first few holds, and the largest groups come first.
 */
export async function groupHolds(holds: Batches<ReportedHold>, most: number): Promise<readonly HoldGroup[]> {
  const causes = new Map<string, HoldGroup>();
  const take = (hold: ReportedHold): void => {
    const { entity, code, remedy, field, cause = withoutRecord(hold) } = hold;
    const isField = field !== undefined;
    const name = JSON.stringify([entity, code, cause, isField, hold.acknowledged !== undefined]);
    const group = causes.get(name) ?? { entity, code, cause, isField, remedy, shown: [], keys: [], count: 0 };
    causes.set(name, group);
    group.count += hold.count ?? 1;
    if (group.shown.length < Math.max(most, NAMED)) group.shown.push(hold);
    if (group.keys.length < KEYS_KEPT && hold.key !== '*' && hold.key !== '?') group.keys.push(hold.key);
  };
  await takeEach(holds, take);
  const told = joinLone([...causes.values()], most);
  return [...joinAlike(told, kindOf, (one, other) => joinGroups(one, other, most))].sort(
    (a, b) => b.count - a.count || compareTexts(a.code, b.code),
  );
}

function joinLone(groups: readonly HoldGroup[], most: number): HoldGroup[] {
  const joined = new Map<string, HoldGroup>();
  const alike = groups.filter(({ count }) => count > 1);
  for (const group of groups) {
    if (group.count > 1) continue;
    const { entity, code, isField, cause } = group;
    const name = JSON.stringify([entity, code, isField, generalise(cause ?? '')]);
    const kind = joined.get(name) ?? { ...group, cause: null, shown: [], keys: [], count: 0 };
    joined.set(name, kind);
    kind.count += group.count;
    if (kind.shown.length < most) kind.shown.push(...group.shown);
  }
  return [...alike, ...joined.values()];
}

function kindOf({ entity, code, cause, isField, shown: [first] }: HoldGroup): string {
  return JSON.stringify([entity, code, cause && generalise(cause), isField, first?.acknowledged !== undefined]);
}

function joinGroups(one: HoldGroup, other: HoldGroup, most: number): HoldGroup {
  return {
    ...one,
    cause: one.cause && generalise(one.cause),
    shown: [...one.shown, ...other.shown].slice(0, Math.max(most, NAMED)),
    keys: [...one.keys, ...other.keys].slice(0, KEYS_KEPT),
    count: one.count + other.count,
  };
}

export function countHeld(groups: readonly HoldGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}

/** The common remedy of all shown holds; null if the remedies differ. */
export function commonRemedy({ remedy, shown }: Pick<HoldGroup, 'remedy' | 'shown'>): string | null {
  return shown.every((hold) => hold.remedy === remedy) ? remedy : null;
}

/** `282 users`, `a field of 282 users`. */
export function nameHeld({ entity, count, isField }: Pick<HoldGroup, 'entity' | 'count' | 'isField'>): string {
  const records = plural(count, nameOne(entity), nameEntities(entity));
  return isField ? `a field of ${records}` : records;
}

/** The first keys of a cause, and the number of the other keys. */
export function listKeys({ keys, count }: Pick<HoldGroup, 'keys' | 'count'>): string {
  const first = sortNaturally(keys, (key) => key).slice(0, NAMED);
  const rest = count - first.length;
  return first.length === 0 ? '' : `${first.join(', ')}${rest > 0 ? `, … and ${rest} more` : ''}`;
}

/** `2 conflicts, 5 records held, 282 fields held`; parts with zero are left out. */
export function describeHeldCounts({ records, fields, conflicts }: HeldCounts): readonly string[] {
  return [
    conflicts === 0 ? '' : plural(conflicts, 'conflict'),
    records === 0 ? '' : `${plural(records, 'record')} held`,
    fields === 0 ? '' : `${plural(fields, 'field')} held`,
  ].filter((part) => part !== '');
}

/** Counts holds in memory by the same parts. */
export function countByWhatWaits(holds: readonly ReportedHold[]): HeldCounts {
  const counts = { records: 0, fields: 0, conflicts: 0 };
  for (const { code, field, count = 1 } of holds) {
    if (code === CONFLICT) counts.conflicts += count;
    else if (field === undefined) counts.records += count;
    else counts.fields += count;
  }
  return counts;
}

/** Held records and fields by cause, with reason, place and remedy. */
export function listHeld(groups: readonly HoldGroup[]): ReportSection | null {
  const held = countHeld(groups);
  if (held === 0) return null;
  return {
    id: 'held',
    title: `Held: set aside, and unchanged in the service (${held})`,
    short: `Held (${held})`,
    blocks: groups.map(groupBlock),
  };
}

function groupBlock(group: HoldGroup): Block {
  const { count, shown, cause } = group;
  const remedy = commonRemedy(group);
  const rows = shown.map((hold): readonly SectionCell[] => [
    { text: name(`${nameOne(hold.entity)} ${nameKey(hold.key)}`) },
    { text: prose(reasonOf(hold)), ...(remedy === null ? { note: prose(hold.remedy) } : {}) },
    { text: name(hold.place) },
  ]);
  const rest = ['The first ', shown.length, ' of ', count, '; ', code('--json'), ' gives them all.'];
  const said = cause === null ? [] : [': ', prose(cause)];
  return {
    kind: 'fold',
    title: ['Held: ', nameHeld(group), ...said, ' ', code(group.code)],
    ...(remedy === null ? {} : { note: prose(remedy) }),
    isOpen: count <= 10,
    blocks: blocksOf(
      { kind: 'table', columns: ['Record', 'Why', 'Where'].map((column) => ({ name: column })), rows },
      count > shown.length ? { kind: 'text', tone: 'muted', text: rest } : null,
    ),
  };
}

/** Removes the place from the reason of a row, because the place is already shown. */
export function reasonOf({ reason, place }: Pick<Hold, 'reason' | 'place'>): string {
  const text = reason.startsWith(`${place}: `) ? reason.slice(place.length + 2) : reason;
  return capitalise(text);
}

export function describeAcknowledged({ who, until, reason }: Acknowledgement): string {
  return `Acknowledged by ${who}${until === null ? '' : ` until ${formatMinute(until)}`}: ${reason}`;
}
