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

/** The steps from what differs to what is sent. Why each is taken is said where it is written, and here why at this point. */
const STEPS: readonly DraftStep<RecordDraft>[] = [
  // Before anything is said of fields: an office that is only called differently has not moved.
  ignoreRenamedOffices,
  // Before the rules that hold both sides against each other: here one side is not known.
  leaveUnread,
  // Before fields are judged one by one: a scope that only goes along with the roles is not judged.
  splitScope,
  // Before the merge: what an operator has undone is no conflict.
  dropPinned,
  // Before the merge: what will not stay is drift that nobody made.
  dropFrozen,
  // Before the merge: a garbled text must not win, and a person is asked about it once.
  dropGarbled,
  // On what may be sent at all: who wins, and what a person has to decide.
  mergeSides,
  // Said of protected accounts too: it is the source that is wrong.
  holdMoved,
  // Before names: nothing is made for the sake of a change that is not sent.
  keepProtected,
  // Before names: those of the scope have to mean something as well.
  joinScope,
  // On all that would be sent.
  resolveReferences,
  // At once after it, so that the reasons come in the order of the fields.
  holdUnresolved,
  // After names were left out: the rest may be there already.
  dropSettled,
  // After the merge, which may have decided to clear it.
  dropUnclearable,
  // After the merge too: only what would be sent is worth a word.
  dropInherited,
  // On all that would be written, before pins take out of it what they match.
  forgetPins,
  // Once more: without its open names a value may be the undone one.
  dropPinned,
  // After every step that may take the scope out of the change.
  dropScopeless,
  // Any time: it says something and takes nothing out.
  holdOtherKind,
  // Once nothing more is taken out.
  requireFields,
  // Once nothing more is declined, and where nothing is left to send too.
  planDeclined,
  // Before planning: nothing to send is no change.
  agreeOnEqual,
  planChange,
];

/**
 * Plans a create, update or reactivation: the fields that differ, less those that drift, protection or missing references
 * take out again, each of which is said. A pair with nothing left to do is noted as equal.
 */
export function planFields(pairing: Pairing, settings: EntitySettings, ports: ReconcilePorts): void {
  const difference = diffValues(sidesOfPair(pairing, settings, ports));
  const { candidate, observed } = pairing;
  if (observed !== null && isEqual(pairing, difference, ports)) ports.memory.agree(candidate, observed);
  else takeAllSteps(pairing, difference, settings, ports);
}

/** @param difference all that differs: the steps take out of it */
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
 * Whether no step would find anything to do or to say: nearly all pairs of most runs, for which nothing else is worked out.
 * Steps look at what differs, but for those of pins, of links, and of what an object belongs to.
 */
function isEqual({ candidate, action, relink }: Pairing, { fields }: Difference, { memory }: ReconcilePorts): boolean {
  const { entity, key } = candidate.desired;
  if (fields.length > 0 || action !== 'update' || relink !== null) return false;
  return !TELL_OF_EQUAL_PAIRS.has(entity) && memory.pins(entity, key).length === 0;
}

/** Entities of which something may be said although nothing differs (`holdMoved`, `holdOtherKind`). */
const TELL_OF_EQUAL_PAIRS: ReadonlySet<Entity> = new Set(
  ENTITIES.filter(
    (entity) =>
      isLink(entity) ||
      Object.values(FIELDS[entity]).some(({ to, createOnly }) => to !== undefined && createOnly === true),
  ),
);
