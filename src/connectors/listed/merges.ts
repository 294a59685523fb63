import type { Json } from '../../model/json.js';
import type { ListedStreamConfig } from './listed-stream.js';

/** A merge that a row shows. It names the record that the row was merged into, or the records that were merged into the row. */
export type Merge = { readonly into: string } | { readonly from: readonly string[] };

/** The sign by which a vendor shows merged records. */
export interface MergeSign {
  /** The kinds of objects that people can merge; null for all kinds. */
  readonly objects: ReadonlySet<string> | null;
  /** The properties to request in addition to the columns. */
  readonly properties: readonly string[];
  read(row: Readonly<Record<string, Json>>): Merge | null;
}

export function isId(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

/** Lists the properties that show merges, if they are requested. */
export function listMergeProperties(
  { path, merges }: Pick<ListedStreamConfig, 'path' | 'merges'>,
  sign: MergeSign | undefined,
): readonly string[] {
  return sign === undefined || merges === false || sign.objects?.has(path) === false ? [] : sign.properties;
}
