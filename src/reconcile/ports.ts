import type { MatchKey } from '../model/comparison.js';
import type { ConfigQuestion } from '../model/config-question.js';
import type { DueDeparture } from '../model/departure.js';
import type { Candidate, Desired, Hold, MergedLink, MissingLink, OutOfScopeLink } from '../model/desired.js';
import type { Directory } from '../model/directory.js';
import type { Action, Entity } from '../model/entity.js';
import type { Values } from '../model/json.js';
import type { Observed } from '../model/observed.js';
import type { Change, Withheld } from '../model/plan.js';
import type { Pin } from '../model/undo.js';
import type { Conflicts, SentValue, WriteBackColumn } from '../model/write-back.js';
import type { LeafRules } from './fields/diff.js';

/** Whether a person who is missing or said to have left may be deactivated now, with the proof in words. */
export interface LeaverVerdict {
  readonly due: boolean;
  readonly text: string;
  /** The absence began with an edit of the configuration: a person has to say that it is one. */
  readonly sinceEdit?: true;
  /** ISO 8601: since when the sources prove it, due or not; absent while they do not. */
  readonly since?: string;
}

/** What do the sources say? */
export interface SourcePort {
  /** Records that may need a change: the delta of a run. All other records are never read. */
  candidates(entity: Entity): Iterable<Candidate>;
  /** The candidates that have no link. */
  unlinked(entity: Entity): Iterable<Candidate>;
  missing(entity: Entity): Iterable<MissingLink>;
  outOfScope(entity: Entity): Iterable<OutOfScopeLink>;
  /** Links whose row the source says was deleted. */
  gone(entity: Entity): Iterable<OutOfScopeLink>;
  /** Rows out of scope that no link knows. */
  outsiders(entity: Entity): Iterable<Pick<Desired, 'key' | 'values'>>;
  /** Rows with a sound key that cannot be used and do not say that their person has left, as far as they can be read. */
  unusable(entity: Entity): Iterable<Pick<Desired, 'key' | 'values'> & { readonly place: string }>;
  /** The place of a row without a sound key in which one of the phrases stands. */
  openRowNaming(entity: Entity, phrases: readonly string[]): string | null;
  /** Rows of leavers with cells that cannot be used, each with what would be held of it. */
  faultyLeavers(entity: Entity): Iterable<{ readonly key: string; readonly hold: Hold }>;
  /** Links of records that were merged into others, oldest link first. */
  merges(entity: Entity): readonly MergedLink[];
  /** Rows of people that no link knows and that cannot be used. */
  unreadableRows(): number;
  /** Whether the sources deliver a record under this key, used or not. */
  isStaged(entity: Entity, key: string): boolean;
  /** What became of a source key in this run: `desired`, `early`, `leaver`, `out`, `gone`, `held`, `duplicate`; null when it is in no row. */
  stagedState(entity: Entity, key: string): string | null;
  /** What the sources want of a record, moved or not; null where none of its rows can be used. */
  desired(entity: Entity, key: string): Desired | null;
  explicitLeaver(entity: Entity, key: string): LeaverVerdict;
  /** @param source the one that says so */
  goneLeaver(entity: Entity, key: string, source: string): LeaverVerdict;
  absentLeaver(entity: Entity, key: string): LeaverVerdict;
  outOfScopeLeaver(entity: Entity, key: string): LeaverVerdict;
}

/** How common parts of names are in the account. */
export interface NameCounts {
  readonly people: number;
  /** @param part as `readPersonName` has it */
  countOf(part: string): number;
}

/** What does the service hold, and what do words mean there? */
export interface ServicePort {
  readonly directory: Directory;
  observed(entity: Entity, id: string): Observed | null;
  findIds(entity: Entity, key: string, value: string): readonly string[];
  /** The source key an object is linked to, or null. */
  linkedKey(entity: Entity, id: string): string | null;
  /** Whether a linked object was not seen, while nothing says that it is gone. */
  isDoubted(entity: Entity, id: string): boolean;
  /** An object that the list of the entity lacks, though it is there; null where the list is believed. */
  lackOf(entity: Entity): string | null;
  /**
   * Whether an office or a tag that the service does not list in this run was there before: in the mirror, or, where all of
   * that was read again in this run, by what pairs were found equal with.
   */
  isUnseen(entity: 'offices' | 'tags', within: string, name: string): boolean;
  /** The name that an office has by now which people were in under this one, and still are by their records; null where none. */
  renamedTo(country: string, name: string): string | null;
  /** Whether the word named somebody whose account talent-sync has deleted for good. */
  wasDeleted(word: string): boolean;
  /** How common parts of people's names are. */
  nameCounts(): NameCounts;
  /** The expression that protects an account, or null. */
  protectedBy(user: Observed): string | null;
  /** Active accounts with the role internationalmanager. */
  administrators(): Iterable<Observed>;
}

/** What is remembered of a record and the object that it is linked to. */
export interface LinkedPair extends Pick<Candidate, 'base' | 'written' | 'untaken'> {
  readonly serviceId: string;
  /** Who the person was before the first of the latest changes of that, and when (ISO 8601); null where nothing changed. */
  readonly was: { readonly at: string; readonly values: Values } | null;
}

/** What was agreed, sent, undone or decided before, and what is to be remembered of this run? */
export interface MemoryPort {
  /** ISO 8601: what counts as now. */
  readonly now: string;
  /** The day that a moment of ISO 8601 is on where the tenant is. */
  dayOf(iso: string): string;
  /** Null where the key has no link. */
  link(entity: Entity, key: string): LinkedPair | null;
  /** A linked pair found equal. */
  agree(candidate: Candidate, observed: Observed): void;
  /** Equal but for what is held: `base` is what both sides hold alike. */
  agreeInPart(candidate: Candidate, observed: Observed, base: Values): void;
  /** A certain match of a record and an unlinked object, by one entry of `match`. */
  adopt(entity: Entity, key: string, id: string, by: string): void;
  /** People whom talent-sync deactivated so long ago or more, who are still deactivated and whom no row wants. */
  dueDepartures(afterMs: number): Iterable<DueDeparture>;
  /** What of a record an operator has undone, by the mapping in force, and what a person has declined. */
  pins(entity: Entity, key: string): readonly Pin[];
  /** The source wants something else by now. */
  unpin(entity: Entity, key: string, path: string, decline?: string): void;
  /** Paths of a record that this run does not compare: what was last agreed on of them stays. */
  leaveUnread(entity: Entity, key: string, paths: readonly string[]): void;
  /** Whether a person has let that change pass. */
  isApproved(changeId: string): boolean;
  /** Whether a person has linked that account to that record, and nothing of it was written since. */
  saidSame(key: string, id: string): 'same' | 'by one' | null;
  /** Whether a person has given that answer to who is who. */
  isAnswered(id: string): boolean;
  /** The run that made an account an administrator's, where audit and base prove that one did; null where others did. */
  powerGiven(id: string): string | null;
  /** Which side a person has said is right, of a question that the two sides still ask. */
  resolution(question: string): 'source' | 'service' | null;
  /** ISO 8601: when a value of the service was first seen that both sides never agreed on; null before. */
  seenAt(entity: Entity, key: string, path: string, hash: string): string | null;
  /** Such a value is there now. */
  sight(entity: Entity, key: string, path: string, hash: string): void;
  /** What was sent to a column of a record last; null when nothing is under way. */
  sent(source: string, record: string, column: string): SentValue | null;
}

/** What does this run do, what does it hold, and who else wants the same? */
export interface PlanPort {
  add(change: Change): void;
  drop(ref: string): void;
  /** Once everything is derived, that change is set aside as declined, or for a person to decide again. */
  setAside(ref: string, withheld: Withheld): void;
  /** A planned change is dropped where another one goes through. */
  keepUnless(ref: string, other: string): void;
  has(ref: string): boolean;
  find(ref: string): Change | null;
  plannedByTarget(entity: Entity, id: string): Change | null;
  /** Of the actions that are named; of all where none is. */
  changesOf(entity: Entity, ...actions: readonly Action[]): Iterable<Change>;
  hold(hold: Hold): void;
  /** A change that waits for a person to say that there are two. */
  suspect(ref: string, hold: Hold): void;
  /** Nobody knows whether an object is still that of its record: what refers to it waits. */
  question(entity: Entity, id: string): void;
  isInQuestion(entity: Entity, id: string): boolean;
  /** Counts a claim of `key` on something unique (an object, a value of a unique field). */
  claim(what: string, id: string, key: string): void;
  claimants(what: string, id: string): readonly string[];
  addNeed(ref: string, need: string): void;
  /** The changes that need it, whether they are still planned or not. */
  waitersOf(ref: string): readonly string[];
  /** Lets a change wait for another one than before, or for none. */
  replaceNeed(ref: string, need: string, by: string | null): void;
  /** Levels the changes of an entity along their needs; answers the refs that wait for each other in a circle. */
  level(entity: Entity): readonly string[];
}

/**
 * All that reconciliation may ask and say. It has no other way out: no clock, no client, no database of its own, so a
 * table of cases can replace each of these in a test.
 */
export interface ReconcilePorts {
  readonly sources: SourcePort;
  readonly service: ServicePort;
  readonly memory: MemoryPort;
  readonly plan: PlanPort;
}

/** Where a part of a record is set aside, which is all that many rules do besides judging. */
export interface HoldPorts {
  readonly plan: Pick<PlanPort, 'hold'>;
}

/** The part of the configuration that decides how one entity is reconciled. */
export interface EntitySettings {
  readonly entity: Entity;
  readonly policy: 'sync' | 'upsert-only' | 'create-only';
  readonly drift: 'correct' | 'report';
  readonly conflicts: Conflicts;
  readonly match: readonly MatchKey[];
  readonly rules: LeafRules;
  /** What is written back to the sources. */
  readonly writeBack: readonly WriteBackColumn[];
  /** Fields that are left as they are in this run: the service refused a read that they rest on. */
  readonly unread: ReadonlySet<string>;
  /** Paths of what rests on a source that says who has left: not written while a declined leaver stays. */
  readonly saysLeft: ReadonlySet<string>;
  /** Fields whose mapping is another one than in the last run that wrote. */
  readonly remapped: ReadonlySet<string>;
  /** Whether being out of scope is a leaving (users only). */
  readonly outOfScope: 'keep' | 'deactivate';
  /** What becomes of accounts that nobody created or adopted and no record matches (users only). */
  readonly unowned: 'keep' | 'report' | 'deactivate';
  /** How long after our own deactivation an account is deleted for good; null: never (users only). */
  readonly purgeAfterMs: number | null;
  /** How long ago an old record may have left for another one to take over its account (users only). */
  readonly relinkWithinMs: number | null;
  /** Whether an object that the source says is gone is taken away: people are deactivated, other objects deleted. */
  readonly removes: boolean;
  /** A day of leaving counts although it looks like a placeholder. */
  readonly placeholderDates?: boolean;
  readonly createMissingOffices: boolean;
  readonly createMissingTags: boolean;
  readonly configDigest: string;
  /** `users.parking_email`; null without it. */
  readonly parkingEmail: string | null;
  /** Questions that the configuration leaves open; absent without one. */
  readonly questions?: readonly ConfigQuestion[];
}
