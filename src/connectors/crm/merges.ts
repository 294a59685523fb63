import { isJsonObject, type Json } from '../../model/json.js';
import type { CrmDialect, CrmFeedConfig } from './feed-config.js';

/** What a row says of a merge: the record that it went into, or those that went into it. */
export type Merge = { readonly into: string } | { readonly from: readonly string[] };

interface MergeSign {
  /** Kinds of objects that the vendor lets people merge; null: any. */
  readonly objects: ReadonlySet<string> | null;
  /** What has to be asked for besides the columns. */
  readonly properties: readonly string[];
  read(row: Readonly<Record<string, Json>>): Merge | null;
}

/**
 * How vendors tell of records that people have merged. Of HubSpot the survivor names those that went into it, and has a new
 * id itself; of the others the one that is gone names the survivor.
 */
const SIGNS: Readonly<Partial<Record<CrmDialect, MergeSign>>> = {
  hubspot: {
    objects: null,
    properties: ['hs_merged_object_ids'],
    read({ id, properties }) {
      const text = isJsonObject(properties) ? properties.hs_merged_object_ids : null;
      const from = typeof text === 'string' ? text.split(/[;,]/).map((one) => one.trim()) : [];
      const others = from.filter((one) => one !== '' && one !== id);
      return others.length === 0 ? null : { from: others };
    },
  },
  salesforce: {
    objects: new Set(['Account', 'Contact', 'Lead', 'Case']),
    properties: ['MasterRecordId'],
    read: ({ MasterRecordId: into }) => (isId(into) ? { into } : null),
  },
  dynamics: {
    objects: new Set(['accounts', 'contacts', 'leads', 'incidents']),
    properties: ['merged', '_masterid_value'],
    read({ merged, _masterid_value: master, masterid }) {
      const into = isId(master) ? master : masterid;
      return merged === true && isId(into) ? { into } : null;
    },
  },
};

function isId(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}

/** Properties that tell of merges and no column asks for. */
export function listMergeProperties({
  dialect,
  path,
  merges,
}: Pick<CrmFeedConfig, 'dialect' | 'path' | 'merges'>): readonly string[] {
  const sign = SIGNS[dialect];
  return sign === undefined || merges === false || sign.objects?.has(path) === false ? [] : sign.properties;
}

/** What a row of a feed says of a merge; null where it says nothing. */
export function readMerge({ dialect }: Pick<CrmFeedConfig, 'dialect'>, row: Json): Merge | null {
  return isJsonObject(row) ? (SIGNS[dialect]?.read(row) ?? null) : null;
}
