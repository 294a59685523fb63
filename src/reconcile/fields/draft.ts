import type { Action, Entity, IdOf } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';
import type { DiffInput } from './diff.js';
import type { UnresolvedField } from './resolve-values.js';

/** A change in the making. Each step takes something out of it, or adds something, by one rule; the next step goes on from there. */
export interface Draft {
  readonly entity: Entity;
  readonly key: string;
  /** Where the record is, for people. */
  readonly place: string;
  readonly action: Action;
  /** What the object is to hold: as the record says, or as it was before a run that is taken back. */
  readonly desired: Values;
  readonly observed: Observed | null;
  /** Managed values at the last agreement. */
  readonly base: Values | null;
  /** Last written values of fields that cannot be read. */
  readonly written: Values | null;
  readonly settings: EntitySettings;
  readonly ports: ReconcilePorts;
  /** The link moves, even where nothing of the object may. */
  readonly movesLink: boolean;
  /** What a word means when the change is made. */
  readonly idOf: IdOf;
  before: Values;
  after: Values;
  /** Fields, or parts of them, whose names mean nothing yet. */
  unresolved: readonly UnresolvedField[];
  /** `entity:key` of the changes that must come first. */
  needs: readonly string[];
  /** Nothing is left to be done: no further step is taken. */
  isSettled: boolean;
}

export type DraftStep<D extends Draft> = (draft: D) => void;

export function takeSteps<D extends Draft>(draft: D, steps: readonly DraftStep<D>[]): void {
  for (const step of steps) {
    if (draft.isSettled) return;
    step(draft);
  }
}

/** The two sides of a draft, to be compared. */
export function sidesOf({ entity, desired, observed, written, base, settings, idOf }: Draft): DiffInput {
  return { entity, desired, observed: observed?.values ?? null, written, base, rules: settings.rules, idOf };
}
