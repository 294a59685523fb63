import type { Acknowledgement, Hold, ReportedHold } from '../../model/desired.js';
import { nameOne } from '../sections/kinds.js';
import { formatMinute } from '../texts/run-lines.js';
import { clip, type Style, wrapItems } from './style.js';

/** One wrong column makes thousands of holds that all say the same, so only the first few of each code are shown. */
const SHOWN_EACH = 3;
const SHOWN_LISTED = 12;

/** What is set aside, with the reason and the remedy, and why it is no reason for alarm about anybody else. */
export function renderHolds(
  holds: Iterable<ReportedHold>,
  all: boolean,
  style: Style,
  width: number,
): readonly string[] {
  const counts = new Map<string, number>();
  const lines: string[] = [];
  let remedy = '';
  for (const hold of holds) {
    const count = (counts.get(hold.code) ?? 0) + (hold.count ?? 1);
    counts.set(hold.code, count);
    if (!all && count > SHOWN_EACH) continue;
    // Holds of one cause mostly stand together, and a remedy need not be read twice.
    if (hold.remedy !== remedy && remedy !== '') lines.push(...fold(remedy, width).map(style.dim));
    remedy = hold.remedy;
    lines.push(...renderHold(hold, style, width));
  }
  if (lines.length === 0) return [];
  lines.push(...fold(remedy, width).map(style.dim));
  for (const [code, count] of counts) {
    if (!all && count > SHOWN_EACH) lines.push(style.dim(`    … and ${count - SHOWN_EACH} more with ${code}`));
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return [style.bold(`Held: set aside and left as they are in the service (${total})`), ...lines];
}

/** The same for those who have seen the plan: no remedies, and not grouped. */
export function listHolds(holds: readonly ReportedHold[], style: Style, width: number): readonly string[] {
  const lines = holds.slice(0, SHOWN_LISTED).flatMap((hold) => renderHold(hold, style, width));
  if (holds.length > SHOWN_LISTED) lines.push(style.dim(`  … and ${holds.length - SHOWN_LISTED} more held (--json)`));
  return lines;
}

function renderHold(hold: ReportedHold, style: Style, width: number): readonly string[] {
  const known = hold.acknowledged === undefined ? [] : fold(tellAcknowledged(hold.acknowledged), width).map(style.dim);
  return [
    style.warn(`  ? ${nameOf(hold)}`) + style.dim(`  ${hold.code}`),
    ...fold(clip(reasonOf(hold), 300), width),
    ...known,
  ];
}

export function tellAcknowledged({ who, until, reason }: Acknowledgement): string {
  return `Acknowledged by ${who}${until === null ? '' : ` until ${formatMinute(until)}`}: ${reason}`;
}

function fold(text: string, width: number): readonly string[] {
  return wrapItems(text.split(' '), ' ', width - 6).map((line) => `      ${line}`);
}

/** `user E-1044 (hr employees-2025.csv:17)`; rows of an enriching source are called by the source's name. */
function nameOf({ entity, key, place }: Hold): string {
  return clip(`${nameOne(entity)} ${key} (${joinPlaces(place)})`, 300);
}

/** `hr a.csv:7 and hr a.csv:9` → `hr a.csv:7 and :9`. */
function joinPlaces(place: string): string {
  const [first = '', ...others] = place.split(' and ');
  const file = first.replace(/:\d+$/, ':');
  return [first, ...others.map((other) => (other.startsWith(file) ? other.slice(file.length - 1) : other))].join(
    ' and ',
  );
}

/** Reasons of rows begin with the place, which is shown already. */
export function reasonOf({ reason, place }: Pick<Hold, 'reason' | 'place'>): string {
  const text = reason.startsWith(`${place}: `) ? reason.slice(place.length + 2) : reason;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
