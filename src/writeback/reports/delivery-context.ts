import type { Logger } from '../../base/logger.js';
import type { Config } from '../../config/config.js';
import type { OnProgress } from '../../model/progress.js';
import type { Stores } from '../../store/open-stores.js';
import type { SeenSurvey } from '../documents/document-kind.js';
import type { DeliverySetup } from './deliver-one.js';

/** What the deliveries of one run work with. */
export interface DeliveryContext {
  readonly config: Pick<Config, 'reports' | 'documents'>;
  readonly stores: Stores;
  readonly logger: Logger;
  readonly setup: DeliverySetup;
  /** Who and what started the run, for the audit. */
  readonly startedBy: string;
  /** Delivery → what the run has seen of its records. */
  readonly surveys: Map<string, SeenSurvey>;
  /** Told of each document. */
  readonly onProgress?: OnProgress | undefined;
}
