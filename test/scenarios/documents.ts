import type { DeclinedChange } from '../../src/model/decline.js';
import type { DeliveryResult, DueDelivery } from '../../src/model/delivery.js';
import type { NamedHold } from '../../src/model/desired.js';
import type { Failure } from '../../src/model/failure.js';
import type { AdoptionReport, BulkLoad, Cost, Counts, GuardTrip } from '../../src/model/plan.js';

/** The documents of `--json`, as named in section 6 of the design. */
export interface PlanDocument {
  readonly plan: string;
  readonly file: string;
  readonly fingerprint: string;
  readonly expires: string;
  readonly counts: Counts;
  readonly cost: Cost;
  readonly held: readonly NamedHold[];
  readonly guards: readonly GuardTrip[];
  readonly declined?: readonly DeclinedChange[];
  readonly bulk_load?: BulkLoad;
  readonly conflicts: readonly unknown[];
  readonly deliveries?: readonly DueDelivery[];
  /** By source. */
  readonly to_sources?: Readonly<Record<string, { readonly records: number; readonly cells: number }>>;
  readonly adoption?: readonly AdoptionReport[];
  readonly errors?: readonly { readonly source: string; readonly error: ErrorDocument }[];
}
export interface RunDocument {
  readonly run: string;
  readonly plan: string;
  readonly counts: Counts;
  readonly calls: { readonly reads: number; readonly writes: number };
  readonly done: number;
  readonly failed: readonly Failure[];
  readonly held: readonly NamedHold[];
  readonly guards: readonly GuardTrip[];
  readonly declined?: readonly DeclinedChange[];
  readonly conflicts: readonly NamedHold[];
  readonly deliveries?: readonly DeliveryResult[];
  readonly left: number;
  readonly to_sources?: Readonly<Record<string, number>>;
  readonly near_misses?: number;
  readonly stopped: string | null;
  readonly left_out?: readonly { readonly id: string; readonly label: string; readonly because: string }[];
  readonly seconds: number;
  readonly errors?: readonly { readonly source: string; readonly error: ErrorDocument }[];
}
/** The outcome of an undo; with `unpin`, what was forgotten. */
export interface UndoDocument extends RunDocument {
  readonly undoes: string;
  readonly unpinned: readonly { readonly key: string; readonly path: string }[];
}
export interface ErrorDocument {
  readonly code: string;
  readonly message: string;
  readonly place: string | null;
  readonly remedy: string;
}
export interface Verified {
  readonly ok: boolean;
  readonly entries: number;
  readonly head: string;
}

/** The result of a command: its exit code, its one document, and its stderr. */
export interface Ran<T> {
  readonly code: number;
  readonly json: T;
  /** The document of a command that could not run. */
  readonly error: ErrorDocument | undefined;
  readonly stderr: string;
}

/** A user as `state()` shows it. */
export interface UserState {
  readonly email: string;
  readonly external_unique_id: string | null;
  readonly upn?: string | null;
  readonly name: string;
  readonly telephone: string | null;
  readonly landline: string | null;
  readonly title: Readonly<Record<string, string>>;
  readonly office: string;
  readonly roles: readonly string[];
  readonly role_allowed_offices: readonly string[];
  readonly role_allowed_tags: readonly string[];
  readonly tags: readonly string[];
  readonly deactivated: boolean;
}
export interface ProjectState {
  readonly external_unique_id: string;
  readonly project_name: Readonly<Record<string, string>>;
  readonly workflow_stage: string;
  readonly owners: readonly string[];
}
export interface CustomerState {
  readonly external_unique_id: string | null;
  readonly customer_name: Readonly<Record<string, string>>;
  readonly customer_url: string | null;
  /** Its names; null if it has no industry. */
  readonly industry: Readonly<Record<string, string>> | null;
  readonly projects: readonly ProjectState[];
}

export interface BackupDocument {
  readonly file: string;
  readonly bytes: number;
  readonly account: string | null;
  readonly links: number;
  readonly open_intents: number;
  readonly audit: { readonly entries: number; readonly head: string | null };
}
