import type { DocumentDelivery } from '../../config/resolve-documents.js';
import { CV_DOCUMENTS } from './cv-documents.js';
import type { DocumentKind } from './document-kind.js';
import { REFERENCE_DOCUMENTS } from './reference-documents.js';

/** Kind in the configuration → its implementation. Each further kind of document needs a row here. */
export const DOCUMENT_KINDS: Readonly<Record<DocumentDelivery['kind'], DocumentKind>> = {
  cv_documents: CV_DOCUMENTS,
  reference_documents: REFERENCE_DOCUMENTS,
};
