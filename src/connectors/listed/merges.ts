import type { Json } from '../../model/json.js';
import type { ListedStreamConfig } from './listed-stream.js';

/** What a row says of a merge: the record that it went into, or those that went into it. */
export type Merge = { readonly into: string } | { readonly from: readonly string[] };

/** How a vendor shows that people have merged records. */
export interface MergeSign {
  /** Kinds of objects that the vendor lets people merge; null: any. */
  readonly objects: ReadonlySet<string> | null;
  /** Asked for besides the columns. */
  readonly properties: readonly string[];
  read(row: Readonly<Record<string, Json>>): Merge | null;
}

export function isId(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

/** The properties that show merges, where they are asked for. */
export function listMergeProperties(
  { path, merges }: Pick<ListedStreamConfig, 'path' | 'merges'>,
  sign: MergeSign | undefined,
): readonly string[] {
  return sign === undefined || merges === false || sign.objects?.has(path) === false ? [] : sign.properties;
}
