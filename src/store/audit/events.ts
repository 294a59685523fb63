import type { AuditEntry, EndOfChange } from './audit-entry.js';

/** The entries of the log that are not outcomes of changes. */
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

/** A decision made by an operator, with the reason. */
interface Decision<Kind extends string> extends AuditFact<Kind> {
  readonly by: string;
  readonly reason: string;
}

interface DecisionOnObject<Kind extends string> extends Decision<Kind> {
  readonly entity: string;
  readonly key: string;
}

/** Values written back to one record of a source, by column, and the source's answer. */
export interface SourceWritten extends EndOfChange {
  readonly kind: 'source told';
  readonly source: string;
  /** The record's key in the source. `entity` and `key` identify the object. */
  readonly record: string;
  readonly cause: string;
  readonly result: 'done' | 'refused' | 'lost';
  /** The file, or the call. */
  readonly where: string;
  readonly request_id: string | null;
}

/** An operator revoked a decision before a run carried it out, so the conflict is pending again. */
interface ConflictReopened extends DecisionOnObject<'conflict reopened'> {
  readonly question: string;
}

/** An operator decided which side is right. */
interface ConflictResolved extends DecisionOnObject<'conflict resolved'> {
  readonly question: string;
  readonly winner: 'source' | 'service';
}

/** An operator acknowledged a hold and left it in place. */
interface HoldAcknowledged extends DecisionOnObject<'hold acknowledged'> {
  readonly hold: string;
  readonly code: string;
  /** Null if it applies until something else is held. */
  readonly until: string | null;
}

interface AcknowledgementRevoked extends DecisionOnObject<'acknowledgement revoked'> {
  readonly hold: string;
}

/** An assistant began to read on that day. The access log records its individual reads. */
interface AssistantRead extends AuditFact<'assistant read'> {
  readonly by: string;
  /** Id of the personal token; null if the assistant read the state directly, without a daemon. */
  readonly token: string | null;
}

interface RunStarted extends AuditFact<'run started'> {
  readonly run: string;
  readonly command: string;
  /** `ops: sync, process 4711 on worker-1` */
  readonly by: string;
  /** The first twelve digits of the digest of everything that affects what a run derives. */
  readonly config: string;
}

/** One change of a decision, and the object that it would change. */
export interface DecidedRecord {
  readonly change: string;
  readonly entity: string;
  readonly key: string;
  readonly action: string;
  readonly label: string;
}

/** Part of an entry about a decision. Absent in entries of older versions, and for a delivery as a unit. */
export interface OfRecords {
  /** The first of the decided changes, with their objects. `changes` lists the ids of all of them. */
  readonly records?: readonly DecidedRecord[];
}

/** The first of two required approvals, which does not release anything yet. */
interface ApprovalAsked extends Omit<ApprovalGiven, 'kind' | 'confirms'> {
  readonly kind: 'approval asked';
}

interface ApprovalGiven extends Decision<'approval given'>, OfRecords {
  readonly approval: string;
  readonly plan: string;
  readonly guards: readonly string[];
  /** Ids of the approved changes. The entry of each change records when it used the approval. */
  readonly changes: readonly string[];
  readonly expires: string;
  /** People who had already approved the same changes, if two approvals are required. */
  readonly confirms?: readonly string[];
}

/** An operator revoked the approval. `changes` lists those that no run has carried out yet. */
interface ApprovalRevoked extends Decision<'approval revoked'>, OfRecords {
  readonly approval: string;
  readonly changes: readonly string[];
}

/** The approval ended before these changes were carried out. */
interface ApprovalLapsed extends AuditFact<'approval lapsed'>, OfRecords {
  readonly approval: string;
  readonly changes: readonly string[];
  /** Set if the approval ended for a reason other than time. */
  readonly because?: string;
}

/**
 * Ended decisions of versions before 0.3, which identified their object by 48 bits. Earlier entries record who made
 * them.
 */
interface DecisionsLapsed extends AuditFact<'decisions lapsed'> {
  readonly holds: readonly string[];
  readonly questions: readonly string[];
  readonly because: string;
}

/** The changes are not made, and not proposed again until the source value changes or the date comes. */
interface ChangeDeclined extends Decision<'change declined'>, OfRecords {
  readonly decline: string;
  readonly plan: string;
  /** Ids of the changes. */
  readonly changes: readonly string[];
  /** Declined paths of updates, or columns that are written back; absent if entire changes were declined. */
  readonly fields?: readonly string[];
  /** Null if the decline applies until the source value changes. */
  readonly until: string | null;
  /** The guards that held these changes; absent if there were none. */
  readonly guards?: readonly string[];
  /** Approvals of the same changes that this decline ended. */
  readonly ends?: readonly string[];
}

interface DeclineRevoked extends Decision<'decline revoked'>, OfRecords {
  readonly decline: string;
  readonly changes: readonly string[];
  /** The approval that replaced the decline, if there is one. */
  readonly approval?: string;
}

/** A decline ended without an operator's decision. */
interface DeclineEnded extends Decision<'decline ended'>, OfRecords {
  readonly decline: string;
  readonly because: 'source changed' | 'date came';
  readonly until: string | null;
  readonly plan: string;
  readonly changes: readonly string[];
  /** Number of values that are still declined by the same decision. */
  readonly left: number;
}

/** An operator allowed the next run to write undone values of an object again. */
interface PinsReleased extends DecisionOnObject<'pins released'> {
  /** Paths of the values: `title.en`, `existence`. */
  readonly fields: readonly string[];
}

/** No changes are planned or written until the pause ends. */
interface TenantPaused extends Decision<'paused'> {
  readonly until: string;
}

/** An operator ended the pause early. */
interface TenantResumed extends Decision<'resumed'> {
  /** When the pause would have ended. */
  readonly until: string;
}

/** The entry does not name the person. It identifies the erased entries by their positions in the chain. */
interface PersonErased extends Decision<'person erased'> {
  readonly erasure: string;
  /** First and last sequence number of each range of entries whose salt and text were removed. */
  readonly erased: readonly (readonly [number, number])[];
  readonly entries: number;
  /** Number of these entries about other objects that named the person. Each is restated without the name. */
  readonly restated: number;
  /** Number of the person's delivered documents that were removed. */
  readonly documents?: number;
}

/** Repeats an entry about another object, without the erased person's name. */
export interface Restated extends AuditFact<'restated'> {
  /** Sequence number of the erased original. */
  readonly of: number;
  readonly entry: AuditEntry | Exclude<AuditEvent, Restated | PersonErased | EntriesExpired>;
}

/** Entries older than `audit.keep` were removed. */
interface EntriesExpired extends AuditFact<'entries expired'> {
  readonly removed: number;
  /** The last removed entry, after which the chain now starts. */
  readonly checkpoint: { readonly seq: number; readonly hash: string };
}

interface StateRestored extends AuditFact<'state restored'> {
  readonly by: string;
  readonly run: string;
  /** Name of the backup file. */
  readonly file: string;
  /** The log that the backup replaced; null if there was none. */
  readonly replaced: { readonly entries: number; readonly head: string | null } | null;
  /** Number of erasures that the backup lacks. Each is repeated and leaves a new entry. */
  readonly erasures_undone: number;
}

/** The account moved to another host name. */
interface StateMoved extends AuditFact<'state moved'> {
  readonly by: string;
  readonly from: string | null;
  readonly to: string;
  /** Number of linked people and customers that were looked up there by id. `found` says how many exist. */
  readonly compared: number;
  readonly found: number;
}

interface OfDocument<Kind extends string> extends AuditFact<Kind> {
  /** Null if a person requested the delivery. */
  readonly run: string | null;
  readonly by: string;
  /** The name of the delivery in the configuration. */
  readonly delivery: string;
  /** The kind of document: `cv documents` or `reference documents`. */
  readonly of: string;
  /** The entity and service id of the record. */
  readonly entity: 'users' | 'projects';
  readonly target: string;
  /** A path or an address. */
  readonly file: string;
}

/** A document of the service that was delivered, without its content. */
export interface DocumentDelivered extends OfDocument<'document delivered'> {
  readonly bytes: number;
  readonly sha256: string;
  /** The time of the record's last change, as shown by the service. */
  readonly changed: string;
}

/** A delivered document was removed because its record is gone. */
export interface DocumentRemoved extends OfDocument<'document removed'> {}

/** A report of the service that was delivered, without its content. */
interface ReportDelivered extends AuditFact<'report delivered'> {
  /** Null if a person requested the report. */
  readonly run: string | null;
  readonly by: string;
  /** The name of the report in the configuration. */
  readonly report: string;
  /** The kind of report: `cv technologies`, `reference`. */
  readonly of: string;
  /** The scheduled time in ISO 8601; null if a person requested the report. */
  readonly slot: string | null;
  readonly files: readonly {
    readonly at: string;
    readonly bytes: number;
    /** Null if the format does not show the number of rows. */
    readonly rows: number | null;
    readonly sha256: string;
  }[];
}
