import type { Acknowledgement, Hold, ReportedHold } from '../../model/desired.js';
import { nameOne } from './kinds.js';
import { type Block, blocksOf, code, name, prose, type ReportSection, type SectionCell } from './section.js';
import { formatMinute } from './words.js';

/** Holds of one code: how many, and the first few of them. */
export interface HoldGroup {
  readonly code: string;
  /** Of the first of them; mostly that of all. */
  readonly remedy: string;
  readonly shown: ReportedHold[];
  count: number;
}

/** One wrong column makes thousands of holds that say the same: of each code only so many are kept. Most first. */
export async function groupHolds(
  holds: AsyncIterable<ReportedHold> | Iterable<ReportedHold>,
  most: number,
): Promise<readonly HoldGroup[]> {
  const groups = new Map<string, HoldGroup>();
  for await (const hold of holds) {
    const group = groups.get(hold.code) ?? { code: hold.code, remedy: hold.remedy, shown: [], count: 0 };
    groups.set(hold.code, group);
    group.count += hold.count ?? 1;
    if (group.shown.length < most) group.shown.push(hold);
  }
  return [...groups.values()].sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
}

export function countHeld(groups: readonly HoldGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}

/** The remedy of all that are shown; null where they have remedies of their own. */
export function commonRemedy({ remedy, shown }: HoldGroup): string | null {
  return shown.every((hold) => hold.remedy === remedy) ? remedy : null;
}

/** What is set aside, by code, with the reason, the place and the remedy. */
export function listHeld(groups: readonly HoldGroup[]): ReportSection | null {
  const held = countHeld(groups);
  if (held === 0) return null;
  return {
    id: 'held',
    title: `Held: set aside, and left as they are in the service (${held})`,
    short: `Held (${held})`,
    blocks: groups.map(describeGroup),
  };
}

function describeGroup(group: HoldGroup): Block {
  const { count, shown } = group;
  const remedy = commonRemedy(group);
  const rows = shown.map((hold): readonly SectionCell[] => [
    { text: name(`${nameOne(hold.entity)} ${hold.key}`) },
    { text: prose(reasonOf(hold)), ...(remedy === null ? { note: prose(hold.remedy) } : {}) },
    { text: name(hold.place) },
  ]);
  const rest = ['The first ', shown.length, ' of ', count, '; ', code('--json'), ' gives them all.'];
  return {
    kind: 'fold',
    title: ['Held: ', count, ' × ', code(group.code)],
    ...(remedy === null ? {} : { note: prose(remedy) }),
    isOpen: count <= 10,
    blocks: blocksOf(
      { kind: 'table', columns: ['Record', 'Why', 'Where'].map((column) => ({ name: column })), rows },
      count > shown.length ? { kind: 'text', tone: 'muted', text: rest } : null,
    ),
  };
}

/** Reasons of rows begin with the place, which is shown already. */
export function reasonOf({ reason, place }: Pick<Hold, 'reason' | 'place'>): string {
  const text = reason.startsWith(`${place}: `) ? reason.slice(place.length + 2) : reason;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function describeAcknowledged({ who, until, reason }: Acknowledgement): string {
  return `Acknowledged by ${who}${until === null ? '' : ` until ${formatMinute(until)}`}: ${reason}`;
}
