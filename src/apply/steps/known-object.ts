import { SyncError } from '../../errors.js';
import type { Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import { hashObserved } from '../../store/hash-observed.js';

/** The object as it was last seen: a part of it that is answered alone is put into that. */
export function needKnown(object: Observed | null): Observed {
  if (object !== null) return object;
  throw new SyncError('SYNC_REFERENCE_UNKNOWN', {
    message: 'The object of that change is gone.',
    remedy: 'Run again: the next plan looks it up again.',
  });
}

export function withValues(known: Observed, changed: Values): Observed {
  const values = { ...known.values, ...changed };
  return { ...known, values, hash: hashObserved(known.active, values) };
}

/** An answer with what it leaves out taken from an earlier one of the same object. */
export function completeFrom(earlier: Observed | null, answered: Observed | null): Observed | null {
  if (answered === null || earlier === null || earlier.id !== answered.id) return answered;
  if (Object.keys(earlier.values).every((name) => answered.values[name] !== undefined)) return answered;
  return withValues(answered, { ...earlier.values, ...answered.values });
}
