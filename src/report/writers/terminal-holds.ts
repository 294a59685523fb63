import type { Hold, ReportedHold } from '../../model/desired.js';
import {
  commonRemedy,
  countHeld,
  describeAcknowledged,
  type HoldGroup,
  listKeys,
  nameHeld,
  reasonOf,
} from '../sections/held.js';
import { nameKey, nameOne } from '../sections/kinds.js';
import { clip, type TerminalLook } from './style.js';
import { fold } from './terminal-blocks.js';

/** Renders held records, each cause once with its remedy. The heading says that these records stay unchanged in the service. */
export function renderHolds(groups: readonly HoldGroup[], look: TerminalLook): readonly string[] {
  if (groups.length === 0) return [];
  const lines = groups.flatMap((group) => (group.cause === null ? renderOwn(group, look) : renderCause(group, look)));
  return [look.style.bold(`Held: set aside and unchanged in the service (${countHeld(groups)})`), ...lines];
}

/** The common cause, and the keys of its records. */
function renderCause(group: HoldGroup, look: TerminalLook): readonly string[] {
  const { style } = look;
  const { cause, code, shown } = group;
  const remedy = commonRemedy(group) ?? group.remedy;
  const known = shown.find(({ acknowledged }) => acknowledged !== undefined)?.acknowledged;
  return [
    style.warn(`  ? ${nameHeld(group)}`) + style.dim(`  ${code}`),
    ...fold(cause ?? '', 6, look, 300),
    ...fold(listKeys(group), 6, look).map(style.dim),
    ...fold(remedy, 6, look).map(style.dim),
    ...(known === undefined ? [] : fold(describeAcknowledged(known), 6, look).map(style.dim)),
  ];
}

/** Renders the first few holds with a unique cause. */
function renderOwn(group: HoldGroup, look: TerminalLook): readonly string[] {
  const { style } = look;
  const remedy = commonRemedy(group);
  const rest = group.count - group.shown.reduce((sum, { count = 1 }) => sum + count, 0);
  return [
    ...group.shown.flatMap((hold) => [
      ...renderHold(hold, look),
      ...(remedy === null ? fold(hold.remedy, 6, look).map(style.dim) : []),
    ]),
    // A common remedy is shown once, below the last hold.
    ...fold(remedy ?? '', 6, look).map(style.dim),
    ...(rest > 0 ? [style.dim(`    … and ${rest} more with ${group.code}`)] : []),
  ];
}

function renderHold(hold: ReportedHold, look: TerminalLook): readonly string[] {
  const { acknowledged } = hold;
  return [
    look.style.warn(`  ? ${nameOf(hold)}`) + look.style.dim(`  ${hold.code}`),
    ...fold(reasonOf(hold), 6, look, 300),
    ...(acknowledged === undefined ? [] : fold(describeAcknowledged(acknowledged), 6, look).map(look.style.dim)),
  ];
}

/** `user E-1044 (hr employees-2025.csv:17)`. Rows of an enriching source are named after the source. */
function nameOf({ entity, key, place }: Hold): string {
  return clip(`${nameOne(entity)} ${nameKey(key)} (${joinPlaces(place)})`, 300);
}

/** `hr a.csv:7 and hr a.csv:9` → `hr a.csv:7 and :9`. */
function joinPlaces(place: string): string {
  const [first = '', ...others] = place.split(' and ');
  const file = first.replace(/:\d+$/, ':');
  return [first, ...others.map((other) => (other.startsWith(file) ? other.slice(file.length - 1) : other))].join(
    ' and ',
  );
}
