import { isHeldSource } from '../../model/held-source.js';
import type { GuardTrip } from '../../model/plan.js';
import { listMore } from '../sections/guard-details.js';
import { clip, plural, type Style, wrapItems } from './style.js';

/** A tripped guard: how many wait, what was allowed, why so many, and how to let them pass. */
export function renderGuards(
  guards: readonly GuardTrip[],
  then: string,
  style: Style,
  width: number,
): readonly string[] {
  return guards.flatMap((trip) => {
    const { guard, found, limit, cause, detail } = trip;
    const said = `cause: ${cause} — ${clip(detail, 600)}`;
    return [
      style.bad(`! guard ${guard} holds ${tellHeld(trip)}: ${found} found, ${limit} allowed`),
      ...wrapItems(said.split(' '), ' ', width - 4).map((line) => `    ${line}`),
      ...listMore(trip).map(([name, text]) => `      ${clip(`${name}: ${text}`, width - 6)}`),
      style.dim(`    to let them pass: talent-sync approve --guard ${guard} --reason "…"${then}`),
    ];
  });
}

/** Of a source that is held as a whole there are no changes to count. */
export function tellHeld({ guard, held }: Pick<GuardTrip, 'guard' | 'held'>): string {
  return isHeldSource(guard) ? `a delivery of ${plural(held, 'row')}` : plural(held, 'change');
}
