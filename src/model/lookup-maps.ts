/** `maps:` of the configuration: name → word of a source → what it stands for. */
export type LookupMaps = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const NO_MAPS: LookupMaps = Object.freeze({});
