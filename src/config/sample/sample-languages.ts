/** The languages of headers and titles that are known, as the service names them. */
export const LANGUAGES = ['en', 'de', 'no', 'sv', 'da', 'fi', 'nl', 'fr', 'es', 'pt', 'it', 'pl'] as const;
export type SampleLanguage = (typeof LANGUAGES)[number];
