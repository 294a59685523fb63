import type { Entity } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import { keyValues, type Observed } from '../../model/observed.js';
import { createValuePacker } from '../packed-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';
import { type ObjectRow, toObserved } from './mirror-store.js';
import { kindOf } from './object-keys.js';

/** Number of records per query. */
const PAGE = 500;
/** If a key matches this many objects, as a year of birth may, each record is queried on its own. */
const MOST_FOUND = 10 * PAGE;

/** The parts of a record by which its object is found. */
export interface Searched {
  readonly values: Values;
  readonly linkedId: string | null;
}

interface Page {
  readonly entity: Entity;
  readonly records: readonly Searched[];
  /** Maps the name of a key to its values, and each value to the ids of the objects that have it. */
  readonly ids: Map<string, ReadonlyMap<string, readonly string[]>>;
  /** Ids of objects to load: they are linked, or the only match. */
  wanted: string[];
  readonly objects: Map<string, { readonly object: Observed; readonly linkedKey: string | null }>;
}

/**
 * Queries mirror and links for all records of a page together. Separate queries for each record take twice the time.
 * The results are valid until either is written. `undefined` means unknown.
 */
export function createObjectsAhead(sqlite: Sqlite) {
  const { all } = createStatements(sqlite);
  const packer = createValuePacker(sqlite);
  const find = all<{ at: number; id: string }>(
    `SELECT v.key AS at, o.id FROM json_each($values) v
     CROSS JOIN object_keys k ON k.kind = (SELECT t.id FROM shared_texts t WHERE t.text = $kind) AND k.value = v.value
     CROSS JOIN objects o ON o.seq = k.object LIMIT ${MOST_FOUND}`,
  );
  const get = all<ObjectRow & { readonly linkedKey: string | null }>(
    `SELECT o.*, l.source_key AS linkedKey
     FROM json_each($ids) v CROSS JOIN objects o ON o.entity = $entity AND o.id = v.value
     LEFT JOIN state.links l ON l.entity = o.entity AND l.service_id = o.id`,
  );
  let page: Page | null = null;

  function findAll(name: string, { entity, records, wanted }: Page): ReadonlyMap<string, readonly string[]> {
    const values = [...new Set(records.flatMap(({ values }) => keyValues(values[name])))];
    const rows = find({ kind: kindOf(entity, name), values: JSON.stringify(values) });
    if (rows.length === MOST_FOUND) return new Map();
    const found = new Map<string, string[]>(values.map((value) => [value, []]));
    for (const { at, id } of rows) found.get(values[at] ?? '')?.push(id);
    for (const ids of found.values()) {
      if (ids.length === 1) wanted.push(...ids);
      else ids.sort();
    }
    return found;
  }

  function getAll({ entity, wanted, objects }: Page): void {
    for (const row of get({ entity, ids: JSON.stringify(wanted.splice(0)) }))
      objects.set(row.id, { object: toObserved(row, packer), linkedKey: row.linkedKey });
  }

  return {
    /** Yields the same items, page by page. */
    *inPages<T>(entity: Entity, items: Iterable<T>, searchedBy: (item: T) => Searched): Iterable<T> {
      try {
        for (const together of pagesOf(items)) {
          const records = together.map(searchedBy);
          const wanted = records.flatMap(({ linkedId }) => linkedId ?? []);
          page = { entity, records, ids: new Map(), wanted, objects: new Map() };
          yield* together;
        }
      } finally {
        page = null;
      }
    },
    /** Ids of objects with a key. The value must have the form in which keys are stored. */
    ids(entity: Entity, name: string, value: string): readonly string[] | undefined {
      if (page?.entity !== entity) return undefined;
      const found = page.ids.get(name) ?? findAll(name, page);
      page.ids.set(name, found);
      return found.get(value);
    },
    /** The object with this id, and the key of its linked record. */
    object(entity: Entity, id: string) {
      if (page?.entity !== entity) return undefined;
      if (page.wanted.length > 0) getAll(page);
      return page.objects.get(id);
    },
  };
}

function* pagesOf<T>(items: Iterable<T>): Iterable<readonly T[]> {
  let page: T[] = [];
  for (const item of items) {
    page.push(item);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  yield page;
}
