import type { Candidate } from '../../model/desired.js';
import { meanPeople } from '../../model/people-meant.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';
import { takeSteps } from './draft.js';
import { accountOf } from './planned-places.js';
import { startRecord } from './record-draft.js';
import { compareValues, dropSettled } from './steps/compare-values.js';
import { resolveReferences } from './steps/resolve-references.js';

/**
 * Whether all that is open of a record are names that nobody knows: nothing would be sent of it, whatever a read showed of
 * what did not differ before. Such records may wait for months, so no run reads anything for their sake.
 */
export function waitsForNames(candidate: Candidate, settings: EntitySettings, ports: ReconcilePorts): boolean {
  const { desired, linkedId, sourceUnchanged } = candidate;
  const observed = linkedId === null || !sourceUnchanged ? null : ports.service.observed(desired.entity, linkedId);
  if (observed?.active !== true) return false;
  const pair = { candidate: meanPeople(candidate, accountOf(ports)), observed, action: 'update' } as const;
  // What would have to be made first is not made here.
  const plan = { ...ports.plan, add: () => undefined };
  const draft = startRecord({ ...pair, adoptedBy: null, relink: null }, settings, { ...ports, plan });
  takeSteps(draft, [compareValues, resolveReferences, dropSettled]);
  return draft.unresolved.length > 0 && Object.keys(draft.after).length === 0;
}
