import type { Action, Entity } from './entity.js';

/** A number under the current and under the edited configuration. */
export interface PreviewNumber {
  readonly in_force: number;
  readonly edited: number;
}

export interface PreviewCount extends PreviewNumber {
  readonly entity: Entity;
  readonly action: Action;
}

/** The number of updates that change a field. */
export interface PreviewField extends PreviewNumber {
  readonly entity: Entity;
  readonly field: string;
}

/** The number of records of a source that would be written back. */
export interface PreviewWriteBack extends PreviewNumber {
  readonly source: string;
}

/** A guard that would hold under the edited configuration. */
export interface PreviewGuard {
  readonly guard: string;
  readonly limit: number;
  readonly found: number;
  readonly held: number;
  /** Changes that it holds under the current configuration. */
  readonly held_in_force: number;
  readonly cause: string;
  readonly detail: string;
}

/** A change that the current configuration would not make. */
export interface PreviewChange {
  readonly entity: Entity;
  readonly action: Action;
  readonly key: string;
  readonly label: string;
  readonly fields: readonly { readonly field: string; readonly before: string | null; readonly after: string | null }[];
}

/** A plan under an edited configuration, compared with the plan under the current one. Both use the same data. */
export interface Preview {
  /** ISO 8601 */
  readonly at: string;
  /** Configuration paths that differ, such as `users.fields.title`. */
  readonly paths: readonly string[];
  /** Every kind of change in one of the two plans. */
  readonly counts: readonly PreviewCount[];
  readonly fields: readonly PreviewField[];
  readonly to_sources: readonly PreviewWriteBack[];
  /** Number of records that are set aside individually. */
  readonly held: PreviewNumber;
  readonly guards: readonly PreviewGuard[];
  /** Entities for which no changes can be derived, with the reason. */
  readonly stopped: readonly { readonly entity: Entity; readonly message: string }[];
  /** The sources in the preview, whether they were read again or their records were reused. */
  readonly sources: readonly { readonly source: string; readonly rows: number; readonly complete: boolean }[];
  /** The first changes; absent unless the request asked for values. */
  readonly changes?: readonly PreviewChange[];
  /** Number of further changes that are not listed. */
  readonly more?: number;
}
