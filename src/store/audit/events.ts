import type { AuditEntry, EndOfChange } from './audit-entry.js';

/** What the log tells besides the ends of changes. */
export type AuditEvent =
  | RunStarted
  | ApprovalAsked
  | ApprovalGiven
  | ApprovalRevoked
  | ApprovalLapsed
  | DecisionsLapsed
  | PersonErased
  | Restated
  | EntriesExpired
  | StateRestored
  | StateMoved
  | SourceWritten
  | ConflictResolved
  | ConflictReopened
  | ChangeDeclined
  | DeclineRevoked
  | DeclineEnded
  | PinsReleased
  | TenantPaused
  | TenantResumed
  | HoldAcknowledged
  | AcknowledgementRevoked
  | AssistantRead
  | ReportDelivered
  | DocumentDelivered
  | DocumentRemoved;

interface AuditFact<Kind extends string> {
  readonly kind: Kind;
  /** ISO 8601. */
  readonly at: string;
}

/** What an operator decided, and why. */
interface Decision<Kind extends string> extends AuditFact<Kind> {
  readonly by: string;
  readonly reason: string;
}

interface DecisionOnObject<Kind extends string> extends Decision<Kind> {
  readonly entity: string;
  readonly key: string;
}

/** What was written back to one record of a source, and how the source took it; values are by column. */
export interface SourceWritten extends EndOfChange {
  readonly kind: 'source told';
  readonly source: string;
  /** The record's key there; `entity` and `key` name the object. */
  readonly record: string;
  readonly cause: string;
  readonly result: 'done' | 'refused' | 'lost';
  /** File, or call. */
  readonly where: string;
  readonly request_id: string | null;
}

/** Somebody revoked a decision that no run had carried out: the conflict waits again. */
interface ConflictReopened extends DecisionOnObject<'conflict reopened'> {
  readonly question: string;
}

/** Which side an operator said is right. */
interface ConflictResolved extends DecisionOnObject<'conflict resolved'> {
  readonly question: string;
  readonly winner: 'source' | 'service';
}

/** An operator knows of a hold and leaves it as it is. */
interface HoldAcknowledged extends DecisionOnObject<'hold acknowledged'> {
  readonly hold: string;
  readonly code: string;
  /** Null: until something else is held. */
  readonly until: string | null;
}

interface AcknowledgementRevoked extends DecisionOnObject<'acknowledgement revoked'> {
  readonly hold: string;
}

/** An assistant began to read on that day; what it read is in the access log. */
interface AssistantRead extends AuditFact<'assistant read'> {
  readonly by: string;
  /** Id of the personal token; null next to the state, without a daemon. */
  readonly token: string | null;
}

interface RunStarted extends AuditFact<'run started'> {
  readonly run: string;
  readonly command: string;
  /** `ops: sync, process 4711 on worker-1` */
  readonly by: string;
  /** First twelve digits of the digest of all that decides what is derived. */
  readonly config: string;
}

/** The word of the first of two people; nothing may pass by it yet. */
interface ApprovalAsked extends Omit<ApprovalGiven, 'kind' | 'confirms'> {
  readonly kind: 'approval asked';
}

interface ApprovalGiven extends Decision<'approval given'> {
  readonly approval: string;
  readonly plan: string;
  readonly guards: readonly string[];
  /** Ids of the changes that may pass; the entry of each says that it was spent. */
  readonly changes: readonly string[];
  readonly expires: string;
  /** Who approved the same before, where it takes two. */
  readonly confirms?: readonly string[];
}

/** Taken back by an operator, with the changes that it had not let pass yet. */
interface ApprovalRevoked extends Decision<'approval revoked'> {
  readonly approval: string;
  readonly changes: readonly string[];
}

/** Approved, and not carried out before the approval ran out. */
interface ApprovalLapsed extends AuditFact<'approval lapsed'> {
  readonly approval: string;
  readonly changes: readonly string[];
  /** Set where it was not the time. */
  readonly because?: string;
}

/** Acknowledgements and answers that versions before 0.3 had bound to 48 bits: who gave them is in the entries of their time. */
interface DecisionsLapsed extends AuditFact<'decisions lapsed'> {
  readonly holds: readonly string[];
  readonly questions: readonly string[];
  readonly because: string;
}

/** Not done, and not proposed again until the source value changes or the date comes. */
interface ChangeDeclined extends Decision<'change declined'> {
  readonly decline: string;
  readonly plan: string;
  /** Ids of the changes. */
  readonly changes: readonly string[];
  /** Paths that were declined of updates, columns of what is written back; absent where whole changes were. */
  readonly fields?: readonly string[];
  /** Null: until the source value changes. */
  readonly until: string | null;
  /** Guards that held them; absent where none did. */
  readonly guards?: readonly string[];
  /** Approvals of the same changes that it ended. */
  readonly ends?: readonly string[];
}

interface DeclineRevoked extends Decision<'decline revoked'> {
  readonly decline: string;
  readonly changes: readonly string[];
  /** The approval that took its place, where one did. */
  readonly approval?: string;
}

/** Over without a decision. */
interface DeclineEnded extends Decision<'decline ended'> {
  readonly decline: string;
  readonly because: 'source changed' | 'date came';
  readonly until: string | null;
  readonly plan: string;
  readonly changes: readonly string[];
  /** Values that the same decision still declines. */
  readonly left: number;
}

/** Undone values of an object that an operator lets the next run make again. */
interface PinsReleased extends DecisionOnObject<'pins released'> {
  /** Paths of the values: `title.en`, `existence`. */
  readonly fields: readonly string[];
}

/** Nothing is planned or written until then. */
interface TenantPaused extends Decision<'paused'> {
  readonly until: string;
}

/** Before the pause was over. */
interface TenantResumed extends Decision<'resumed'> {
  /** When it would have been over. */
  readonly until: string;
}

/** Names nobody: places in the chain say what was erased. */
interface PersonErased extends Decision<'person erased'> {
  readonly erasure: string;
  /** First and last sequence number of each stretch of entries whose salt and text were taken out. */
  readonly erased: readonly (readonly [number, number])[];
  readonly entries: number;
  /** Of these, entries about other objects that named the person; each is restated without. */
  readonly restated: number;
  /** Delivered documents of the person that were removed. */
  readonly documents?: number;
}

/** An entry about another object that had named somebody who was erased, without that person. */
export interface Restated extends AuditFact<'restated'> {
  /** Sequence number of the erased original. */
  readonly of: number;
  readonly entry: AuditEntry | Exclude<AuditEvent, Restated | PersonErased | EntriesExpired>;
}

/** The oldest entries were older than `audit.keep`. */
interface EntriesExpired extends AuditFact<'entries expired'> {
  readonly removed: number;
  /** The last one that was taken away: the chain starts after it. */
  readonly checkpoint: { readonly seq: number; readonly hash: string };
}

interface StateRestored extends AuditFact<'state restored'> {
  readonly by: string;
  readonly run: string;
  /** Name of the backup's file. */
  readonly file: string;
  /** The log that was in place until then; null when there was none. */
  readonly replaced: { readonly entries: number; readonly head: string | null } | null;
  /** Erasures that the backup does not have: they are made again, and each leaves its entry again. */
  readonly erasures_undone: number;
}

/** The account has another host name. */
interface StateMoved extends AuditFact<'state moved'> {
  readonly by: string;
  readonly from: string | null;
  readonly to: string;
  /** Linked people and customers that were looked up there by their ids, and how many of them were there. */
  readonly compared: number;
  readonly found: number;
}

interface OfDocument<Kind extends string> extends AuditFact<Kind> {
  /** Null where a person asked for it. */
  readonly run: string | null;
  readonly by: string;
  /** Name in the configuration. */
  readonly delivery: string;
  /** `cv documents`, `reference documents`. */
  readonly of: string;
  /** Whose it is, by the id in the service. */
  readonly entity: 'users' | 'projects';
  readonly target: string;
  /** Path, or address. */
  readonly file: string;
}

/** A document of the service that was put in its place, never what is in it. */
export interface DocumentDelivered extends OfDocument<'document delivered'> {
  readonly bytes: number;
  readonly sha256: string;
  /** When the record had changed last, in the service's words. */
  readonly changed: string;
}

/** A delivered document whose record was gone. */
export interface DocumentRemoved extends OfDocument<'document removed'> {}

/** A report of the service that was put in its place: what, and where, never what is in it. */
interface ReportDelivered extends AuditFact<'report delivered'> {
  /** Null where a person asked for it. */
  readonly run: string | null;
  readonly by: string;
  /** Name in the configuration. */
  readonly report: string;
  /** `cv technologies`, `reference`. */
  readonly of: string;
  /** ISO 8601: the time of its schedule; null where a person asked for it. */
  readonly slot: string | null;
  readonly files: readonly {
    readonly at: string;
    readonly bytes: number;
    /** Null where the format does not show them. */
    readonly rows: number | null;
    readonly sha256: string;
  }[];
}
