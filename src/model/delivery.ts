/** A delivered file. */
export interface DeliveredFile {
  /** Absolute path, or URL. */
  readonly at: string;
  readonly name: string;
  readonly bytes: number;
  /** Number of rows without the header; null if the format does not show rows. */
  readonly rows: number | null;
  readonly sha256: string;
  /** For a document: the kind of record that it shows, with the id of the record in the service. */
  readonly entity?: 'users' | 'projects';
  readonly target?: string;
}

/** Unfinished work of one slot, stored so that a later process can continue it. Times are milliseconds since the epoch. */
export interface DeliveryWork {
  readonly slotMs: number;
  /** Hash of the request → the service's id of the report. */
  readonly tickets: Readonly<Record<string, string>>;
  /** Names of files that are being delivered or have temporary names. */
  readonly names: readonly string[];
  /** All files, once each is complete under its temporary name; null before that. */
  readonly laid: readonly DeliveredFile[] | null;
  /** For documents only: the document in progress, in the form that is stored once it is delivered. */
  readonly document?: { readonly key: string; readonly laid: LaidDocument };
}

/** A delivered document and the record it shows. */
export interface LaidDocument {
  /** Path below the delivery's folder: `Oslo/Anna Lie (6f1c).pdf`. */
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
  /** When the record last changed, as the service writes it. */
  readonly stamp: string;
  /** Hash of the requested format, language and template. */
  readonly asked: string;
  /** External id of the record; '' if the record has none. */
  readonly externalId: string;
  /** Time of the delivery, ISO 8601. */
  readonly at: string;
}

/** Why a document could not be fetched, and when the next attempt is due. Times are milliseconds since the epoch. */
export interface DocumentFailure {
  readonly stamp: string;
  readonly asked: string;
  readonly times: number;
  readonly nextMs: number;
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

/** The stored state of one record that is delivered as a document. */
export interface DocumentRecord {
  readonly delivery: string;
  readonly entity: 'users' | 'projects';
  /** Id of the user or project in the service. */
  readonly key: string;
  /** null until one is delivered. */
  readonly laid: LaidDocument | null;
  /** Number of complete lists in a row that did not contain the record. */
  readonly missing: number;
  readonly failure: DocumentFailure | null;
}

/** The progress of a delivery of documents. */
export interface DocumentState {
  /** Number of matching records. */
  readonly listed: number;
  /** Number of documents that are due and not fetched yet. */
  readonly left: number;
  /** Number of documents that could not be fetched and will be tried again. */
  readonly failing: number;
  /** SHA-256 of the manifest in the folder; null without a manifest. */
  readonly manifest: string | null;
}

export interface Delivered {
  /** null if a person requested the delivery. */
  readonly slotMs: number | null;
  readonly atMs: number;
  /** Number of reports in the delivery, and of all requests to the service for them. */
  readonly parts: number;
  readonly polls: number;
  readonly files: readonly DeliveredFile[];
  /** For documents only; `files` then lists the files of the last run that delivered any. */
  readonly documents?: DocumentState;
}

export interface DeliveryFailure {
  readonly slotMs: number;
  readonly atMs: number;
  readonly code: string;
  readonly message: string;
  readonly place: string | null;
  readonly remedy: string;
}

/** The stored state of one delivery between runs. */
export interface DeliveryRecord {
  /** The slot up to which all work is done, and its schedule. */
  readonly anchor: { readonly every: string; readonly timezone: string; readonly atMs: number } | null;
  readonly work: DeliveryWork | null;
  readonly last: Delivered | null;
  /** Set while the latest attempt has failed. Its time is that of the first failure in a row. */
  readonly failure: DeliveryFailure | null;
}

/** A delivery that is due, as a plan shows it. */
export interface DueDelivery {
  readonly report: string;
  /** Such as `cv technologies`, `reference` or `cv documents`. */
  readonly of: string;
  /** ISO 8601; null if each run looks for changes instead. */
  readonly slot: string | null;
  /** Earlier slots without a delivery. */
  readonly missed: number;
  /** Endpoint template → number of calls, as far as known in advance. */
  readonly calls: Readonly<Record<string, number>>;
  readonly documents?: DueDocuments;
  /** Why the work that is due cannot be determined. */
  readonly error?: DeliveryProblem;
}

export interface DueDocuments {
  /** Number of matching records. */
  readonly listed: number;
  readonly due: number;
  /** Number of documents that the next run fetches at most. */
  readonly now: number;
  /** Number of files that may be removed once their records are known to be gone. */
  readonly gone: number;
  /** Seconds that fetching takes under the service's download limit: for the next run, and in total. */
  readonly seconds: number;
  readonly secondsInAll: number;
}

export type DeliveryProblem = Pick<DeliveryFailure, 'code' | 'message' | 'place' | 'remedy'>;

/** The result of one delivery of a run. */
export interface DeliveryResult {
  readonly report: string;
  readonly of: string;
  /** ISO 8601; null if a person requested the delivery, or if each run looks for changes. */
  readonly slot: string | null;
  /** `left`: the call budget of the run was spent, so the next run continues. */
  readonly status: 'delivered' | 'failed' | 'left';
  readonly missed: number;
  readonly files: readonly DeliveredFile[];
  readonly error?: DeliveryProblem;
  readonly documents?: DocumentCounts;
}

/** The result of one delivery of documents in a run. */
export interface DocumentCounts {
  /** Path of the folder, or its URL. */
  readonly to: string;
  readonly delivered: number;
  /** Number of documents that were fetched and are identical to the file already there. */
  readonly unchanged: number;
  readonly removed: number;
  /** Number of documents that are due and left to the next run. */
  readonly left: number;
  /** Documents that could not be fetched in this run. */
  readonly failed: readonly (DeliveryProblem & Required<Pick<DeliveredFile, 'entity' | 'target'>>)[];
}
