import type { GuardTrip } from '../model/plan.js';
import { plural, type Style, wrapItems } from './style.js';

const WIDTH = 96;

/** A tripped guard: how many wait, what was allowed, why so many, and how to let them pass. */
export function renderGuards(guards: readonly GuardTrip[], then: string, style: Style): readonly string[] {
  return guards.flatMap(({ guard, held, found, limit, cause, detail }) => [
    style.bad(`! guard ${guard} holds ${plural(held, 'change')}: ${found} found, ${limit} allowed`),
    ...wrapItems(`cause: ${cause} — ${detail}`.split(' '), ' ', WIDTH).map((line) => `    ${line}`),
    style.dim(`    to let them pass: talent-sync approve --guard ${guard} --reason "…"${then}`),
  ]);
}
