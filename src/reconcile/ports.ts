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

/** Says whether a person who is missing or reported as a leaver may be deactivated now, with the proof in words. */
export interface LeaverVerdict {
  readonly due: boolean;
  readonly text: string;
  /** Set if the absence began with an edit of the configuration, so that a person has to confirm it. */
  readonly sinceEdit?: true;
  /** ISO 8601: since when the sources prove it, due or not; absent while they do not. */
  readonly since?: string;
}

/** Access to the records of the sources. */
export interface SourcePort {
  /** Records that may need a change in this run. No other records are read. */
  candidates(entity: Entity): Iterable<Candidate>;
  /** The candidates without a link. */
  unlinked(entity: Entity): Iterable<Candidate>;
  missing(entity: Entity): Iterable<MissingLink>;
  outOfScope(entity: Entity): Iterable<OutOfScopeLink>;
  /** Links whose row was deleted, according to the source. */
  gone(entity: Entity): Iterable<OutOfScopeLink>;
  /** Rows out of scope without a link. */
  outsiders(entity: Entity): Iterable<Pick<Desired, 'key' | 'values'>>;
  /** Rows with a valid key that cannot be used and do not report a leaver, with the values that can be read. */
  unusable(entity: Entity): Iterable<Pick<Desired, 'key' | 'values'> & { readonly place: string }>;
  /** The place of a row without a valid key that contains one of the phrases. */
  openRowNaming(entity: Entity, phrases: readonly string[]): string | null;
  /** Rows of leavers with unusable cells, each with its hold. */
  faultyLeavers(entity: Entity): Iterable<{ readonly key: string; readonly hold: Hold }>;
  /** Links of records that were merged into others, oldest link first. */
  merges(entity: Entity): readonly MergedLink[];
  /** The number of rows of people that have no link and cannot be used. */
  unreadableRows(): number;
  /** True if the sources deliver a record under this key, usable or not. */
  isStaged(entity: Entity, key: string): boolean;
  /** State of a source key in this run: `desired`, `early`, `leaver`, `out`, `gone`, `held`, `duplicate`; null if no row has it. */
  stagedState(entity: Entity, key: string): string | null;
  /** The values that the sources ask for in a record, changed or not; null if none of its rows can be used. */
  desired(entity: Entity, key: string): Desired | null;
  explicitLeaver(entity: Entity, key: string): LeaverVerdict;
  /** @param source the source that reports the deletion */
  goneLeaver(entity: Entity, key: string, source: string): LeaverVerdict;
  absentLeaver(entity: Entity, key: string): LeaverVerdict;
  outOfScopeLeaver(entity: Entity, key: string): LeaverVerdict;
}

/** Counts of name parts in the account. */
export interface NameCounts {
  readonly people: number;
  /** @param part in the form of `readPersonName` */
  countOf(part: string): number;
}

/** Access to the objects of the service, and to the meaning of words there. */
export interface ServicePort {
  readonly directory: Directory;
  observed(entity: Entity, id: string): Observed | null;
  findIds(entity: Entity, key: string, value: string): readonly string[];
  /** The source key that an object is linked to, or null. */
  linkedKey(entity: Entity, id: string): string | null;
  /** True if a linked object was not seen, although nothing shows that it is gone. */
  isDoubted(entity: Entity, id: string): boolean;
  /** An existing object that the list of the entity lacks; null if the list can be relied on. */
  lackOf(entity: Entity): string | null;
  /**
   * True if an office or a tag existed earlier, although the service does not list it in this run. The mirror shows
   * this, or the bases do if the entire mirror was read again in this run.
   */
  isUnseen(entity: 'offices' | 'tags', within: string, name: string): boolean;
  /** The current name of an office whose people were in it under this name, and still are by their records; null if there is none. */
  renamedTo(country: string, name: string): string | null;
  /** True if the word named a person whose account talent-sync has permanently deleted. */
  wasDeleted(word: string): boolean;
  nameCounts(): NameCounts;
  /** The expression that protects an account, or null. */
  protectedBy(user: Observed): string | null;
  /** Active accounts with the role internationalmanager. */
  administrators(): Iterable<Observed>;
}

/** The remembered values of a record and its linked object. */
export interface LinkedPair extends Pick<Candidate, 'base' | 'written' | 'untaken'> {
  readonly serviceId: string;
  /**
   * The person's identity before the first of its latest changes, and the time of that change (ISO 8601); null if
   * nothing changed.
   */
  readonly was: { readonly at: string; readonly values: Values } | null;
}

/** Access to everything that was agreed, sent, undone or decided before, and that this run has to remember. */
export interface MemoryPort {
  /** ISO 8601: the time used as now. */
  readonly now: string;
  /** The day of an ISO 8601 time, in the time zone of the tenant. */
  dayOf(iso: string): string;
  /** Null if the key has no link. */
  link(entity: Entity, key: string): LinkedPair | null;
  /** Records that a linked pair is equal. */
  agree(candidate: Candidate, observed: Observed): void;
  /** Records that a pair is equal except for held parts: `base` has the values that are the same on both sides. */
  agreeInPart(candidate: Candidate, observed: Observed, base: Values): void;
  /** Records a certain match of a record and an unlinked object, by one entry of `match`. */
  adopt(entity: Entity, key: string, id: string, by: string): void;
  /** Keeps the record unlinked, because a person must say first whether the object is its own. */
  unadopt(entity: Entity, key: string): void;
  /** True if a record of the entity has a link. */
  isAnyLinked(entity: Entity): boolean;
  /** Records a certain match whose two sides are equal to the letter. It then is no candidate any more. */
  adoptEqual(candidate: Candidate, observed: Observed, by: string): void;
  /** Forgets the matches of `adoptEqual` to objects that another record claims too. */
  dropClaimed(entity: Entity): void;
  /** People whom talent-sync deactivated at least this long ago, who are still deactivated and whom no row asks for. */
  dueDepartures(afterMs: number): Iterable<DueDeparture>;
  /** Parts of a record that an operator has undone under the current mapping, or that a person has declined. */
  pins(entity: Entity, key: string): readonly Pin[];
  /** Removes a pin, because the source now asks for another value. */
  unpin(entity: Entity, key: string, path: string, decline?: string): void;
  /** Marks paths of a record that this run does not compare, so that they keep their base. */
  leaveUnread(entity: Entity, key: string, paths: readonly string[]): void;
  /** True if a person has approved the change. */
  isApproved(changeId: string): boolean;
  /**
   * 'same' if a person has linked the account to the record, and the account has not been written since; 'by one' if a
   * second person still has to agree.
   */
  saidSame(key: string, id: string): 'same' | 'by one' | null;
  /** True if a person has given this answer to a question about identity. */
  isAnswered(id: string): boolean;
  /** The run that made the account an administrator, if audit and base prove it; null otherwise. */
  powerGiven(id: string): string | null;
  /** The side that a person has chosen in a question that is still open; null without a choice. */
  resolution(question: string): 'source' | 'service' | null;
  /** ISO 8601: when a value of the service that both sides never agreed on was first seen; null if never. */
  seenAt(entity: Entity, key: string, path: string, hash: string): string | null;
  /** Records that such a value is present now. */
  sight(entity: Entity, key: string, path: string, hash: string): void;
  /** The last value sent to a column of a record; null if no sent value is pending. */
  sent(source: string, record: string, column: string): SentValue | null;
}

/** A row that reports a leaver, while the object stays because of another record. */
export interface PassedRow {
  readonly entity: Entity;
  readonly key: string;
  readonly place: string;
  /** The key of the record that keeps the object. */
  readonly keptBy: string;
}

/** Access to the changes and holds of this run, and to competing claims. */
export interface PlanPort {
  add(change: Change): void;
  drop(ref: string): void;
  /** Sets a change aside once everything is derived, as declined, or for a person to decide again. */
  setAside(ref: string, withheld: Withheld): void;
  /** Drops a planned change if another one goes through. */
  keepUnless(ref: string, other: string): void;
  has(ref: string): boolean;
  find(ref: string): Change | null;
  plannedByTarget(entity: Entity, id: string): Change | null;
  /** Changes with one of the named actions; all changes if none is named. */
  changesOf(entity: Entity, ...actions: readonly Action[]): Iterable<Change>;
  hold(hold: Hold): void;
  /** Holds a change until a person decides that the two are different. */
  suspect(ref: string, hold: Hold): void;
  /** Notes a row that reports a leaver, but whose object stays because another record has it. */
  pass(row: PassedRow): void;
  /** Questions whether an object still belongs to its record; everything that refers to the object waits. */
  question(entity: Entity, id: string): void;
  isInQuestion(entity: Entity, id: string): boolean;
  /** Records a claim of `key` on something unique (an object, or the value of a unique field). */
  claim(what: string, id: string, key: string): void;
  claimants(what: string, id: string): readonly string[];
  addNeed(ref: string, need: string): void;
  /** The changes that need this change, even if they are no longer planned. */
  waitersOf(ref: string): readonly string[];
  /** Makes a change wait for another change instead, or for none. */
  replaceNeed(ref: string, need: string, by: string | null): void;
  /** Orders the changes of an entity in levels by their needs. Returns the refs that wait for each other in a circle. */
  level(entity: Entity): readonly string[];
}

/**
 * Everything that reconciliation may read and write. It has no clock, client or database of its own, so a test can
 * replace each port with a table of cases.
 */
export interface ReconcilePorts {
  readonly sources: SourcePort;
  readonly service: ServicePort;
  readonly memory: MemoryPort;
  readonly plan: PlanPort;
}

/** The port for setting a part of a record aside; many rules need no other port. */
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
  /** Columns that are written back to the sources. */
  readonly writeBack: readonly WriteBackColumn[];
  /** Fields that stay unchanged in this run, because the service rejected a read that they depend on. */
  readonly unread: ReadonlySet<string>;
  /** Paths that depend on a source that reports leavers; they are not written while a declined leaver stays. */
  readonly saysLeft: ReadonlySet<string>;
  /** Fields whose mapping has changed since the last run that wrote. */
  readonly remapped: ReadonlySet<string>;
  /** `deactivate`: being out of scope counts as leaving (users only). */
  readonly outOfScope: 'keep' | 'deactivate';
  /** The treatment of accounts that were neither created nor adopted and that no record matches (users only). */
  readonly unowned: 'keep' | 'report' | 'deactivate';
  /** Time from our own deactivation until an account is deleted permanently; null: never (users only). */
  readonly purgeAfterMs: number | null;
  /** How long after an old record has left another record may take over its account (users only). */
  readonly relinkWithinMs: number | null;
  /** True if an object that is gone according to the source is removed: people are deactivated, other objects deleted. */
  readonly removes: boolean;
  /** True if a leaving date counts even if it looks like a placeholder. */
  readonly placeholderDates?: boolean;
  readonly createMissingOffices: boolean;
  readonly createMissingTags: boolean;
  readonly configDigest: string;
  /** `users.parking_email`; null without it. */
  readonly parkingEmail: string | null;
  /** Questions that the configuration leaves open; absent if there are none. */
  readonly questions?: readonly ConfigQuestion[];
}
