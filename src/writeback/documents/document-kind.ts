import type { DocumentDelivery } from '../../config/resolve-documents.js';
import type { DocumentWords } from '../../model/document-kinds.js';
import type { EndpointName } from '../../service/endpoints.js';
import type { ServiceFile } from '../../service/service-file.js';
import type { DeliveryTools } from '../reports/deliverable.js';

export type SurveyTools = Omit<DeliveryTools, 'onPoll'>;

/** A matching record, as listed by the service. */
export interface ListedRecord {
  /** Id in the service: of the user or of the project. */
  readonly key: string;
  /** Changes with every change of the record. */
  readonly stamp: string;
  /** Words for the file name. */
  readonly words: DocumentWords;
  /** Makes one call, which counts against the limit of downloads. */
  fetch(): Promise<ServiceFile>;
}

/** All matching records at one point in time. */
export interface Survey {
  readonly listed: readonly ListedRecord[];
  /** True if the list is complete. Only then may a record that is missing from it be gone. */
  readonly isWhole: boolean;
  /** Endpoint template → calls made. */
  readonly calls: Readonly<Record<string, number>>;
}

/** A survey, and the number of writes the run had sent by then. */
export interface SeenSurvey {
  readonly sent: number;
  readonly survey: Survey;
}

/** Result of checking a record that a complete list left out. */
export type AbsenceProof = 'gone' | 'unproven' | 'there';

/** The differences between the kinds of documents. Naming, storing, remembering and removing work the same for all. */
export interface DocumentKind {
  /** Label for messages and the audit log: `cv documents`. */
  readonly of: string;
  /** Entity of the records, for the audit log and for erasure. */
  readonly entity: 'users' | 'projects';
  readonly endpoint: (delivery: DocumentDelivery) => EndpointName;
  survey(delivery: DocumentDelivery, tools: SurveyTools): Promise<Survey>;
  proveAbsence(key: string, delivery: DocumentDelivery, tools: SurveyTools): Promise<AbsenceProof>;
}
