import { ACTIONS, type Action, ENTITIES, TRAITS } from '../../../../model/entity.js';
import { isHeldState, readHeldSource } from '../../../../model/held-source.js';
import { asksWhoIsWho, LOOK_ALIKE, OTHER_PERSON, SAME_PERSON } from '../../../../model/identity-guards.js';
import type { GuardTrip } from '../../../../model/plan.js';
import { nameEntities } from '../../../../report/sections/kinds.js';
import { plural } from '../../../../report/sections/words.js';

/** `would be` for a plan that can still be decided, `would have been` for an older one. */
export type Tense = 'would be' | 'would have been';

/** `1 person`, `12 people`, `3 customers`, or `2 changes` if the guard names no entity. */
export function countHeldBy(guard: string, count: number): string {
  const [group = ''] = guard.split('.');
  const entity = ENTITIES.find((name) => name === group);
  if (entity === undefined) return plural(count, guard.startsWith('sources.') ? 'record' : 'change');
  return entity === 'users'
    ? plural(count, 'person', 'people')
    : plural(count, TRAITS[entity].singular, nameEntities(entity));
}

/** `12 people would be deactivated; 5 at most without approval` */
export function titleTrip({ guard, held, limit }: GuardTrip, tense: Tense): string {
  const said = phraseHeld(guard, held, tense);
  const isCounted = readHeldSource(guard) === null && !isHeldState(guard) && !asksWhoIsWho(guard);
  if (!isCounted) return said;
  return limit === 0 ? `${said}; this needs approval` : `${said}; ${limit} at most without approval`;
}

function phraseHeld(guard: string, held: number, tense: Tense): string {
  const source = readHeldSource(guard)?.source ?? null;
  if (source !== null) return `A delivery of ${source} with ${plural(held, 'row')} is not used`;
  if (isHeldState(guard)) return `${plural(held, 'change')} ${tense} carried out with a state that is not the last one`;
  const what = countHeldBy(guard, held);
  const special = SPECIAL.find(({ is }) => is(guard));
  if (special !== undefined) return special.say(what, tense, guard);
  const action = ACTIONS.find((name) => guard.endsWith(`.${name}`));
  return action === undefined ? `${what} ${tense} affected` : `${what} ${tense} ${DONE[action]}`;
}

const DONE: Readonly<Record<Action, string>> = {
  create: 'created',
  update: 'changed',
  relink: 'linked to another key',
  deactivate: 'deactivated',
  reactivate: 'activated again',
  delete: 'deleted',
};

interface GuardWords {
  readonly is: (guard: string) => boolean;
  readonly say: (what: string, tense: Tense, guard: string) => string;
}

function named(name: string, say: GuardWords['say']): GuardWords {
  return { is: (guard) => guard === name, say };
}

const SPECIAL: readonly GuardWords[] = [
  named(SAME_PERSON, (what) => `${what} may have an account already`),
  named(OTHER_PERSON, (what) => `${what} may be someone else than before`),
  { is: (guard) => guard.endsWith(LOOK_ALIKE), say: (what) => `${what} may exist already` },
  named('users.unknown_word', (what, tense) => `${what} ${tense} activated or deactivated due to a new status word`),
  named('users.promote', (what, tense) => `${what} ${tense} given more rights`),
  named('users.internationalmanager', (what, tense) => `${what} ${tense} changed, although they are administrators`),
  named('users.free_value', (what, tense) => `${what} ${tense} given a value of an inactive account`),
  named('users.shifted', (what, tense) => `${what} ${tense} given values that look like those of other rows`),
  {
    is: (guard) => guard.includes('.fields.'),
    say: (what, tense, guard) => `${what} ${tense} given another ${guard.replace(/^.*\.fields\./, '')}`,
  },
  {
    is: (guard) => guard.endsWith('.overwrite'),
    say: (what, tense, guard) => `${what} of ${guard.split('.').slice(1, -1).join('.')} ${tense} overwritten`,
  },
];
