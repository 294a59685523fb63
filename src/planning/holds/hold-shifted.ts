import type { Candidate } from '../../model/desired.js';
import type { Values } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';
import { ownTexts } from '../../model/person-fields.js';
import { type GuardTrip, promotedKey } from '../../model/plan.js';
import { eachWithPauses } from '../../reconcile/each-with-pauses.js';
import { findShift, type Mover } from '../../reconcile/match/shifted-values.js';
import type { Stores } from '../../store/open-stores.js';

export const SHIFTED = 'users.shifted';
/** The remedy if only addresses have shifted, because no order of calls can exchange them. */
const NOTHING_TO_APPROVE =
  'Correct the export. If the addresses are right, set `users.parking_email` so that people can exchange them; the next run then asks for an approval.';
const WATCHED = ownTexts();

/**
 * Holds all people among whom values have slipped from row to row, as one group.
 *
 * @param context the context under which pairs were found equal
 * @param pause gives other work its turn
 */
export async function holdShifted(
  stores: Stores,
  context: string,
  pause: () => Promise<void>,
): Promise<readonly GuardTrip[]> {
  const { work } = stores;
  if (!mayHaveSlipped(stores)) return [];
  const movers: Mover[] = [];
  const take = (candidate: Candidate): void => void movers.push(...findMover(candidate, stores));
  for (const _step of eachWithPauses(work.candidates('users', context), take)) await pause();
  const shift = findShift(movers);
  if (shift === null) return [];
  const parts = [...shift.refs].map(promotedKey);
  const withheld = work.withholdRefs([...shift.refs, ...parts], SHIFTED);
  if (withheld === 0 && [...shift.refs, ...parts].some(work.isPlanned)) return [];
  // Addresses that are exchanged in a circle are part of the shift, not a fault of each record.
  const held = withheld + work.dropHolds(shift.refs, 'SYNC_VALUE_TAKEN');
  if (held === 0) return [];
  const fields = Object.entries(shift.fields).map(([field, count]) => `${field} (${count})`);
  const detail = `people would get values that others among them have now: ${fields.join(', ')}; this looks like a column that was sorted alone, or a paste that is off by one row`;
  const about = { guard: SHIFTED, limit: 0, found: shift.refs.size, held, fields: Object.keys(shift.fields) };
  const trip = { ...about, cause: 'values shifted', detail };
  return [withheld > 0 ? trip : { ...trip, remedy: NOTHING_TO_APPROVE }];
}

function mayHaveSlipped({ work }: Stores): boolean {
  return (work.counts().users?.update ?? 0) + work.countHolds('users', ['SYNC_VALUE_TAKEN']) > 1;
}

/**
 * Uses the values that the rows ask for, not the remaining writes, because an address that could not be moved also
 * shows the shift.
 */
function findMover({ desired, linkedId }: Candidate, { mirror }: Stores): readonly Mover[] {
  const account = linkedId === null || desired.leaver ? null : mirror.get('users', linkedId);
  if (account?.active !== true) return [];
  const [now, wants] = [pick(account.values), pick(desired.values)];
  const moves = WATCHED.some((field) => wants[field] !== undefined && wants[field] !== now[field]);
  return moves ? [{ ref: `users:${desired.key}`, now, wants }] : [];
}

function pick(values: Values): Readonly<Record<string, string>> {
  return Object.fromEntries(
    WATCHED.flatMap((field) => {
      const value = values[field];
      return typeof value === 'string' && value.trim() !== '' ? [[field, foldKey(value)]] : [];
    }),
  );
}
