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

/** The steps from the differences to what is sent. Each step explains itself in its own file; this list explains the order. */
const STEPS: readonly DraftStep<RecordDraft>[] = [
  // Before fields are looked at: an office under another name has not moved.
  ignoreRenamedOffices,
  // Before the rules that compare both sides: here one side is unknown.
  leaveUnread,
  // Before fields are judged one by one: a scope that only accompanies the roles is not judged.
  splitScope,
  // Before the merge: a value that an operator has undone is not a conflict.
  dropPinned,
  // Before the merge: a value that does not stay would look like drift.
  dropFrozen,
  // Before the merge: a garbled text must not win, and a person is asked about it only once.
  dropGarbled,
  // Only on what may be sent: decides who wins, and what a person has to decide.
  mergeSides,
  // Before protection: it applies to protected accounts too, because the source is wrong.
  holdMoved,
  // Before names: nothing is created for a change that is not sent.
  keepProtected,
  // Before names: those of the scope must be resolved as well.
  joinScope,
  // On everything that would be sent.
  resolveReferences,
  // Right after it, so that the reasons come in the order of the fields.
  holdUnresolved,
  // After names were left out: the service may already hold the rest.
  dropSettled,
  // After the merge, which may have decided to clear it.
  dropUnclearable,
  // After the merge: reports only what would be sent.
  dropInherited,
  // On everything that would be written, before pins take their part out of it.
  forgetPins,
  // Again: without its unresolved names a value may be the undone one.
  dropPinned,
  // After every step that may take out the scope.
  dropScopeless,
  // At any point: it reports, and takes nothing out.
  holdOtherKind,
  // Once nothing more is taken out.
  requireFields,
  // Once nothing more is declined, even if nothing is left to send.
  planDeclined,
  // Before planning: nothing to send means no change.
  agreeOnEqual,
  planChange,
];

/**
 * Plans a create, update or reactivation. It takes the fields that differ, without those that drift, protection or
 * missing references take out; each of these is reported. A pair with nothing left to do is recorded as equal.
 */
export function planFields(pairing: Pairing, settings: EntitySettings, ports: ReconcilePorts): void {
  const difference = diffValues(sidesOfPair(pairing, settings, ports));
  const { candidate, observed } = pairing;
  if (observed !== null && isEqual(pairing, difference, ports)) ports.memory.agree(candidate, observed);
  else takeAllSteps(pairing, difference, settings, ports);
}

/** @param difference everything that differs; the steps take parts out of it */
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
 * True if no step would find anything to do or report. This is so for nearly all pairs of most runs, which then need no
 * more work. Steps work on differences, except those for pins, links and owners.
 */
function isEqual({ candidate, action, relink }: Pairing, { fields }: Difference, { memory }: ReconcilePorts): boolean {
  const { entity, key } = candidate.desired;
  if (fields.length > 0 || action !== 'update' || relink !== null) return false;
  return !TELL_OF_EQUAL_PAIRS.has(entity) && memory.pins(entity, key).length === 0;
}

/** Entities about which a step may report something although nothing differs (`holdMoved`, `holdOtherKind`). */
const TELL_OF_EQUAL_PAIRS: ReadonlySet<Entity> = new Set(
  ENTITIES.filter(
    (entity) =>
      isLink(entity) ||
      Object.values(FIELDS[entity]).some(({ to, createOnly }) => to !== undefined && createOnly === true),
  ),
);
