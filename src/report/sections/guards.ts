import { isHeldSource, showGuard } from '../../model/held-source.js';
import type { Values } from '../../model/json.js';
import type { GuardTrip } from '../../model/plan.js';
import { describeDeclined } from './declined.js';
import { listDifferences } from './differences.js';
import { describeAcknowledged } from './held.js';
import { type Block, blocksOf, code, link, type Piece, prose, type ReportFact, type ReportSection } from './section.js';
import { plural } from './words.js';

/** How to approve the changes: the plan to name, and the next step. */
export interface GuardAdvice {
  /** Null for the newest plan. */
  readonly plan: string | null;
  readonly afterwards: string | null;
}

/** Guards that hold changes, with the number of changes, the limit, the cause and the way to approve them. */
export function listGuards(guards: readonly GuardTrip[], passage: GuardAdvice): ReportSection | null {
  if (guards.length === 0) return null;
  return {
    id: 'guards',
    title: 'Guards that tripped',
    short: `Guards (${guards.length})`,
    blocks: guards.map((trip) => describeGuardTrip(trip, passage)),
  };
}

function describeGuardTrip(trip: GuardTrip, { plan, afterwards }: GuardAdvice): Block {
  const { guard, found, limit, cause, detail } = trip;
  const more = listMore(trip);
  return {
    kind: 'card',
    tone: 'bad',
    title: [
      'Guard ',
      code(showGuard(guard)),
      ' holds ',
      describeHolding(trip),
      ': ',
      found,
      ' found, ',
      limit,
      ' allowed',
    ],
    blocks: blocksOf(
      trip.declined === undefined ? null : { kind: 'text', text: prose(`${describeDeclined(trip.declined)}.`) },
      trip.acknowledged === undefined ? null : { kind: 'text', text: prose(describeAcknowledged(trip.acknowledged)) },
      { kind: 'text', text: ['Cause: ', { is: 'strong', text: cause }, ' — ', prose(detail)] },
      more.length === 0 ? null : { kind: 'facts', facts: more },
      trip.remedy === undefined ? null : { kind: 'text', text: prose(trip.remedy) },
      trip.remedy !== undefined || trip.declined !== undefined
        ? null
        : {
            kind: 'command',
            label: afterwards === null ? 'To approve them' : `To approve them, then ${afterwards}`,
            command: `talent-sync approve ${plan === null ? '' : `${plan} `}--guard ${showGuard(guard)} --reason "…"`,
          },
    ),
  };
}

/** Describes the held changes. Each change names the guard for which it waits. A held source has no changes to count. */
function describeHolding({ guard, held }: GuardTrip): Piece {
  if (isHeldSource(guard)) return `a delivery of ${plural(held, 'row')}`;
  return link({ q: showGuard(guard), state: 'waits' }, plural(held, 'change'));
}

const KNOWN_OF_A_TRIP: ReadonlySet<string> = new Set([
  'guard',
  'limit',
  'found',
  'cause',
  'detail',
  'held',
  'id',
  'acknowledged',
  'declined',
  'preview',
  'earlier',
  'remedy',
]);
const MOST_OF_A_TRIP = 60;

/** Lists unknown properties of a guard by name, because a later version may add properties that the reports do not know. */
function listMore(trip: GuardTrip): readonly ReportFact[] {
  const more = { ...trip } as unknown as Values;
  const fields = Object.keys(more).filter((one) => !KNOWN_OF_A_TRIP.has(one));
  return listDifferences({ fields, before: {}, after: more })
    .slice(0, MOST_OF_A_TRIP)
    .flatMap(({ field, after }) => (after === null ? [] : [{ name: field, value: after }]));
}
