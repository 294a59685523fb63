import type { Hold, ReportedHold } from '../../model/desired.js';
import { commonRemedy, countHeld, describeAcknowledged, type HoldGroup, reasonOf } from '../sections/held.js';
import { nameOne } from '../sections/kinds.js';
import { clip, listFirst, type TerminalLook } from './style.js';
import { fold } from './terminal-blocks.js';

const SHOWN_LISTED = 12;

/** What is set aside, with the reason and the remedy, and why it is no reason for alarm about anybody else. */
export function renderHolds(groups: readonly HoldGroup[], look: TerminalLook): readonly string[] {
  if (groups.length === 0) return [];
  const { style } = look;
  const lines = groups.flatMap((group) => {
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
  });
  return [style.bold(`Held: set aside and left as they are in the service (${countHeld(groups)})`), ...lines];
}

/** The same for those who have seen the plan: no remedies, and not grouped. */
export function listHolds(holds: readonly ReportedHold[], look: TerminalLook): readonly string[] {
  const describeRest = (rest: number): string => look.style.dim(`  … and ${rest} more held (--json)`);
  return listFirst(holds, SHOWN_LISTED, (hold) => renderHold(hold, look), describeRest);
}

function renderHold(hold: ReportedHold, look: TerminalLook): readonly string[] {
  const { acknowledged } = hold;
  return [
    look.style.warn(`  ? ${nameOf(hold)}`) + look.style.dim(`  ${hold.code}`),
    ...fold(reasonOf(hold), 6, look, 300),
    ...(acknowledged === undefined ? [] : fold(describeAcknowledged(acknowledged), 6, look).map(look.style.dim)),
  ];
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
