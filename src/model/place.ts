/** Where a value came from, precise enough to open it: a file and line, or a URL and position. */
export interface Place {
  /** Name of the source in the configuration, with the stream if it has several: `hr`, `crm.deals`. */
  readonly source: string;
  /** Path of the file, or URL of the page, without credentials. */
  readonly at: string;
  /** 1-based line of the record's first character; in JSON documents the 1-based position in the list of rows. */
  readonly line?: number;
}

/** `hr employees-2025.csv:17` */
export function formatPlace(place: Place): string {
  const at = place.at.replace(/^.*\//, '');
  return `${place.source} ${at}${place.line === undefined ? '' : `:${place.line}`}`;
}
