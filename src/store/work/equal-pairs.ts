import type { Entity } from '../../model/entity.js';
import type { Json, Values } from '../../model/json.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, eachRow } from '../statements.js';
import { isToBeLinked, unlessHeld } from './work-tables.js';

/** An unlinked record and the object that equals it to the letter. */
export interface EqualPair {
  readonly entity: Entity;
  readonly key: string;
  readonly id: string;
  /** The entry of `match` by which they were matched. */
  readonly by: string;
  /** The values of the record, in the order in which they are staged. */
  readonly values: Values;
  /** The ids that both sides agree on in addition. */
  readonly ids: Values;
}

/** Equal pairs to be linked together. */
export interface EqualPairs {
  readonly entity: Entity;
  /** The names of the values of each base, by their position in `pairs`. */
  readonly names: readonly (readonly string[])[];
  /**
   * JSON: `[key, id, position in names, base without its names, desired hash, observed hash]` of each pair. A base
   * without names is the end of a packed text, as in `,"E10","jane@example.com"]`.
   */
  readonly pairs: string;
}

/** How many equal pairs were matched by one key. */
export interface EqualCount {
  readonly by: string;
  readonly count: number;
  readonly names: readonly string[];
}

/** True for a record that was adopted as equal. It needs neither a comparison nor a copy of its values. */
export const isEqualPair = (of: string): string =>
  `EXISTS (SELECT 1 FROM adopted a WHERE a.entity = ${of}.entity AND a.key = ${of}.key AND a.names IS NOT NULL)`;

/** Number of pairs that are stored or linked together. */
const AT_A_TIME = 1_000;

/** Stores the pairs that a run finds equal at first contact, in batches. */
export function createEqualPairs(sqlite: Sqlite) {
  const { all, run, value } = createStatements(sqlite);
  const addAll = run(`INSERT OR REPLACE INTO adopted (entity, key, id, by, names, tail)
    SELECT p.value ->> 0, p.value ->> 1, p.value ->> 2, p.value ->> 3, p.value ->> 4, p.value ->> 5 FROM json_each($pairs) p`);
  const claimAll = run(`INSERT OR IGNORE INTO claims (what, key, id)
    SELECT p.value ->> 0, p.value ->> 1, p.value ->> 2 FROM json_each($pairs) p`);
  const dropClaimed = run(`DELETE FROM adopted WHERE entity = $entity AND names IS NOT NULL AND key IN (
    SELECT c.key FROM claims c WHERE c.what = $entity AND c.id IN
      (SELECT d.id FROM claims d WHERE d.what = $entity GROUP BY d.id HAVING count(*) > 1))`);
  const counts = all<{ by: string; names: number; count: number }>(
    `SELECT by, names, count(*) AS count FROM adopted WHERE entity = $entity AND names IS NOT NULL GROUP BY by, names`,
  );
  const isOf = value<number>(
    `SELECT 1 FROM claims a WHERE a.what = $entity AND a.id = $id
       AND EXISTS (SELECT 1 FROM adopted b WHERE b.entity = a.what AND b.key = a.key AND b.names IS NOT NULL)`,
  );
  const page = all<{ key: string; pairs: string }>(
    `SELECT max(a.key) AS key, json_group_array(json_array(a.key, a.id, a.names,
       substr(s.body, instr(s.body, ','), length(s.body) - instr(s.body, ',')) || a.tail, s.hash,
       ${unlessHeld('a', 'o.hash')})) AS pairs
     FROM (SELECT * FROM adopted b WHERE b.entity = $entity AND b.key > $key AND b.names IS NOT NULL
         AND ${isToBeLinked('b')}
       ORDER BY b.key LIMIT ${AT_A_TIME}) a
     CROSS JOIN staged_rows s ON s.entity = a.entity AND s.key = a.key
     CROSS JOIN main.objects o ON o.entity = a.entity AND o.id = a.id HAVING count(*) > 0`,
  );
  /** The lists of names that were met, by their position. */
  const lists: (readonly string[])[] = [];
  const positions = new Map<string, number>();
  let unsaved: (readonly [entity: Entity, key: string, id: string, by: string, names: number, tail: string])[] = [];

  function positionOf(names: readonly string[]): number {
    const text = names.join('\n');
    const known = positions.get(text) ?? lists.push(names) - 1;
    positions.set(text, known);
    return known;
  }

  function save(): void {
    const pairs = JSON.stringify(unsaved);
    addAll({ pairs });
    claimAll({ pairs });
    unsaved = [];
  }

  return {
    /** Forgets the pairs of a run that was stopped. */
    forgetEqual(): void {
      unsaved = [];
    },
    /** Notes an equal pair, and the claim of the record on the object. */
    adoptEqual({ entity, key, id, by, values, ids }: EqualPair): void {
      const names = positionOf([...Object.keys(values), ...Object.keys(ids)]);
      const more = Object.values(ids).map((one: Json) => `,${JSON.stringify(one)}`);
      unsaved.push([entity, key, id, by, names, `${more.join('')}]`]);
      if (unsaved.length === AT_A_TIME) save();
    },
    /** Stores the noted pairs, and forgets those with an object that another record claims too. */
    dropClaimed(entity: Entity): void {
      save();
      dropClaimed({ entity });
    },
    equalCounts: (entity: Entity): readonly EqualCount[] =>
      counts({ entity }).map(({ by, names, count }) => ({ by, count, names: lists[names] ?? [] })),
    /** True if the object belongs to an equal pair. */
    isInEqualPair: (entity: Entity, id: string) => isOf({ entity, id }) !== null,
    /** Yields all equal pairs of an entity, page by page. */
    *equalPairs(entity: Entity): Iterable<EqualPairs> {
      for (const { pairs } of eachRow(({ key }) => page({ entity, key }), { key: '' }))
        yield { entity, names: lists, pairs };
    },
  };
}
