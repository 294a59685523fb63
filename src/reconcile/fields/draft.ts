import type { Action, Entity, IdOf } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';
import type { DiffInput } from './diff.js';
import type { UnresolvedField } from './resolve-values.js';

/** A change while it is built. Each step adds or removes parts by one rule, and passes the draft on. */
export interface Draft {
  readonly entity: Entity;
  readonly key: string;
  /** The place of the record, as text for people. */
  readonly place: string;
  readonly action: Action;
  /** Values that the object should hold: those of the record, or those from before a run that is undone. */
  readonly desired: Values;
  readonly observed: Observed | null;
  /** Managed values at the last agreement. */
  readonly base: Values | null;
  /** Last written values of fields that cannot be read. */
  readonly written: Values | null;
  readonly settings: EntitySettings;
  readonly ports: ReconcilePorts;
  /** True if the link moves, even if no value of the object may change. */
  readonly movesLink: boolean;
  /** Resolves a word to its meaning at the time of the change. */
  readonly idOf: IdOf;
  before: Values;
  after: Values;
  /** Fields, or parts of them, with names that cannot be resolved yet. */
  unresolved: readonly UnresolvedField[];
  /** `entity:key` of the changes that must come first. */
  needs: readonly string[];
  /** True if nothing is left to do; the remaining steps are skipped. */
  isSettled: boolean;
}

export type DraftStep<D extends Draft> = (draft: D) => void;

export function takeSteps<D extends Draft>(draft: D, steps: readonly DraftStep<D>[]): void {
  for (const step of steps) {
    if (draft.isSettled) return;
    step(draft);
  }
}

/** The two sides of a draft, for comparison. */
export function sidesOf({ entity, desired, observed, written, base, settings, idOf }: Draft): DiffInput {
  return { entity, desired, observed: observed?.values ?? null, written, base, rules: settings.rules, idOf };
}
