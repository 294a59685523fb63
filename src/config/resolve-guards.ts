import type { Action, Entity } from '../model/entity.js';
import { ACTIONS, ENTITIES } from '../model/entity.js';
import type { Config, Feeds, GuardLimit } from './config.js';
import type { GuardsInput } from './schema.js';

type Limits = Readonly<Partial<Record<Action, GuardLimit>>>;

/** What holds where the configuration says nothing: losing people is the worst, then rewriting many of them. */
const DEFAULT_GUARDS: Readonly<Partial<Record<Entity, Limits>>> = {
  users: {
    deactivate: { max: 10, percent: 2, min: 3 },
    update: { max: null, percent: 30, min: 20 },
    reactivate: { max: null, percent: 10, min: 10 },
  },
  customers: { update: { max: null, percent: 30, min: 20 } },
  projects: { update: { max: null, percent: 30, min: 20 } },
};
/** What is deleted does not come back: a few at a time, and everything beyond waits for a person. */
const DEFAULT_DELETE: GuardLimit = { max: 10, percent: 2, min: 3 };

/** A guard that is given replaces the default of its action as a whole; `off` leaves none. */
export function resolveGuards(input: GuardsInput, feeds: Feeds): Config['guards'] {
  const guards: Partial<Record<Entity, Limits>> = {};
  for (const entity of ENTITIES) {
    const given = input[entity] ?? {};
    const limits: Partial<Record<Action, GuardLimit>> = {};
    for (const action of ACTIONS) {
      const limit = resolveGuard(
        given[action],
        action === 'delete' ? deleteGuard(entity, feeds) : DEFAULT_GUARDS[entity]?.[action],
      );
      if (limit !== undefined) limits[action] = limit;
    }
    if (Object.keys(limits).length > 0) guards[entity] = limits;
  }
  return guards;
}

/** Only where the configuration asks for deletions is there anything to hold. */
function deleteGuard(entity: Entity, feeds: Feeds): GuardLimit | undefined {
  return entity !== 'users' && feeds[entity]?.leaver != null ? DEFAULT_DELETE : undefined;
}

type Guard =
  | 'off'
  | { readonly max?: number | undefined; readonly percent?: number | undefined; readonly min?: number | undefined }
  | undefined;

function resolveGuard(given: Guard, otherwise: GuardLimit | undefined): GuardLimit | undefined {
  if (given === undefined) return otherwise;
  if (given === 'off') return undefined;
  return { max: given.max ?? null, percent: given.percent ?? null, min: given.min ?? null };
}
