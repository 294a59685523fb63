import { ENTITIES, type Entity, isLink } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';
import { dropInherited, holdOtherKind } from './cv-rules.js';
import { type Difference, diffValues } from './diff.js';
import { type DraftStep, takeSteps } from './draft.js';
import { keepProtected } from './protect.js';
import { type Pairing, type RecordDraft, sidesOfPair, startRecord } from './record-draft.js';
import { agreeOnEqual } from './steps/agree-on-equal.js';
import { dropSettled, leaveUnread } from './steps/compare-values.js';
import { dropFrozen } from './steps/drop-frozen.js';
import { dropGarbled } from './steps/drop-garbled.js';
import { dropUnclearable } from './steps/drop-unclearable.js';
import { holdMoved } from './steps/hold-moved.js';
import { ignoreRenamedOffices } from './steps/ignore-renamed-offices.js';
import { mergeSides } from './steps/merge-sides.js';
import { dropPinned, forgetPins, planDeclined } from './steps/pinned.js';
import { planChange } from './steps/plan-change.js';
import { requireFields } from './steps/require-fields.js';
import { holdUnresolved, resolveReferences } from './steps/resolve-references.js';
import { dropScopeless, joinScope, splitScope } from './steps/scope.js';

/**
 * The steps that turn differences into the values to send. Each step explains itself in its own file; this list
 * explains the order.
 */
const STEPS: readonly DraftStep<RecordDraft>[] = [
  // Before fields are compared, because an office under another name has not moved.
  ignoreRenamedOffices,
  // Before the rules that compare both sides, because one side is unknown here.
  leaveUnread,
  // Before fields are judged one by one, because a scope that only accompanies the roles is not judged.
  splitScope,
  // Before the merge, because a value that an operator has undone is not a conflict.
  dropPinned,
  // Before the merge, because a value that does not stay would look like drift.
  dropFrozen,
  // Before the merge, because a garbled text must not win, and a person is asked about it only once.
  dropGarbled,
  // Only for values that may be sent: decides which side wins, and which values need a person's decision.
  mergeSides,
  // Before protection, because a wrong source is reported for protected accounts too.
  holdMoved,
  // Before names, because nothing is created for a change that is not sent.
  keepProtected,
  // Before names, because the names in the scope must be resolved as well.
  joinScope,
  // For everything that would be sent.
  resolveReferences,
  // Right after the names, so that the reasons come in the order of the fields.
  holdUnresolved,
  // After unresolved names were left out, because the service may already hold the other parts.
  dropSettled,
  // After the merge, because it may have decided to clear a value.
  dropUnclearable,
  // After the merge, because only values that would be sent are reported.
  dropInherited,
  // For everything that would be written, before pins remove their part of it.
  forgetPins,
  // A second time, because without its unresolved names a value may equal the undone one.
  dropPinned,
  // After every step that may remove the scope.
  dropScopeless,
  // At any point, because it only reports.
  holdOtherKind,
  // After the last step that removes values.
  requireFields,
  // After the last decline, even if nothing is left to send.
  planDeclined,
  // Before planning, because a record with nothing to send needs no change.
  agreeOnEqual,
  planChange,
];

/**
 * Plans a create, update or reactivation. The change contains the fields that differ, without those that drift,
 * protection or missing references remove; each of these is reported. A pair with nothing left to do is recorded as
 * equal.
 */
export function planFields(pairing: Pairing, settings: EntitySettings, ports: ReconcilePorts): void {
  const difference = diffValues(sidesOfPair(pairing, settings, ports));
  const { candidate, observed } = pairing;
  if (observed !== null && isEqual(pairing, difference, ports)) ports.memory.agree(candidate, observed);
  else takeAllSteps(pairing, difference, settings, ports);
}

/** @param difference everything that differs; the steps remove parts of it */
export function takeAllSteps(
  pairing: Pairing,
  difference: Difference,
  settings: EntitySettings,
  ports: ReconcilePorts,
): void {
  const draft = startRecord(pairing, settings, ports);
  draft.before = difference.before;
  draft.after = difference.after;
  takeSteps(draft, STEPS);
}

/**
 * True if no step would do or report anything. This is true for nearly all pairs of most runs, which then need no more
 * work. Steps work on differences, except those for pins, links and owners.
 */
function isEqual({ candidate, action, relink }: Pairing, { fields }: Difference, { memory }: ReconcilePorts): boolean {
  const { entity, key } = candidate.desired;
  if (fields.length > 0 || action !== 'update' || relink !== null) return false;
  return !TELL_OF_EQUAL_PAIRS.has(entity) && memory.pins(entity, key).length === 0;
}

/** Entities for which a step may report something although nothing differs (`holdMoved`, `holdOtherKind`). */
const TELL_OF_EQUAL_PAIRS: ReadonlySet<Entity> = new Set(
  ENTITIES.filter(
    (entity) =>
      isLink(entity) ||
      Object.values(FIELDS[entity]).some(({ to, createOnly }) => to !== undefined && createOnly === true),
  ),
);
