/** A delivered file. */
export interface DeliveredFile {
  /** Absolute path, or URL. */
  readonly at: string;
  readonly name: string;
  readonly bytes: number;
  /** Without the header; null if the format does not show rows. */
  readonly rows: number | null;
  readonly sha256: string;
  /** For a document: the record that it shows, by its id in the service. */
  readonly entity?: 'users' | 'projects';
  readonly target?: string;
}

/** Work begun for one slot, kept so that a later process can continue it. Times are milliseconds since the epoch. */
export interface DeliveryWork {
  readonly slotMs: number;
  /** Hash of the request → the service's id of the report. */
  readonly tickets: Readonly<Record<string, string>>;
  /** Names of files that are being delivered, or that exist under temporary names. */
  readonly names: readonly string[];
  /** All files, once they are complete under their temporary names; null before that. */
  readonly laid: readonly DeliveredFile[] | null;
  /** For documents only: the one in progress, in the form that is stored once it is delivered. */
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
  /** Hash of format, language and template. */
  readonly asked: string;
  /** External id of the record; '' if it has none. */
  readonly externalId: string;
  /** ISO 8601: when it was delivered. */
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
  /** Complete lists in a row that did not contain the record. */
  readonly missing: number;
  readonly failure: DocumentFailure | null;
}

/** The progress of a delivery of documents. */
export interface DocumentState {
  /** Records that match. */
  readonly listed: number;
  /** Documents that are due and not fetched yet. */
  readonly left: number;
  /** Documents that could not be fetched and wait for their next attempt. */
  readonly failing: number;
  /** SHA-256 of the manifest in the folder; null without one. */
  readonly manifest: string | null;
}

export interface Delivered {
  /** null if a person requested it. */
  readonly slotMs: number | null;
  readonly atMs: number;
  /** Number of reports in it, and how often the service was asked for them in total. */
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
  /** The slot up to which everything is done, and its schedule. */
  readonly anchor: { readonly every: string; readonly timezone: string; readonly atMs: number } | null;
  readonly work: DeliveryWork | null;
  readonly last: Delivered | null;
  /** Set while the latest attempt has failed; its time is that of the first failure. */
  readonly failure: DeliveryFailure | null;
}

/** A delivery that is due, as a plan shows it. */
export interface DueDelivery {
  readonly report: string;
  /** `cv technologies`, `reference`, `cv documents`. */
  readonly of: string;
  /** ISO 8601; null if each run looks for changes. */
  readonly slot: string | null;
  /** Earlier slots without a delivery. */
  readonly missed: number;
  /** Endpoint template → calls, as far as known in advance. */
  readonly calls: Readonly<Record<string, number>>;
  readonly documents?: DueDocuments;
  /** Why the due work cannot be determined. */
  readonly error?: DeliveryProblem;
}

export interface DueDocuments {
  /** Records that match. */
  readonly listed: number;
  readonly due: number;
  /** The number of them that the next run fetches at most. */
  readonly now: number;
  /** Files that may be removed once it is certain that their records are gone. */
  readonly gone: number;
  /** Seconds that the service's download limit takes: for the next run, and in total. */
  readonly seconds: number;
  readonly secondsInAll: number;
}

export type DeliveryProblem = Pick<DeliveryFailure, 'code' | 'message' | 'place' | 'remedy'>;

/** The result of one delivery of a run. */
export interface DeliveryResult {
  readonly report: string;
  readonly of: string;
  /** ISO 8601; null if a person requested it, or if each run looks for changes. */
  readonly slot: string | null;
  /** `left`: the run's call budget was spent; the next run continues. */
  readonly status: 'delivered' | 'failed' | 'left';
  readonly missed: number;
  readonly files: readonly DeliveredFile[];
  readonly error?: DeliveryProblem;
  readonly documents?: DocumentCounts;
}

/** The result of one delivery of documents in a run. */
export interface DocumentCounts {
  /** Folder, or URL. */
  readonly to: string;
  readonly delivered: number;
  /** Fetched, and identical byte for byte to the file already there. */
  readonly unchanged: number;
  readonly removed: number;
  /** Due, and left to the next run. */
  readonly left: number;
  /** Documents that could not be fetched in this run. */
  readonly failed: readonly (DeliveryProblem & Required<Pick<DeliveredFile, 'entity' | 'target'>>)[];
}
