import type { AuditEntry, EndOfChange } from './audit-entry.js';

/** Entries of the log other than the outcomes of changes. */
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

/** A decision by an operator, with its reason. */
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
  /** The record's key in the source; `entity` and `key` name the object. */
  readonly record: string;
  readonly cause: string;
  readonly result: 'done' | 'refused' | 'lost';
  /** File, or call. */
  readonly where: string;
  readonly request_id: string | null;
}

/** An operator revoked a decision before any run carried it out: the conflict is pending again. */
interface ConflictReopened extends DecisionOnObject<'conflict reopened'> {
  readonly question: string;
}

/** The side that an operator declared right. */
interface ConflictResolved extends DecisionOnObject<'conflict resolved'> {
  readonly question: string;
  readonly winner: 'source' | 'service';
}

/** An operator knows of a hold and leaves it in place. */
interface HoldAcknowledged extends DecisionOnObject<'hold acknowledged'> {
  readonly hold: string;
  readonly code: string;
  /** Null: until something else is held. */
  readonly until: string | null;
}

interface AcknowledgementRevoked extends DecisionOnObject<'acknowledgement revoked'> {
  readonly hold: string;
}

/** An assistant began to read on that day; the access log records its reads. */
interface AssistantRead extends AuditFact<'assistant read'> {
  readonly by: string;
  /** Id of the personal token; null if it read the state directly, without a daemon. */
  readonly token: string | null;
}

interface RunStarted extends AuditFact<'run started'> {
  readonly run: string;
  readonly command: string;
  /** `ops: sync, process 4711 on worker-1` */
  readonly by: string;
  /** First twelve digits of the digest of everything that determines what is derived. */
  readonly config: string;
}

/** The first of two approvals; it releases nothing yet. */
interface ApprovalAsked extends Omit<ApprovalGiven, 'kind' | 'confirms'> {
  readonly kind: 'approval asked';
}

interface ApprovalGiven extends Decision<'approval given'> {
  readonly approval: string;
  readonly plan: string;
  readonly guards: readonly string[];
  /** Ids of the approved changes; the entry of each change records that the approval was spent. */
  readonly changes: readonly string[];
  readonly expires: string;
  /** People who approved the same changes before, if two approvals are required. */
  readonly confirms?: readonly string[];
}

/** An operator revoked the approval; `changes` are those not carried out yet. */
interface ApprovalRevoked extends Decision<'approval revoked'> {
  readonly approval: string;
  readonly changes: readonly string[];
}

/** Approved, but not carried out before the approval expired. */
interface ApprovalLapsed extends AuditFact<'approval lapsed'> {
  readonly approval: string;
  readonly changes: readonly string[];
  /** Set if it ended for another reason than time. */
  readonly because?: string;
}

/** Acknowledgements and answers that versions before 0.3 had bound to 48 bits; earlier entries record who gave them. */
interface DecisionsLapsed extends AuditFact<'decisions lapsed'> {
  readonly holds: readonly string[];
  readonly questions: readonly string[];
  readonly because: string;
}

/** Not carried out, and not proposed again until the source value changes or the date comes. */
interface ChangeDeclined extends Decision<'change declined'> {
  readonly decline: string;
  readonly plan: string;
  /** Ids of the changes. */
  readonly changes: readonly string[];
  /** Declined paths of updates, or columns that are written back; absent if entire changes were declined. */
  readonly fields?: readonly string[];
  /** Null: until the source value changes. */
  readonly until: string | null;
  /** Guards that held them; absent if there were none. */
  readonly guards?: readonly string[];
  /** Approvals of the same changes that the decline ended. */
  readonly ends?: readonly string[];
}

interface DeclineRevoked extends Decision<'decline revoked'> {
  readonly decline: string;
  readonly changes: readonly string[];
  /** The approval that replaced it, if there is one. */
  readonly approval?: string;
}

/** Ended without a decision. */
interface DeclineEnded extends Decision<'decline ended'> {
  readonly decline: string;
  readonly because: 'source changed' | 'date came';
  readonly until: string | null;
  readonly plan: string;
  readonly changes: readonly string[];
  /** Number of values that the same decision still declines. */
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

/** Ended before the pause was over. */
interface TenantResumed extends Decision<'resumed'> {
  /** When the pause would have ended. */
  readonly until: string;
}

/** Names nobody: positions in the chain identify the erased entries. */
interface PersonErased extends Decision<'person erased'> {
  readonly erasure: string;
  /** First and last sequence number of each range of entries whose salt and text were removed. */
  readonly erased: readonly (readonly [number, number])[];
  readonly entries: number;
  /** Number of these entries about other objects that named the person; each is restated without the name. */
  readonly restated: number;
  /** Number of the person's delivered documents that were removed. */
  readonly documents?: number;
}

/** Repeats an entry about another object, without the erased person it named. */
export interface Restated extends AuditFact<'restated'> {
  /** Sequence number of the erased original. */
  readonly of: number;
  readonly entry: AuditEntry | Exclude<AuditEvent, Restated | PersonErased | EntriesExpired>;
}

/** The oldest entries were older than `audit.keep`. */
interface EntriesExpired extends AuditFact<'entries expired'> {
  readonly removed: number;
  /** The last removed entry: the chain starts after it. */
  readonly checkpoint: { readonly seq: number; readonly hash: string };
}

interface StateRestored extends AuditFact<'state restored'> {
  readonly by: string;
  readonly run: string;
  /** Name of the backup file. */
  readonly file: string;
  /** The log that was replaced; null if there was none. */
  readonly replaced: { readonly entries: number; readonly head: string | null } | null;
  /** Erasures that the backup lacks: each is repeated and leaves a new entry. */
  readonly erasures_undone: number;
}

/** The account has another host name. */
interface StateMoved extends AuditFact<'state moved'> {
  readonly by: string;
  readonly from: string | null;
  readonly to: string;
  /** Number of linked people and customers looked up there by id; `found` is the number that exist. */
  readonly compared: number;
  readonly found: number;
}

interface OfDocument<Kind extends string> extends AuditFact<Kind> {
  /** Null if a person asked for it. */
  readonly run: string | null;
  readonly by: string;
  /** Name in the configuration. */
  readonly delivery: string;
  /** `cv documents`, `reference documents`. */
  readonly of: string;
  /** The entity and service id of the record. */
  readonly entity: 'users' | 'projects';
  readonly target: string;
  /** Path, or address. */
  readonly file: string;
}

/** A document of the service that was delivered, without its content. */
export interface DocumentDelivered extends OfDocument<'document delivered'> {
  readonly bytes: number;
  readonly sha256: string;
  /** The record's last change, as the service shows it. */
  readonly changed: string;
}

/** A delivered document was removed because its record is gone. */
export interface DocumentRemoved extends OfDocument<'document removed'> {}

/** A report of the service that was delivered, without its content. */
interface ReportDelivered extends AuditFact<'report delivered'> {
  /** Null if a person asked for it. */
  readonly run: string | null;
  readonly by: string;
  /** Name in the configuration. */
  readonly report: string;
  /** `cv technologies`, `reference`. */
  readonly of: string;
  /** The scheduled time in ISO 8601; null if a person asked for it. */
  readonly slot: string | null;
  readonly files: readonly {
    readonly at: string;
    readonly bytes: number;
    /** Null if the format does not show it. */
    readonly rows: number | null;
    readonly sha256: string;
  }[];
}
