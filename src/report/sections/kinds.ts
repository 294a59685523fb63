import { ACTIONS, type Action, ENTITIES, TRAITS } from '../../model/entity.js';

/** The meaning of a colour: `bad` removes something, `warn` changes it, `good` adds. */
export type Tone = 'bad' | 'warn' | 'good' | 'plain' | 'accent';

export interface ActionLook {
  readonly sign: string;
  readonly tone: Tone;
  /** Position in every report. A smaller rank is more dangerous and comes first. */
  readonly rank: number;
  /** Number of changes that a terminal shows. Creates are very similar, and a first load has thousands of them. */
  readonly shown: number;
}

/** The action of a write-back. */
export const TELL = 'tell';

/** Keyed by name, not by `Action`, so that an action that is not listed here is still shown. */
const LOOKS: Readonly<Record<string, ActionLook>> = {
  delete: { sign: '×', tone: 'bad', rank: 0, shown: 12 },
  deactivate: { sign: '-', tone: 'bad', rank: 1, shown: 12 },
  relink: { sign: '⇄', tone: 'warn', rank: 2, shown: 12 },
  reactivate: { sign: '^', tone: 'good', rank: 3, shown: 12 },
  create: { sign: '+', tone: 'good', rank: 4, shown: 3 },
  update: { sign: '~', tone: 'warn', rank: 5, shown: 12 },
  [TELL]: { sign: '→', tone: 'accent', rank: 6, shown: 5 },
};
/** An unknown action ranks below the dangerous actions and above the harmless ones. */
const STRANGER: ActionLook = { sign: '*', tone: 'warn', rank: 2, shown: 12 };

export function lookOf(action: string): ActionLook {
  return LOOKS[action] ?? STRANGER;
}

export function isDangerous(action: string): boolean {
  return lookOf(action).tone === 'bad';
}

/** All actions, with the most dangerous first. */
export const BY_DANGER: readonly Action[] = ACTIONS.toSorted((a, b) => lookOf(a).rank - lookOf(b).rank);

/** `tag_categories` → `tag categories`; the source name in `to hr_main` stays unchanged. */
export function nameEntities(entity: string): string {
  return entity.startsWith('to ') ? entity : entity.replaceAll('_', ' ');
}

/** The key of a held record. If a row has no key, the reason has the details. */
export function nameKey(key: string): string {
  return key === '?' ? 'without a key' : key;
}

export function nameOne(entity: string): string {
  const known = ENTITIES.find((name) => name === entity);
  return known === undefined ? nameEntities(entity) : TRAITS[known].singular;
}
