import { createDayWriter } from '../../model/date-in-zone.js';
import { asksSameOrAnother } from '../../model/identity-guards.js';
import type { OutcomePart } from './outcome.js';
import type { EventBody } from './settle-events.js';

interface OutcomeTelling {
  readonly timezone: string;
  /** ISO 8601 */
  readonly now: string;
}

const VERBS: Readonly<Record<OutcomePart['what'], string>> = {
  approved: 'approved',
  declined: 'declined',
  source: 'decided for the source',
  service: 'decided for the service',
  'set aside': 'set aside',
  resumed: 'ended early',
};

/**
 * Describes the decisions about an event: `11 approved and carried out, 1 declined until 31 December`. Empty for kinds
 * without decisions.
 */
export function tellOutcome({ kind, of, outcome = null }: EventBody, telling: OutcomeTelling): string {
  if (outcome === null) return '';
  const { decisions, partial } = outcome;
  if (partial) return 'Outcome: see the audit log';
  if (decisions.length === 0) return `Outcome: ${WITHOUT[kind] ?? ''}`;
  // A pause or a delivery is a single item.
  const isOne = kind === 'paused' || kind === 'source';
  return `Outcome: ${decisions.map((one) => tellDecided(one, isOne, asksSameOrAnother(of), telling)).join(', ')}`;
}

/** The outcome if no one made a decision. */
const WITHOUT: Readonly<Partial<Record<EventBody['kind'], string>>> = {
  guard: 'nobody decided; the changes are no longer planned',
  source: 'nobody decided; a later delivery was read',
  conflict: 'nobody decided; both sides no longer differ',
  paused: 'its time was over',
};

function tellDecided(one: OutcomePart, isOne: boolean, isAnswer: boolean, { timezone, now }: OutcomeTelling): string {
  const { what, count, until, by } = one;
  const verb = isAnswer && what === 'approved' ? 'answered' : VERBS[what];
  const who = by.length === 0 ? '' : ` by ${by.join(' and ')}`;
  const end = until === null ? '' : ` until ${createDayWriter(timezone, now)(until)}`;
  return `${isOne ? '' : `${count} `}${verb}${who}${end}${isOne ? '' : tellCarriedOut(one)}`;
}

function tellCarriedOut({ what, count, carried_out: done }: OutcomePart): string {
  if (what !== 'approved') return '';
  if (done === 0) return ', not carried out yet';
  return done === count ? ' and carried out' : `, of which ${done} carried out`;
}
