/** Where a value comes from, precise enough to find it: a file and line, or a URL and position. */
export interface Place {
  /** Name of the source in the configuration, with the stream if the source has several: `hr`, `crm.deals`. */
  readonly source: string;
  /** Path of the file, or URL of the page, without credentials. */
  readonly at: string;
  /**
   * Line of the record's first character, counted from 1. In JSON documents, the position in the list of rows, counted from 1.
   */
  readonly line?: number;
}

/** `hr employees-2025.csv:17` */
export function formatPlace(place: Place): string {
  const at = place.at.replace(/^.*\//, '');
  return `${place.source} ${at}${place.line === undefined ? '' : `:${place.line}`}`;
}
