import type { Logger } from '../../base/logger.js';
import type { Config } from '../../config/config.js';
import type { OnProgress } from '../../model/progress.js';
import type { Stores } from '../../store/open-stores.js';
import type { SeenSurvey } from '../documents/document-kind.js';
import type { DeliverySetup } from './deliver-one.js';

export interface DeliveryContext {
  readonly config: Pick<Config, 'reports' | 'documents'>;
  readonly stores: Stores;
  readonly logger: Logger;
  readonly setup: DeliverySetup;
  /** The person or program that started the run, for the audit log. */
  readonly startedBy: string;
  /** Delivery → the survey of its records in this run. */
  readonly surveys: Map<string, SeenSurvey>;
  /** Called once for each document. */
  readonly onProgress?: OnProgress | undefined;
}
