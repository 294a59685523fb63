/** The setting `maps`: name → word in a source → its replacement. */
export type LookupMaps = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const NO_MAPS: LookupMaps = Object.freeze({});
