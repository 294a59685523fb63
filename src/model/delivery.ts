/** A file as it was laid in its place. */
export interface DeliveredFile {
  /** Absolute path, or address. */
  readonly at: string;
  readonly name: string;
  readonly bytes: number;
  /** Without the header; null where its format does not show them. */
  readonly rows: number | null;
  readonly sha256: string;
  /** Of a document: the record that it shows, by its id in the service. */
  readonly entity?: 'users' | 'projects';
  readonly target?: string;
}

/** What has been begun for one slot, so that a later process goes on from there. Times are milliseconds since the epoch. */
export interface DeliveryWork {
  readonly slotMs: number;
  /** Hash of what was asked → what the service calls it: the id of a report. */
  readonly tickets: Readonly<Record<string, string>>;
  /** Names under which files are being laid, or are under their temporary names. */
  readonly names: readonly string[];
  /** All that is delivered, once it lies whole under its temporary names; null before. */
  readonly laid: readonly DeliveredFile[] | null;
  /** Only of documents: the one on its way, as it is remembered once it is there. */
  readonly document?: { readonly key: string; readonly laid: LaidDocument };
}

/** A document as it was put in its place, and what it shows. */
export interface LaidDocument {
  /** Under the delivery's folder: `Oslo/Anna Lie (6f1c).pdf`. */
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
  /** When the record had changed last, in the service's words. */
  readonly stamp: string;
  /** Hash of format, language and template. */
  readonly asked: string;
  /** Of the record; '' where it has none. */
  readonly externalId: string;
  /** ISO 8601: when it was delivered. */
  readonly at: string;
}

/** Why a document could not be had, and when it is tried again. Times are milliseconds since the epoch. */
export interface DocumentFailure {
  readonly stamp: string;
  readonly asked: string;
  readonly times: number;
  readonly nextMs: number;
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

/** What is remembered of one record that is delivered as a document. */
export interface DocumentRecord {
  readonly delivery: string;
  readonly entity: 'users' | 'projects';
  /** Id of the user or project in the service. */
  readonly key: string;
  /** null as long as none was delivered. */
  readonly laid: LaidDocument | null;
  /** Whole lists in a row that it was missing from. */
  readonly missing: number;
  readonly failure: DocumentFailure | null;
}

/** How far a delivery of documents has come. */
export interface DocumentState {
  /** Records that match. */
  readonly listed: number;
  /** Documents that are due and were not fetched yet. */
  readonly left: number;
  /** Documents that could not be had, and rest until they are tried again. */
  readonly failing: number;
  /** SHA-256 of the manifest that is in the folder; null where none is. */
  readonly manifest: string | null;
}

export interface Delivered {
  /** Null where a person asked for it. */
  readonly slotMs: number | null;
  readonly atMs: number;
  /** Reports that it was made of, and how often the service was asked for them in all. */
  readonly parts: number;
  readonly polls: number;
  readonly files: readonly DeliveredFile[];
  /** Only of documents; `files` are those of the last run that delivered any. */
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

/** What is remembered of one report between runs. */
export interface DeliveryRecord {
  /** Up to which slot of which schedule all is done. */
  readonly anchor: { readonly every: string; readonly timezone: string; readonly atMs: number } | null;
  readonly work: DeliveryWork | null;
  readonly last: Delivered | null;
  /** Set as long as the newest try has failed; it has the time of the first. */
  readonly failure: DeliveryFailure | null;
}

/** A delivery whose time has come, as a plan shows it. */
export interface DueDelivery {
  readonly report: string;
  /** `cv technologies`, `reference`, `cv documents`. */
  readonly of: string;
  /** ISO 8601; null where each run looks for what changed. */
  readonly slot: string | null;
  /** Slots before it that nobody delivered for. */
  readonly missed: number;
  /** Endpoint template → calls, as far as is known before. */
  readonly calls: Readonly<Record<string, number>>;
  readonly documents?: DueDocuments;
  /** Why it cannot be told what is due. */
  readonly error?: DeliveryProblem;
}

/** Documents that are due. */
export interface DueDocuments {
  /** Records that match. */
  readonly listed: number;
  readonly due: number;
  /** As many of them as the next run fetches at most. */
  readonly now: number;
  /** Files that may be removed, once it is sure that their records are gone. */
  readonly gone: number;
  /** Time that the service's limit of downloads takes: for the next run, and for all of them. */
  readonly seconds: number;
  readonly secondsInAll: number;
}

export type DeliveryProblem = Pick<DeliveryFailure, 'code' | 'message' | 'place' | 'remedy'>;

/** How one delivery of a run went. */
export interface DeliveryResult {
  readonly report: string;
  readonly of: string;
  /** ISO 8601; null where a person asked for it, or where each run looks for what changed. */
  readonly slot: string | null;
  /** `left`: the run's call budget was spent; the next one goes on. */
  readonly status: 'delivered' | 'failed' | 'left';
  readonly missed: number;
  readonly files: readonly DeliveredFile[];
  readonly error?: DeliveryProblem;
  readonly documents?: DocumentCounts;
}

/** How one delivery of documents went in a run. */
export interface DocumentCounts {
  /** Folder, or address. */
  readonly to: string;
  readonly delivered: number;
  /** Fetched, and byte for byte what is there. */
  readonly unchanged: number;
  readonly removed: number;
  /** Due, and left to the next run. */
  readonly left: number;
  /** Those that could not be had in this run. */
  readonly failed: readonly (DeliveryProblem & Required<Pick<DeliveredFile, 'entity' | 'target'>>)[];
}
