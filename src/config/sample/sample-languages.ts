/** Languages of headers and titles that `init` recognises, with the codes of the service. */
export const LANGUAGES = ['en', 'de', 'no', 'sv', 'da', 'fi', 'nl', 'fr', 'es', 'pt', 'it', 'pl'] as const;
export type SampleLanguage = (typeof LANGUAGES)[number];
