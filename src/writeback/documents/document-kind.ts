import type { DocumentDelivery } from '../../config/resolve-documents.js';
import type { DocumentWords } from '../../model/document-kinds.js';
import type { EndpointName } from '../../service/endpoints.js';
import type { ServiceFile } from '../../service/service-file.js';
import type { DeliveryTools } from '../reports/deliverable.js';

/** What looking for documents needs. */
export type SurveyTools = Omit<DeliveryTools, 'onPoll'>;

/** A record that matches, as the service lists it. */
export interface ListedRecord {
  /** Id in the service: of the user, or of the project. */
  readonly key: string;
  /** When it changed last; another one for each change. */
  readonly stamp: string;
  /** For the name of its file. */
  readonly words: DocumentWords;
  /** One call, which counts against the limit of downloads. */
  fetch(): Promise<ServiceFile>;
}

/** All records that match, at one time. */
export interface Survey {
  readonly listed: readonly ListedRecord[];
  /** Whether the list is all there is: only then a record that is not in it may be gone. */
  readonly isWhole: boolean;
  /** Endpoint template → calls that it took. */
  readonly calls: Readonly<Record<string, number>>;
}

/** A survey, and how many writes the run had sent when it was made. */
export interface SeenSurvey {
  readonly sent: number;
  readonly survey: Survey;
}

/** What becomes of a record that a whole list left out, as far as a look at it alone shows. */
export type AbsenceProof = 'gone' | 'unproven' | 'there';

/** What differs between the kinds; how documents are named, fetched, laid, remembered and removed is the same for all. */
export interface DocumentKind {
  /** For people and the audit: `cv documents`. */
  readonly of: string;
  /** Of what the records are, for the audit and an erasure. */
  readonly entity: 'users' | 'projects';
  readonly endpoint: (delivery: DocumentDelivery) => EndpointName;
  survey(delivery: DocumentDelivery, tools: SurveyTools): Promise<Survey>;
  proveAbsence(key: string, delivery: DocumentDelivery, tools: SurveyTools): Promise<AbsenceProof>;
}
