/** The formats of a CV or a reference (spec, Document export). */
export const DOCUMENT_FORMATS = ['pdf', 'docx', 'pptx'] as const;
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];

/** Kind of document → the words that its file names may contain in braces. */
export const DOCUMENT_WORDS = {
  cv_documents: ['name', 'id', 'external_id', 'email', 'country', 'office'],
  reference_documents: ['name', 'id', 'external_id', 'customer'],
} as const;
export type DocumentKindName = keyof typeof DOCUMENT_WORDS;
/** Word in a file name → its value. */
export type DocumentWords = Readonly<Record<string, string>>;
