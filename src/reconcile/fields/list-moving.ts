import type { Candidate } from '../../model/desired.js';
import { meanPeople } from '../../model/people-meant.js';
import { EXISTENCE, LINK } from '../../model/undo.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';
import { takeSteps } from './draft.js';
import { hashLeaf } from './leaves.js';
import { accountOf } from './planned-places.js';
import { startRecord } from './record-draft.js';
import { compareValues, dropSettled } from './steps/compare-values.js';
import { holdMoved } from './steps/hold-moved.js';
import { dropPinned } from './steps/pinned.js';
import { resolveReferences } from './steps/resolve-references.js';

/**
 * Skips candidates for which a read would change nothing. They differ only in unknown names, in values that an operator
 * undid, or in a parent that no call can change; or the policy leaves them alone. They may wait for months, so no run
 * reads anything for them.
 */
export function* listMoving(
  candidates: Iterable<Candidate>,
  settings: EntitySettings,
  ports: ReconcilePorts,
): Iterable<Candidate> {
  // This check must neither plan nor hold anything.
  const plan = { ...ports.plan, add: () => undefined, hold: () => undefined };
  for (const delivered of candidates) {
    const candidate = meanPeople(delivered, accountOf(ports));
    if (!isWaiting(candidate, settings, { ...ports, plan })) yield candidate;
  }
}

function isWaiting(candidate: Candidate, settings: EntitySettings, ports: ReconcilePorts): boolean {
  const { desired, linkedId, sourceUnchanged } = candidate;
  const observed = linkedId === null ? null : ports.service.observed(desired.entity, linkedId);
  if (observed === null) return isUndone(candidate, ports);
  if (settings.policy === 'create-only') return true;
  if (!observed.active || !sourceUnchanged) return false;
  const pairing = { candidate, observed, action: 'update', adoptedBy: null, relink: null } as const;
  const draft = startRecord(pairing, settings, ports);
  takeSteps(draft, [compareValues, dropPinned, holdMoved, resolveReferences, dropSettled]);
  const isOpen = draft.isMoved || Object.keys(draft.before).length > 0;
  return isOpen && Object.keys(draft.after).length === 0;
}

/** True if an operator unlinked the record, or undid its creation, so that it is neither matched nor created. */
function isUndone({ desired: { entity, key, leaver }, linkedId }: Candidate, { memory }: ReconcilePorts): boolean {
  return memory
    .pins(entity, key)
    .some(({ path, value }) =>
      path === LINK ? linkedId === null : path === EXISTENCE && !leaver && value === hashLeaf('here'),
    );
}
