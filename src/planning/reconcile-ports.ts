import { currentRound } from '../mirror/refresh.js';
import { valuesAgreed } from '../model/desired.js';
import type { Directory } from '../model/directory.js';
import type { Entity } from '../model/entity.js';
import { foldKey, type Observed } from '../model/observed.js';
import type { Pin } from '../model/undo.js';
import type { UnownedPorts } from '../reconcile/leavers/plan-unowned.js';
import type { DeletionPorts } from '../reconcile/leavers/settle-deletions.js';
import type { SamePersonPorts } from '../reconcile/match/same-person.js';
import type { LeaverVerdict } from '../reconcile/ports.js';
import type { ContextOf } from '../store/link-store.js';
import type { Stores } from '../store/open-stores.js';
import { wereBothHere } from './both-here.js';

export interface PortsContext {
  readonly stores: Stores;
  readonly directory: Directory;
  readonly contextOf: ContextOf;
  readonly explicitLeaver: (entity: Entity, key: string) => LeaverVerdict;
  readonly goneLeaver: (entity: Entity, key: string, source: string) => LeaverVerdict;
  readonly absentLeaver: (entity: Entity, key: string) => LeaverVerdict;
  readonly outOfScopeLeaver: (entity: Entity, key: string) => LeaverVerdict;
  readonly protectedBy: (user: Observed) => string | null;
  readonly pins: (entity: Entity, key: string) => readonly Pin[];
  readonly unownedProof: () => LeaverVerdict;
  /** The source that decides who exists; null where no people are synchronised. */
  readonly existence: string | null;
  readonly isDoubted: (entity: Entity, id: string) => boolean;
  readonly now: string;
}

/** An account created so lately may be the new one of somebody whose old one becomes due only now. */
const RECENT_MS = 30 * 86_400_000;

/** Gives reconciliation its hands: the staged records, the mirror, the links, and the scratch tables it fills. */
export function createReconcilePorts(context: PortsContext): DeletionPorts & SamePersonPorts & UnownedPorts {
  const { stores, directory, contextOf } = context;
  const { work, mirror, links } = stores;
  let approvals: ReturnType<Stores['history']['approvalsAt']> | null = null;
  let deletedWords: ReturnType<Stores['departures']['deletedWords']> | null = null;
  return {
    directory,
    candidates: (entity, afterRow, limit) => work.candidates(entity, contextOf(entity), afterRow, limit),
    unlinked: work.unlinked,
    missing: work.missing,
    outOfScope: work.outOfScope,
    gone: work.gone,
    merges: work.merges,
    dueDepartures: (afterMs, afterKey, limit) =>
      work.dueDepartures(new Date(Date.parse(context.now) - afterMs).toISOString(), afterKey, limit),
    unreadableRows: () => work.unreadableUnlinked('users'),
    wasDeleted(word) {
      deletedWords ??= stores.departures.deletedWords();
      return deletedWords.has(word);
    },
    observed: (entity, id) => {
      const object = mirror.get(entity, id);
      return object === null ? null : stores.withNames(object);
    },
    findIds: (entity, key, value) => mirror.findIds(entity, key, foldKey(value)),
    isStaged: work.isStaged,
    linkedKey: (entity, id) => links.findByServiceId(entity, id)?.sourceKey ?? null,
    claim: work.claim,
    claimants: work.claimants,
    explicitLeaver: context.explicitLeaver,
    goneLeaver: context.goneLeaver,
    absentLeaver: context.absentLeaver,
    outOfScopeLeaver: context.outOfScopeLeaver,
    protectedBy: context.protectedBy,
    isApproved(changeId) {
      approvals ??= stores.history.approvalsAt(context.now);
      return approvals.has(changeId);
    },
    plan: work.plan,
    unplan: work.unplan,
    keepUnless: work.keepUnless,
    isPlanned: work.isPlanned,
    planned: work.planned,
    plannedByTarget: work.plannedByTarget,
    plannedOf: work.plannedOf,
    // Into the change itself, where apply looks when the one it needs has failed.
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
    level: (entity: Entity) => work.level(entity),
    peopleIn: mirror.peopleIn,
    namersOfOffices: work.namersOfOffices,
    namersOfTags: work.namersOfTags,
    namersOfPeople: work.namersOfPeople,
    hold: work.hold,
    resolution: stores.outbox.resolution,
    seenAt: stores.outbox.sighting,
    sight: work.sight,
    sent: stores.outbox.find,
    now: context.now,
    pins: context.pins,
    unpin: work.unpin,
    stagedState: (entity, key) => work.stagedByKey(entity, key)?.state ?? null,
    base(entity, key) {
      const link = links.find(entity, key);
      return link === null ? null : { agreed: link.agreed, written: link.written, untaken: link.untaken };
    },
    isRecent(id) {
      const link = links.findByServiceId('users', id);
      return link?.origin === 'created' && Date.parse(link.at) >= Date.parse(context.now) - RECENT_MS;
    },
    wereBothHere: (a, b) => wereBothHere(stores, context.existence, a, b),
    suspect: work.suspect,
    outsiders: (afterRow, limit) => work.outsiders('users', afterRow, limit),
    strangers: (afterId, limit) => work.strangerIds('users', afterId, limit),
    unownedProof: context.unownedProof,
    isDoubted: context.isDoubted,
    wasThere(entity, within, name) {
      if (currentRound(mirror, entity) > 1) return false;
      return entity === 'tags' ? work.wasTagAgreed(within, name) : work.wasOfficeAgreed(within, name);
    },
    adopt: work.adopt,
    agreeInPart: ({ desired, desiredHash }, agreed) => work.agree(desired.entity, desired.key, agreed, desiredHash, ''),
    agree: ({ desired, desiredHash }, observed) =>
      work.agree(
        desired.entity,
        desired.key,
        valuesAgreed(desired, observed.values),
        desiredHash,
        mirror.get(desired.entity, observed.id)?.hash ?? '',
      ),
  };
}
