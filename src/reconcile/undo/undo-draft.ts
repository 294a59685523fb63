import type { TakenOut } from '../../model/copies.js';
import { idOfIn } from '../../model/directory.js';
import { isLink } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import type { Values } from '../../model/json.js';
import type { Observed } from '../../model/observed.js';
import { claimValues } from '../fields/claim-values.js';
import { batchOfLink } from '../fields/cv-rules.js';
import { type Draft, type DraftStep, takeSteps } from '../fields/draft.js';
import { keepProtected } from '../fields/protect.js';
import { compareValues, dropSettled } from '../fields/steps/compare-values.js';
import { resolveReferences } from '../fields/steps/resolve-references.js';
import { wordBefore } from '../fields/word-before.js';
import type { RunWork } from './run-work.js';
import { type Inverse, planInverse } from './undo-change.js';
import type { UndoPorts } from './undo-ports.js';
import { report } from './undo-reports.js';

/** The change that undoes a run's work on one object, with the earlier values as the desired ones. */
export interface UndoDraft extends Draft, Omit<Inverse, 'change'> {
  readonly ports: UndoPorts;
  readonly work: RunWork;
  /** The contents to remove from a proposal again. */
  readonly takesOut: readonly TakenOut[];
}

export function startUndo(
  work: RunWork,
  observed: Observed | null,
  change: Partial<UndoDraft> & Pick<UndoDraft, 'action'>,
  ports: UndoPorts,
): UndoDraft {
  const { entity, key } = work;
  return {
    work,
    entity,
    key,
    place: `run ${ports.undone.run}`,
    desired: {},
    observed,
    base: null,
    written: ports.memory.link(entity, key)?.written ?? null,
    settings: ports.managed.settings(entity),
    ports,
    movesLink: false,
    idOf: idOfIn(ports.service.directory),
    before: {},
    after: {},
    unresolved: [],
    needs: [],
    isSettled: false,
    takesOut: [],
    why: '',
    ...change,
  };
}

/** Finds the differences from the state before, and reports those that no call can restore. */
export function compareWithBefore(draft: UndoDraft): void {
  takeSteps(draft, [compareValues, reportUnsettable]);
}

/** The same steps as for a record, without those that use the sources, because an undo depends on the audit alone. */
const STEPS: readonly DraftStep<UndoDraft>[] = [
  // Before names, because nothing is looked up for a change that is not sent.
  keepProtected,
  // For everything that would be sent.
  resolveReferences,
  // Right after the names, so that the reasons come in the order of the fields.
  reportUnresolved,
  // After unresolved names were left out, because the service may already hold the other parts.
  dropSettled,
  planBack,
];

/** Plans a change, unless protection or a missing name forbids it. */
export function propose(draft: UndoDraft): void {
  takeSteps(draft, STEPS);
}

/** Reports values that no call can restore, which the comparison leaves out silently. */
function reportUnsettable({ work, entity, desired, after, ports }: UndoDraft): void {
  for (const name of Object.keys(desired)) {
    if (name in after) continue;
    const because =
      FIELDS[entity][name]?.shape === 'roles'
        ? `${name}: no call of the service removes a role from an experience.`
        : `${name}: no call of the service restores it.`;
    report(work, 'SYNC_UNDO_IMPOSSIBLE', { because, remedy: 'Change it in the service by hand.' }, ports);
  }
}

/** An object named earlier may be gone by now, and an undo does not create it again. */
function reportUnresolved(draft: UndoDraft): void {
  const remedy = 'Create it in the service again and repeat the undo, or change this there by hand.';
  for (const { field, reason } of draft.unresolved)
    report(draft.work, 'SYNC_UNDO_IMPOSSIBLE', { because: `${field}: ${reason}`, remedy }, draft.ports);
  if (draft.action === 'create' && draft.unresolved.length > 0) draft.isSettled = true;
}

function planBack(draft: UndoDraft): void {
  const { entity, action, work, observed: now, takesOut, ports } = draft;
  const after: Values = { ...draft.after, ...Object.fromEntries(takesOut.map(({ field }) => [field, []])) };
  const fields = Object.keys(after).sort();
  if (action === 'update' && fields.length === 0) return;
  const out = groupWords(takesOut);
  const had = fields.map((name) => [name, out[name] ?? wordBefore(name, draft)] as const);
  const before = Object.fromEntries(action === 'create' ? [] : had);
  const change = {
    action,
    target: now?.id ?? null,
    label: now?.label ?? work.label,
    fields,
    before,
    after,
    needs: draft.needs,
    observedHash: now?.hash ?? null,
    ...(takesOut.length > 0 ? { takesOut } : {}),
    ...(isLink(entity) && action === 'create' ? { batch: batchOfLink(after) } : {}),
  };
  planInverse(work, { ...draft, change }, ports);
  claimValues({ ...draft, after }, { ...now?.values, ...after }, ports.plan);
}

function groupWords(takesOut: readonly TakenOut[]): Values {
  const words: Record<string, readonly string[]> = {};
  for (const { field, word } of takesOut) words[field] = [...(words[field] ?? []), word];
  return words;
}
