import { currentRound } from '../mirror/refresh.js';
import { createDayFinder } from '../model/date-in-zone.js';
import { type Candidate, officeIdsAgreed, valuesAgreed } from '../model/desired.js';
import { type Directory, naturalKey, officeKey } from '../model/directory.js';
import type { Entity } from '../model/entity.js';
import { isAnswerOnly } from '../model/identity-guards.js';
import type { Values } from '../model/json.js';
import { foldKey, type Observed } from '../model/observed.js';
import { inOwnWords, withPeopleMeant } from '../model/people-meant.js';
import { readPersonName } from '../model/person-name.js';
import { isAdministrator } from '../model/power.js';
import type { OnProgress } from '../model/progress.js';
import type { Pin } from '../model/undo.js';
import { keepUnread } from '../reconcile/fields/agree-in-part.js';
import { rememberEntries } from '../reconcile/fields/entries.js';
import { plannedIdOf } from '../reconcile/fields/planned-places.js';
import type { UnownedPorts } from '../reconcile/leavers/plan-unowned.js';
import type { DeletionPorts } from '../reconcile/leavers/settle-deletions.js';
import type { SamePersonPorts } from '../reconcile/match/same-person.js';
import type { MemoryPort, NameCounts, PassedRow, PlanPort, ServicePort, SourcePort } from '../reconcile/ports.js';
import { findPowerGiven } from '../store/audit/power-given.js';
import type { Stores } from '../store/open-stores.js';
import type { ContextOf } from '../store/state/link-store.js';
import type { FoundAgreement } from '../store/work/finding-store.js';
import { wereBothHere } from './both-here.js';
import type { Leavers } from './leavers.js';
import { watchCandidates } from './watch-candidates.js';

export interface PortsContext {
  readonly stores: Stores;
  readonly directory: Directory;
  readonly contextOf: ContextOf;
  /** Decides which people have left and which objects are gone. */
  readonly leavers: Pick<Leavers, 'explicit' | 'gone' | 'absent' | 'outOfScope'>;
  readonly protectedBy: (user: Observed) => string | null;
  readonly pins: (entity: Entity, key: string) => readonly Pin[];
  readonly unownedProof: () => string | null;
  /** The source that decides who exists; null if no people are synchronised. */
  readonly existence: string | null;
  readonly isDoubted: (entity: Entity, id: string) => boolean;
  readonly lackOf: (entity: Entity) => string | null;
  readonly now: string;
  readonly timezone: string;
  readonly onProgress?: OnProgress | undefined;
  /** Receives the rows of leavers whose objects stay. */
  readonly passed?: PassedRow[];
}

/** An account created this recently may be the new account of a person whose old account becomes due only now. */
const RECENT_MS = 30 * 86_400_000;

/** Implements the ports of reconciliation: the staged records, the mirror, the links, and the scratch tables that it fills. */
export function createReconcilePorts(context: PortsContext): DeletionPorts & SamePersonPorts & UnownedPorts {
  const { work, mirror, links } = context.stores;
  return {
    sources: createSourcePort(context),
    service: createServicePort(context),
    memory: createMemoryPort(context),
    plan: createPlanPort(context.stores, context.passed),
    peopleIn: mirror.peopleIn,
    namersOfOffices: work.namersOfOffices,
    namersOfTags: work.namersOfTags,
    namersOfPeople: work.namersOfPeople,
    isRecent(id) {
      const link = links.findByServiceId('users', id);
      return link?.origin === 'created' && Date.parse(link.at) >= Date.parse(context.now) - RECENT_MS;
    },
    wereBothHere: (a, b) => wereBothHere(context.stores, context.existence, a, b),
    *strangers() {
      const left = context.stores.history.leftBehind();
      for (const id of work.strangerIds('users')) if (!left.has(id)) yield id;
    },
    unownedProof: context.unownedProof,
  };
}

const searchedBy = ({ desired: { values }, linkedId }: Candidate) => ({ values, linkedId });

function createSourcePort({ stores, contextOf, leavers, onProgress }: PortsContext): SourcePort {
  const { work, objectsAhead } = stores;
  return {
    candidates(entity) {
      const count = (): number => work.countCandidates(entity, contextOf(entity));
      const candidates = work.candidates(entity, contextOf(entity));
      return objectsAhead.inPages(entity, watchCandidates(candidates, { entity, onProgress, count }), searchedBy);
    },
    unlinked: (entity) => objectsAhead.inPages(entity, work.unlinked(entity), searchedBy),
    missing: work.missing,
    outOfScope: work.outOfScope,
    gone: work.gone,
    outsiders: work.outsiders,
    unusable: work.heldInPart,
    openRowNaming: (entity, phrases) =>
      work.isAnyUnusable(entity) ? work.findUnusable(entity, phrases, 'keyed') : null,
    faultyLeavers: work.faultyLeavers,
    merges: work.merges,
    unreadableRows: () => work.unreadableUnlinked('users'),
    isStaged: work.isStaged,
    stagedState: (entity, key) => work.stagedByKey(entity, key)?.state ?? null,
    desired: (entity, key) => work.stagedByKey(entity, key)?.desired ?? null,
    explicitLeaver: leavers.explicit,
    goneLeaver: leavers.gone,
    absentLeaver: leavers.absent,
    outOfScopeLeaver: leavers.outOfScope,
  };
}

function createServicePort({ stores, directory, isDoubted, lackOf, protectedBy }: PortsContext): ServicePort {
  const { work, mirror, links, objectsAhead: ahead } = stores;
  const withNames = stores.rememberNames();
  let deletedWords: ReturnType<Stores['deletedWords']> | null = null;
  let names: NameCounts | null = null;
  let renamed: ReadonlyMap<string, string> | null = null;
  return {
    directory,
    observed: (entity, id) => {
      const object = ahead.object(entity, id)?.object ?? mirror.get(entity, id);
      return object === null ? null : withNames(object);
    },
    findIds(entity, name, text) {
      const value = foldKey(text);
      return ahead.ids(entity, name, value) ?? mirror.findIds(entity, name, value);
    },
    linkedKey(entity, id) {
      const found = ahead.object(entity, id);
      return found === undefined ? links.keyOf(entity, id) : found.linkedKey;
    },
    isDoubted,
    lackOf,
    isUnseen(entity, within, name) {
      const id = entity === 'tags' ? directory.tagId(within, name) : directory.officeId(within, name);
      const round = currentRound(mirror, entity);
      if (id !== null) return mirror.seen(entity, id) < round;
      if (round > 1) return false;
      const wasInBase = { tags: work.wasTagInBase, offices: work.wasOfficeInBase };
      return wasInBase[entity](within, name);
    },
    renamedTo(country, name) {
      renamed ??= listRenamed(stores);
      return renamed.get(officeKey(country, name)) ?? null;
    },
    wasDeleted(word) {
      deletedWords ??= stores.deletedWords();
      return deletedWords.has(word);
    },
    nameCounts() {
      names ??= countNameParts(mirror.names('users'));
      return names;
    },
    protectedBy,
    *administrators() {
      for (const user of mirror.all('users')) if (user.active && isAdministrator(user)) yield user;
    },
  };
}

/** Counts name parts over everyone in the account. */
function countNameParts(names: Iterable<{ readonly value: string; readonly count: number }>): NameCounts {
  const counts = new Map<string, number>();
  let people = 0;
  for (const { value, count } of names) {
    people += count;
    for (const part of new Set(readPersonName(value).parts)) counts.set(part, (counts.get(part) ?? 0) + count);
  }
  return { people, countOf: (part) => counts.get(part) ?? 0 };
}

/** The name of an office in people's records → the current name of the same office. */
function listRenamed({ work, mirror }: Stores): ReadonlyMap<string, string> {
  return new Map(
    work.officesAgreed().flatMap(({ country, name, id }) => {
      const now = mirror.get('offices', id)?.values;
      const isOther = now !== undefined && naturalKey('offices', now) !== officeKey(country, name);
      return isOther ? [[officeKey(country, name), String(now.name)] as const] : [];
    }),
  );
}

function createMemoryPort({ stores, directory, now, timezone, pins }: PortsContext): MemoryPort {
  const { work, links, outbox } = stores;
  const idOf = plannedIdOf({ service: { directory }, plan: { claimants: work.claimants, find: work.planned } });
  let approvals: ReturnType<Stores['history']['approvalsAt']> | null = null;
  const guardOf = (changeId: string): string | null => {
    approvals ??= stores.history.approvalsAt(now);
    return approvals.get(changeId)?.guard ?? null;
  };
  // Without a base there is no value to keep.
  const unreadOf = ({ desired: { entity, key }, base }: Candidate): readonly string[] =>
    base === null ? [] : work.unread(entity, key);
  return {
    now,
    dayOf: createDayFinder(timezone),
    link(entity, key) {
      const link = links.find(entity, key);
      if (link === null) return null;
      const { serviceId, base, written, untaken, was } = link;
      return { serviceId, base, written, untaken, was };
    },
    agree(candidate, observed) {
      const { desired, base } = candidate;
      const both = withPeopleMeant(desired.entity, valuesAgreed(desired, observed.values), base, idOf);
      work.agree(describeAgreement(candidate, observed, both, unreadOf(candidate)));
    },
    agreeInPart: (candidate, observed, base) =>
      work.agree({ ...describeAgreement(candidate, observed, base, unreadOf(candidate)), observedHash: '' }),
    adopt: work.adopt,
    unadopt: work.unadopt,
    isAnyLinked: (entity) => links.count(entity) > 0,
    adoptEqual({ desired: { entity, key, values } }, observed, by) {
      work.adoptEqual({ entity, key, id: observed.id, by, values, ids: officeIdsAgreed(values, observed.values) });
    },
    dropClaimed: work.dropClaimed,
    dueDepartures: (afterMs) => work.dueDepartures(new Date(Date.parse(now) - afterMs).toISOString()),
    pins,
    unpin: work.unpin,
    leaveUnread: work.noteUnread,
    isApproved(changeId) {
      const guard = guardOf(changeId);
      return guard !== null && !isAnswerOnly(guard);
    },
    saidSame: stores.history.saidSame,
    isAnswered(id) {
      const guard = guardOf(id);
      return guard !== null && isAnswerOnly(guard);
    },
    powerGiven: (id) => findPowerGiven(stores, id),
    resolution: outbox.resolution,
    seenAt: outbox.sighting,
    sight: work.sight,
    sent: outbox.find,
  };
}

/** @param desired the values that both sides share; entries are remembered by their current ids */
function describeAgreement(
  candidate: Candidate,
  observed: Observed,
  desired: Values,
  unread: readonly string[],
): FoundAgreement {
  const { entity, key } = candidate.desired;
  // The memory of another object does not apply to this one.
  const isSame = candidate.linkedId === observed.id;
  const [written, base] = isSame ? [candidate.written ?? {}, candidate.base] : [{}, null];
  return {
    entity,
    key,
    base: inOwnWords(candidate, keepUnread(desired, base, entity, unread)),
    written: inOwnWords(candidate, rememberEntries({ entity, desired, observed: observed.values, written, base })),
    desiredHash: candidate.desiredHash,
    observedHash: observed.hash,
  };
}

function createPlanPort({ work, history }: Stores, passed: PassedRow[] = []): PlanPort {
  const questioned = new Set<string>();
  return {
    pass: (row) => void passed.push(row),
    question: (entity, id) => void questioned.add(`${entity}:${id}`),
    isInQuestion: (entity, id) => questioned.has(`${entity}:${id}`),
    add: work.plan,
    drop: work.unplan,
    setAside: work.setAside,
    keepUnless: work.keepUnless,
    has: work.isPlanned,
    find: work.planned,
    plannedByTarget: work.plannedByTarget,
    changesOf: work.plannedOf,
    hold(hold) {
      const { entity, key, code, relink } = hold;
      // A person has moved the object by hand from this record to another one, so the question is not asked again.
      const isAnswered = code === 'SYNC_MATCH_CLAIMED' && relink !== undefined;
      if (isAnswered && history.isSameRecord(entity as Entity, key ?? '', relink.id)) return;
      work.hold(hold);
    },
    suspect: work.suspect,
    claim: work.claim,
    claimants: work.claimants,
    // Stores the need in the change itself, where apply checks whether the needed change has failed.
    addNeed(ref, need) {
      const change = work.planned(ref);
      if (change !== null && !change.needs.includes(need))
        work.plan({ ...change, needs: [...change.needs, need].sort() });
    },
    replaceNeed(ref, need, by) {
      const change = work.planned(ref);
      if (change === null) return;
      work.plan({
        ...change,
        needs: [...change.needs.filter((one) => one !== need), ...(by === null ? [] : [by])].sort(),
      });
      work.replaceNeed(ref, need, by);
    },
    waitersOf: work.waitersOf,
    level: (entity) => work.level(entity),
  };
}
