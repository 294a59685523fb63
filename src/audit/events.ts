import type { Json } from '../model/json.js';
import type { AuditEntry } from './audit-log.js';

/** What the log tells besides the ends of changes. */
export type AuditEvent =
  | RunStarted
  | ApprovalGiven
  | ApprovalRevoked
  | ApprovalLapsed
  | PersonErased
  | Restated
  | EntriesExpired
  | StateRestored
  | SourceWritten
  | ConflictResolved
  | HoldAcknowledged
  | AcknowledgementRevoked
  | ReportDelivered;

/** What a source was told of one record, and how it took it. */
export interface SourceWritten {
  readonly kind: 'source told';
  readonly at: string;
  readonly run: string;
  readonly change: string;
  readonly source: string;
  /** The record's key there, and what it stands for. */
  readonly record: string;
  readonly entity: string;
  readonly key: string;
  readonly label: string;
  readonly cause: string;
  readonly approval: string | null;
  /** Column → value. */
  readonly before: Json;
  readonly after: Json;
  readonly result: 'done' | 'refused' | 'lost';
  /** File, or call. */
  readonly where: string;
  readonly request_id: string | null;
  readonly error: string | null;
}

/** Which side an operator said is right. */
export interface ConflictResolved {
  readonly kind: 'conflict resolved';
  readonly at: string;
  readonly by: string;
  readonly question: string;
  readonly entity: string;
  readonly key: string;
  readonly winner: 'source' | 'service';
  readonly reason: string;
}

/** An operator knows of a hold and leaves it as it is. */
export interface HoldAcknowledged {
  readonly kind: 'hold acknowledged';
  readonly at: string;
  readonly by: string;
  readonly hold: string;
  readonly entity: string;
  readonly key: string;
  readonly code: string;
  readonly reason: string;
  /** Null: until something else is held. */
  readonly until: string | null;
}

export interface AcknowledgementRevoked {
  readonly kind: 'acknowledgement revoked';
  readonly at: string;
  readonly by: string;
  readonly hold: string;
  readonly entity: string;
  readonly key: string;
  readonly reason: string;
}

export interface RunStarted {
  readonly kind: 'run started';
  readonly at: string;
  readonly run: string;
  readonly command: string;
  /** `ops: sync, process 4711 on worker-1` */
  readonly by: string;
  /** First twelve digits of the digest of all that decides what is derived. */
  readonly config: string;
}

export interface ApprovalGiven {
  readonly kind: 'approval given';
  readonly at: string;
  readonly by: string;
  readonly approval: string;
  readonly plan: string;
  readonly guards: readonly string[];
  /** Ids of the changes that may pass; the entry of each says that it was spent. */
  readonly changes: readonly string[];
  readonly reason: string;
  readonly expires: string;
}

/** Taken back by an operator, with the changes that it had not let pass yet. */
export interface ApprovalRevoked {
  readonly kind: 'approval revoked';
  readonly at: string;
  readonly by: string;
  readonly approval: string;
  readonly changes: readonly string[];
  readonly reason: string;
}

/** Approved, and not carried out before the approval ran out. */
export interface ApprovalLapsed {
  readonly kind: 'approval lapsed';
  readonly at: string;
  readonly approval: string;
  readonly changes: readonly string[];
}

/** Names nobody: what was erased is told by its place in the chain. */
export interface PersonErased {
  readonly kind: 'person erased';
  readonly at: string;
  readonly by: string;
  readonly erasure: string;
  readonly reason: string;
  /** First and last sequence number of each stretch of entries whose salt and text were taken out. */
  readonly erased: readonly (readonly [number, number])[];
  readonly entries: number;
  /** Of these, entries about other objects that named the person; each is told again without. */
  readonly restated: number;
}

/** An entry about another object that had named somebody who was erased, without that person. */
export interface Restated {
  readonly kind: 'restated';
  readonly at: string;
  /** Sequence number of the erased original. */
  readonly of: number;
  readonly entry: AuditEntry | Exclude<AuditEvent, Restated | PersonErased | EntriesExpired>;
}

/** The oldest entries were older than `audit.keep`. */
export interface EntriesExpired {
  readonly kind: 'entries expired';
  readonly at: string;
  readonly removed: number;
  /** The last one that was taken away: the chain starts after it. */
  readonly checkpoint: { readonly seq: number; readonly hash: string };
}

export interface StateRestored {
  readonly kind: 'state restored';
  readonly at: string;
  readonly by: string;
  readonly run: string;
  /** Name of the backup's file. */
  readonly file: string;
  /** The log that was in place until then; null when there was none. */
  readonly replaced: { readonly entries: number; readonly head: string | null } | null;
  /** Erasures that the backup does not have: they are made again, and each leaves its entry again. */
  readonly erasures_undone: number;
}

/** A report of the service that was put in its place: what, and where, never what is in it. */
export interface ReportDelivered {
  readonly kind: 'report delivered';
  readonly at: string;
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
