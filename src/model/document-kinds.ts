/** As what a CV or a reference can be rendered (spec, Document export). */
export const DOCUMENT_FORMATS = ['pdf', 'docx', 'pptx'] as const;
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];

/** What is delivered as documents → the words that may stand in braces in the names of its files. */
export const DOCUMENT_WORDS = {
  cv_documents: ['name', 'id', 'external_id', 'email', 'country', 'office'],
  reference_documents: ['name', 'id', 'external_id', 'customer'],
} as const;
export type DocumentKindName = keyof typeof DOCUMENT_WORDS;
/** Word in a file name → what stands for it. */
export type DocumentWords = Readonly<Record<string, string>>;
