import { accountIn } from '../mirror/directory.js';
import { type Desired, type UntakenField, type UntakenFields, valuesAgreed } from '../model/desired.js';
import { type Entity, isAccount, TRAITS } from '../model/entity.js';
import { FIELDS } from '../model/fields.js';
import { canonicalJson, isJsonObject, type Json, objectOf, type Values } from '../model/json.js';
import type { Observed } from '../model/observed.js';
import { inOwnWords, meanPeople, type Said, withPeopleMeant } from '../model/people-meant.js';
import { type Change, DERIVED_REASONS, recordKeyOf, withoutLink } from '../model/plan.js';
import { agreeInPart, keepUnread } from '../reconcile/fields/agree-in-part.js';
import { diffValues } from '../reconcile/fields/diff.js';
import { rememberEntries } from '../reconcile/fields/entries.js';
import { buildEntry } from '../store/audit/audit-entry.js';
import { appendEntry } from '../store/audit/audit-log.js';
import type { Stores } from '../store/open-stores.js';
import type { ContextOf } from '../store/state/link-store.js';
import { countCarriedOut } from './count-carried-out.js';
import type { ChangeEnd } from './execution.js';
import { moveLink } from './move-link.js';
import { noteDeparture } from './note-departure.js';
import { noteUnseen } from './note-unseen.js';
import { pinUndone } from './pin-undone.js';
import { rememberFormer } from './remember-former.js';
import { unreadableParts } from './verify.js';

/** Results after which the object is as desired, except for values that the service did not accept. */
const ENDS_AS_MEANT: ReadonlySet<ChangeEnd['result']> = new Set(['done', 'already so', 'not taken']);

/** The entity of the link that a change moves; null if the change exists only because other records refer to its object. */
function linkedEntity({ entity, reason, undoes }: Change): Entity | null {
  return DERIVED_REASONS.includes(reason.kind) || undoes?.derived === true ? null : entity;
}

/**
 * Stores the end of a change: link, base, audit entry and `settle` in one transaction of state.db. After a crash, either
 * everything is stored or the intent is still open.
 */
export function recordEnd(stores: Stores, end: ChangeEnd, contextOf: ContextOf, settle: () => void): void {
  const { change, observed, run, at, calls, result, error, approval } = end;
  const isCarriedOut = result !== 'refused' && result !== 'lost';
  const { copies = [] } = end;
  stores.state.transaction(() => {
    settle();
    noteObject(stores, end, contextOf);
    noteUnseen(stores, end);
    noteDeparture(stores, end);
    if (change.undoes !== undefined && isCarriedOut) pinUndone(stores, change.undoes, { run, at });
    if (isCarriedOut) countCarriedOut(stores, { change, approval, run, at });
    if (result === 'done' || result === 'already so') spend(stores, change, approval);
    const entry = { run, at, calls, result, error, target: observed?.id ?? change.target, approval };
    const mailed = end.mailed === true && isCarriedOut ? { mailed: true as const } : {};
    appendEntry(stores.audit, buildEntry(change, { ...entry, ...mailed, ...(copies.length > 0 ? { copies } : {}) }));
  });
}

/**
 * Removes the decisions about a change that was carried out. An answer is used up only by the record that it concerns,
 * not by changes that make room for this record.
 */
function spend({ history }: Stores, { id, entity, key, target, apart, partOf }: Change, approval: string | null): void {
  if (isAccount(entity) && target !== null) history.forgetSaidSame(key, target);
  if (approval === null) return;
  history.spendApproval(id);
  if (apart === undefined) return;
  history.noteLeftBehind(apart.from);
  if (partOf === undefined) history.spendApproval(apart.answer);
}

/** Updates the link and base of the record, or removes them if the object is deleted. */
function noteObject(stores: Stores, end: ChangeEnd, contextOf: ContextOf): void {
  const { change, observed, result } = end;
  if (!ENDS_AS_MEANT.has(result)) return;
  if (change.reason.kind === 'parked' && observed !== null) agreeOnParked(stores, change, observed);
  const entity = linkedEntity(change);
  if (entity === null) return;
  if (observed !== null) linkAndAgree(stores, { ...end, observed }, { entity, contextHash: contextOf(entity) });
  else if (change.action === 'delete' && result !== 'not taken') stores.links.unlink(entity, change.key);
}

/** Takes a parked value into the base. Otherwise, if the run ends now, the next one would take it for someone else's change. */
function agreeOnParked({ links }: Stores, { entity, key, fields }: Change, { values }: Observed): void {
  const owner = recordKeyOf(key);
  const base = links.find(entity, owner)?.base ?? null;
  if (base === null) return;
  const parked = Object.fromEntries(fields.flatMap((name) => (values[name] == null ? [] : [[name, values[name]]])));
  const others = Object.fromEntries(Object.entries(base).filter(([name]) => !fields.includes(name)));
  links.restore(entity, owner, { ...others, ...parked });
}

/** Links a created object, which talent-sync owns from then on, even if the rest of the change fails. */
export function linkCreated(
  stores: Stores,
  change: Change,
  observed: Observed,
  { run, at }: { readonly run: string; readonly at: string },
): void {
  const entity = linkedEntity(change);
  if (change.action !== 'create' || entity === null) return;
  stores.links.link({ entity, sourceKey: change.key, serviceId: observed.id, origin: 'created', run, at });
}

interface ObservedEnd extends ChangeEnd {
  readonly observed: Observed;
}

/** The entity of the moved link, and the context hash for comparing its pairs. */
interface LinkedAs {
  readonly entity: Entity;
  readonly contextHash: string;
}

function linkAndAgree(stores: Stores, end: ObservedEnd, as: LinkedAs): void {
  const { links, work } = stores;
  const { change, observed, untaken = [], unsent = [] } = end;
  const { entity } = as;
  moveLink(stores, change, observed.id, end);
  const before = links.find(entity, change.key);
  linkCreated(stores, change, observed, end);
  const last = before?.untaken ?? {};
  const now = untakenOf(last, end);
  if (Object.keys({ ...last, ...now }).length > 0) links.rememberUntaken(entity, change.key, now);
  const desired = work.stagedByKey(entity, change.key)?.desired ?? null;
  const known = change.action === 'create' ? null : (before?.written ?? null);
  const unreadable = { untaken, unsent, takenOut: change.takesOut ?? [] };
  const base = before?.base ?? null;
  const written = rememberEntries({
    entity,
    // Objects that an undo creates again are also owned, although no source asks for them.
    desired: { ...desired?.values, ...(change.undoes === undefined ? {} : withoutLink(change).after) },
    observed: observed.values,
    written: unreadableParts(known, withoutLink(change).after, observed, unreadable),
    base,
  });
  const isLeaving = change.action === 'deactivate';
  if (isLeaving) links.disagree(entity, change.key);
  links.remember(entity, change.key, written);
  rememberFormer(stores, { ...end, entity, base });
  if (!isLeaving && desired !== null) agree(stores, end, as, { desired, written, base });
}

/** Marks a pair as skippable only if it is completely equal; a record with any hold is checked again. */
function agree(
  stores: Stores,
  { change, observed, result }: ObservedEnd,
  { entity, contextHash }: LinkedAs,
  {
    desired,
    written,
    base: before,
  }: { readonly desired: Desired; readonly written: Values; readonly base: Values | null },
): void {
  const { key, desiredHash } = change;
  if (desiredHash === null) return;
  const account = accountIn(stores.mirror);
  const { idOf } = account;
  const said = meanPeople<Said>({ desired, base: before, written }, account);
  const sides = { desired: said.desired.values, written: said.written, base: said.base };
  const pair = { entity, ...sides, observed: observed.values, rules: {}, idOf };
  // A leaver with a declined deactivation is checked in every run.
  const isWhole =
    result !== 'not taken' && !desired.leaver && !stores.work.isHeld(entity, key) && !mayHaveTwin(change, stores);
  const isEqual = isWhole && diffValues(pair).fields.length === 0;
  if (!isEqual && !observed.active) return;
  const agreed = isEqual
    ? withPeopleMeant(entity, valuesAgreed(said.desired, observed.values), said.base, idOf)
    : agreeInPart(pair, said.base);
  const base = inOwnWords(said, keepUnread(agreed, said.base, entity, stores.work.unread(entity, key)));
  // The next run compares the object in the mirror, which adds known values to the answer. An account that others have
  // deactivated in the meantime still has to be reactivated or reported.
  const observedHash = isEqual && observed.active ? stores.asMirrored(observed).hash : EQUAL_IN_PART;
  stores.links.agree(entity, key, { base, written, desiredHash, observedHash, contextHash });
}

/**
 * True if an earlier create for the record was lost. The object may still appear, so the next run looks for a duplicate
 * (`twins.ts`).
 */
function mayHaveTwin({ entity, action, id }: Change, { journal }: Stores): boolean {
  return action === 'create' && TRAITS[entity].sharesIds === true && journal.wasLost(id, 'create');
}

/** A hash that matches no object, so that a partly equal pair is checked in every run. */
const EQUAL_IN_PART = '';

/** A field that was sent is judged again; a field outside this change keeps its state. */
function untakenOf(before: UntakenFields, { change, untaken = [], unsent = [] }: ChangeEnd): UntakenFields {
  const isPart = (path: string): boolean => {
    const [field = '', ...rest] = path.split('.');
    const value = change.after[field];
    return rest.length === 0 || !isJsonObject(value) ? change.fields.includes(field) : rest.join('.') in value;
  };
  const kept = Object.entries(before).filter(([path]) => !isPart(path));
  const again = listCorrections(before, change).filter(([path]) => !unsent.includes(path));
  const now = untaken.map(({ field, sent, got }) => [field, { sent, got }] as const);
  return Object.fromEntries([...kept, ...again, ...now]);
}

/**
 * The values that this change wrote over a value of others. Writes of the same value over the same other value are
 * counted, because an answer does not show that the value is reset later.
 */
function listCorrections(before: UntakenFields, change: Change): readonly (readonly [string, UntakenField])[] {
  if (change.target === null) return [];
  return change.fields
    .flatMap((name) => listWritten(change, name))
    .flatMap(([path, sent, got]) => {
      const last = before[path];
      const isAgain = last !== undefined && canonicalJson([last.sent, last.got]) === canonicalJson([sent, got]);
      if (!isAgain && change.reason.kind !== 'drifted') return [];
      return [[path, { sent, got, times: (isAgain ? (last.times ?? 0) : 0) + 1 }] as const];
    });
}

/** The path of a field, or of each custom field, with the values after and before the change. */
function listWritten(
  { entity, before, after }: Change,
  name: string,
): readonly (readonly [path: string, sent: Json, got: Json])[] {
  const [sent, got] = [after[name] ?? null, before[name] ?? null];
  if (FIELDS[entity][name]?.shape !== 'custom_fields') return [[name, sent, got]];
  return Object.entries(objectOf(sent)).map(([part, value]) => [`${name}.${part}`, value, objectOf(got)[part] ?? null]);
}
