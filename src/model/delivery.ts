/** A file as it was laid in its place. */
export interface DeliveredFile {
  /** Absolute path, or address. */
  readonly at: string;
  readonly name: string;
  readonly bytes: number;
  /** Without the header; null where its format does not show them. */
  readonly rows: number | null;
  readonly sha256: string;
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
}

export interface Delivered {
  /** Null where a person asked for it. */
  readonly slotMs: number | null;
  readonly atMs: number;
  /** Reports that it was made of, and how often the service was asked for them in all. */
  readonly parts: number;
  readonly polls: number;
  readonly files: readonly DeliveredFile[];
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

/** A report whose time has come, as a plan shows it. */
export interface DueDelivery {
  readonly report: string;
  /** `cv technologies`, `reference`. */
  readonly of: string;
  /** ISO 8601. */
  readonly slot: string;
  /** Slots before it that nobody delivered for. */
  readonly missed: number;
  /** Endpoint template → calls, as far as is known before. */
  readonly calls: Readonly<Record<string, number>>;
}

/** How one delivery of a run went. */
export interface DeliveryResult {
  readonly report: string;
  readonly of: string;
  /** ISO 8601; null where a person asked for it. */
  readonly slot: string | null;
  /** `left`: the run's call budget was spent; the next one goes on. */
  readonly status: 'delivered' | 'failed' | 'left';
  readonly missed: number;
  readonly files: readonly DeliveredFile[];
  readonly error?: Omit<DeliveryFailure, 'slotMs' | 'atMs'>;
}
