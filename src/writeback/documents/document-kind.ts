import type { DocumentDelivery } from '../../config/resolve-documents.js';
import type { DocumentWords } from '../../model/document-kinds.js';
import type { EndpointName } from '../../service/endpoints.js';
import type { ServiceFile } from '../../service/service-file.js';
import type { DeliveryTools } from '../reports/deliverable.js';

export type SurveyTools = Omit<DeliveryTools, 'onPoll'>;

/** A matching record, as listed by the service. */
export interface ListedRecord {
  /** The id of the user or project in the service. */
  readonly key: string;
  /** A value that differs after every change of the record. */
  readonly stamp: string;
  /** Words for the file name. */
  readonly words: DocumentWords;
  /** Downloads the document with one call, which counts towards the download limit. */
  fetch(): Promise<ServiceFile>;
}

/** All matching records at one point in time. */
export interface Survey {
  readonly listed: readonly ListedRecord[];
  /** True if the list is complete. Only a complete list can show that a missing record is gone. */
  readonly isWhole: boolean;
  /** Endpoint template → calls made. */
  readonly calls: Readonly<Record<string, number>>;
}

/** A survey, and the number of writes that the run had sent before it. */
export interface SeenSurvey {
  readonly sent: number;
  readonly survey: Survey;
}

/** The result of checking a record that is missing from a complete list. */
export type AbsenceProof = 'gone' | 'unproven' | 'there';

/**
 * The functions that differ between the kinds of documents. Naming, storing, remembering and removing are the same for
 * all kinds.
 */
export interface DocumentKind {
  /** The label for messages and the audit log, such as `cv documents`. */
  readonly of: string;
  /** The entity of the records, for the audit log and for erasure. */
  readonly entity: 'users' | 'projects';
  readonly endpoint: (delivery: DocumentDelivery) => EndpointName;
  survey(delivery: DocumentDelivery, tools: SurveyTools): Promise<Survey>;
  proveAbsence(key: string, delivery: DocumentDelivery, tools: SurveyTools): Promise<AbsenceProof>;
}
