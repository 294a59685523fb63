import { isJsonObject, type Json } from '../../model/json.js';
import type { KnownRows, TakeBatch } from '../connector.js';
import type { ListedRow } from '../listing/listed-connector.js';
import type { Merge, MergeSign } from './merges.js';

/**
 * Remembers the surviving record of each merged record, also from reads of changes, which show a merge only once. A
 * merged record counts as deleted. Some vendors no longer list it, so only the survivor shows the merge.
 */
export function rememberMerges(rows: KnownRows, sign: MergeSign | undefined) {
  const merged = new Map<string, string>(JSON.parse(rows.mark('merged') ?? '[]') as readonly [string, string][]);
  const readMerge = (row: Json): Merge | null => (isJsonObject(row) ? (sign?.read(row) ?? null) : null);
  const fresh = new Set<string>();
  let isSaved = true;
  const put = (from: string, into: string): void => {
    if (merged.get(from) === into) return;
    merged.set(from, into);
    fresh.add(from);
    isSaved = false;
  };
  /** Forgets a merge, because the record is listed as active again. */
  const takeBack = (id: string): void => {
    if (merged.delete(id)) isSaved = false;
  };
  return {
    /** The known rows. Merges are saved with the rows that show them, before those rows count as read. */
    rows: {
      ...rows,
      keep(...batch: Parameters<KnownRows['keep']>): void {
        rows.keep(...batch);
        if (isSaved) return;
        rows.bury([...fresh]);
        rows.setMark('merged', JSON.stringify([...merged]));
        fresh.clear();
        isSaved = true;
      },
    },
    /** Notes a merge that a row shows. A merged record that is still listed as inactive counts as deleted, like any other. */
    note(row: Json, listed: ListedRow): ListedRow {
      const { id, made } = listed;
      const merge = readMerge(row);
      if (id === null) return listed;
      if (merge === null) {
        if (made !== null) takeBack(id);
        return listed;
      }
      if ('from' in merge) {
        for (const from of merge.from) put(from, id);
        return listed;
      }
      put(id, merge.into);
      return merge.into === id ? listed : { ...listed, made: null };
    },
    take(take: TakeBatch): void {
      if (merged.size === 0) return;
      take({ records: [], rejected: [], merged: [...merged].map(([from, into]) => ({ from, into })) });
    },
  };
}
