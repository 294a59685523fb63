import type { CvReportType, ReportFormat } from '../model/report-kinds.js';
import type { DropPlace } from '../settings/resolve-drop.js';

/** A report of the service that is run by a schedule of its own, and delivered as a file. */
export type DeliveredReport = CvReportDelivery | ReferenceReportDelivery;

interface DeliveryBasics {
  /** Name in the configuration. */
  readonly name: string;
  readonly format: ReportFormat;
  readonly filter: DeliveryFilter;
  /** A cron expression of five fields, and the zone it is read in. */
  readonly schedule: { readonly every: string; readonly timezone: string };
  readonly place: DropPlace;
  /** File name with `{report}`, `{date}` and `{time}`. */
  readonly fileName: string;
}

export interface CvReportDelivery extends DeliveryBasics {
  readonly kind: 'cv';
  readonly type: CvReportType;
  /** Empty: all languages of the account. */
  readonly languages: readonly string[];
  /** An office, or all of a country where `name` is null; empty: everybody. */
  readonly offices: readonly { readonly country: string; readonly name: string | null }[];
}

export interface ReferenceReportDelivery extends DeliveryBasics {
  readonly kind: 'reference';
  readonly stage: 'all' | 'draft' | 'ready_for_review' | 'live';
  /** Only projects of which the key's user is an owner. */
  readonly owned: boolean;
}

/** All of it must match. */
export interface DeliveryFilter {
  /** Each somewhere in the record, as a part of it. */
  readonly text: readonly string[];
  /** Field → part of its value; one of them is enough. */
  readonly anyField: Readonly<Record<string, string>>;
  /** Exact names. */
  readonly skills: readonly string[];
  /** External ids of category and tag. */
  readonly tags: readonly { readonly category: string; readonly tag: string }[];
}
