import type { Candidate } from '../../model/desired.js';
import { isEqualToTheLetter } from '../fields/diff.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';
import { type Correlation, findDoubt } from './correlate.js';
import { isDoubtedAdministrator } from './doubt-administrator.js';

/**
 * At first contact, nearly all records match an object that equals them to the letter. Such a pair is adopted while
 * the matches are claimed, so it needs no comparison of its own. Anything else remains a candidate: a record with a
 * pin, an inactive or doubtful object, a value that a rule decides. Afterwards, `dropClaimed` makes a record a
 * candidate again if another record claims the same object.
 */
export function createEqualAdopter(
  settings: EntitySettings,
  { service, memory }: ReconcilePorts,
): (candidate: Candidate, found: Correlation) => boolean {
  const { entity, match, policy } = settings;
  if (policy === 'create-only' || memory.isAnyLinked(entity)) return () => false;
  return (candidate, found) => {
    const { desired } = candidate;
    if (found.kind !== 'match' || desired.leaver || desired.early === true) return false;
    const observed = service.observed(entity, found.id);
    if (observed?.active !== true || !isEqualToTheLetter(entity, desired.values, observed.values)) return false;
    const isDoubtful =
      findDoubt(desired, observed, match, found.by) !== null ||
      isDoubtedAdministrator(desired, observed, { match, by: found.by });
    if (isDoubtful || memory.pins(entity, desired.key).length > 0) return false;
    memory.adoptEqual(candidate, observed, found.by);
    return true;
  };
}
