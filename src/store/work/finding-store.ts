import type { Entity } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import { type ObjectRow, toObserved } from '../mirror/mirror-store.js';
import { createValuePacker } from '../packed-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, eachRow } from '../statements.js';
import { isToBeLinked, unlessHeld } from './work-tables.js';

/** A pair that this run found equal. */
export interface FoundAgreement {
  readonly entity: Entity;
  readonly key: string;
  readonly base: Values;
  /** Known values of fields that no read shows. */
  readonly written: Values;
  readonly desiredHash: string;
  readonly observedHash: string;
}

/** Certain findings about a record: the matched object, that both sides are equal, or both. */
export interface CertainPair {
  readonly entity: Entity;
  readonly key: string;
  /** The matched object, which may already belong to another record; null if nothing is adopted. */
  readonly adopted: { readonly id: string; readonly isTaken: boolean } | null;
  readonly agreed: FoundAgreement | null;
}

/** Stores the findings of reconciliation that are not changes: claims, certain matches, equal pairs. */
export function createFindingStore(sqlite: Sqlite) {
  return {
    ...createClaims(sqlite),
    ...createAdoptions(sqlite),
    ...createAgreements(sqlite),
    ...createStrangers(sqlite),
  };
}

function createClaims(sqlite: Sqlite) {
  const { all, run, values } = createStatements(sqlite);
  const claim = run('INSERT OR IGNORE INTO claims VALUES ($what, $id, $key)');
  const claimants = values<string>('SELECT key FROM claims WHERE what = $what AND id = $id ORDER BY key');
  const unpin = run('INSERT OR IGNORE INTO unpinned VALUES ($entity, $key, $path, $decline)');
  return {
    /** Notes that `key` claims something unique: an object (`users`), or a field's value (`users.email`). */
    claim: (what: string, id: string, key: string) => void claim({ what, id, key }),
    claimants: (what: string, id: string) => claimants({ what, id }),
    /** Notes that a pin's source value or mapping has changed. With `decline`, notes the same for that decline. */
    unpin: (entity: Entity, key: string, path: string, decline = '') => void unpin({ entity, key, path, decline }),
    unpinned: all<{ entity: Entity; key: string; path: string }>(
      "SELECT entity, key, path FROM unpinned WHERE decline = ''",
    ),
    /** Notes that a declined cell has a different value to write back. */
    undecline: ({ scope, key, path, id }: { scope: string; key: string; path: string; id: string }) =>
      void unpin({ entity: scope, key, path, decline: id }),
    /** Declined values that the sources no longer ask for. */
    undeclined: all<{ scope: string; key: string; path: string; decline: string }>(
      "SELECT entity AS scope, key, path, decline FROM unpinned WHERE decline <> ''",
    ),
  };
}

function createAdoptions(sqlite: Sqlite) {
  const { all, one, run } = createStatements(sqlite);
  const adopt = run('INSERT OR REPLACE INTO adopted (entity, key, id, by) VALUES ($entity, $key, $id, $by)');
  const adoption = one<{ id: string; by: string }>('SELECT id, by FROM adopted WHERE entity = $entity AND key = $key');
  const adoptedBy = all<{ by: string; n: number }>(
    'SELECT by, count(*) AS n FROM adopted WHERE entity = $entity GROUP BY by ORDER BY n DESC, by',
  );
  return {
    /** @param by the key that matched, such as `external_unique_id` or `name + born_year` */
    adopt: (entity: Entity, key: string, id: string, by: string) => void adopt({ entity, key, id, by }),
    /** The object that this run matched to a record, and the key that matched; null if there is none. */
    adoption: (entity: Entity, key: string) => adoption({ entity, key }),
    adoptions: all<{ entity: Entity; key: string; id: string }>('SELECT * FROM adopted'),
    /** By entry of `match`, the number of objects that this run adopted because of it. */
    adoptedBy: (entity: Entity) => Object.fromEntries(adoptedBy({ entity }).map(({ by, n }) => [by, n])),
  };
}

interface CertainRow {
  readonly entity: Entity;
  readonly key: string;
  readonly id: string | null;
  readonly taken: number;
  readonly base: string | null;
  readonly written: string;
  readonly desiredHash: string;
  readonly observedHash: string;
}

function createAgreements(sqlite: Sqlite) {
  const { all, run } = createStatements(sqlite);
  const agree = run(
    'INSERT OR REPLACE INTO agreed VALUES ($entity, $key, $base, $written, $desiredHash, $observedHash)',
  );
  const AGREED = `g.agreed AS base, g.written, g.desired_hash AS desiredHash,
       ${unlessHeld('g', 'g.observed_hash')} AS observedHash`;
  const adopted = all<CertainRow>(
    `SELECT a.entity, a.key, a.id, EXISTS (SELECT 1 FROM state.links l
       WHERE l.entity = a.entity AND l.service_id = a.id AND l.source_key <> a.key) AS taken, ${AGREED}
     FROM adopted a LEFT JOIN agreed g ON g.entity = a.entity AND g.key = a.key
     WHERE (a.entity, a.key) > ($entity, $key) AND a.names IS NULL
       AND ${isToBeLinked('a')}
     ORDER BY a.entity, a.key LIMIT ${AT_A_TIME}`,
  );
  const linked = all<CertainRow>(
    `SELECT g.entity, g.key, NULL AS id, 0 AS taken, ${AGREED} FROM agreed g
     WHERE (g.entity, g.key) > ($entity, $key)
       AND NOT EXISTS (SELECT 1 FROM adopted a WHERE a.entity = g.entity AND a.key = g.key)
     ORDER BY g.entity, g.key LIMIT ${AT_A_TIME}`,
  );
  return {
    agree({ entity, key, base, written, desiredHash, observedHash }: FoundAgreement): void {
      const texts = { base: JSON.stringify(base), written: JSON.stringify(written) };
      agree({ entity, key, base: texts.base, written: texts.written, desiredHash, observedHash });
    },
    /** Yields all certain findings, in pages of up to `AT_A_TIME` pairs. */
    *certainPairs(): Iterable<readonly CertainPair[]> {
      for (const page of [adopted, linked]) {
        for (let rows = page({ entity: '', key: '' }); rows.length > 0; rows = page(rows.at(-1)))
          yield rows.map(toPair);
      }
    },
  };
}

/** Maximum number of pairs stored together. */
const AT_A_TIME = 2_000;

function toPair({ entity, key, id, taken, base, written, desiredHash, observedHash }: CertainRow): CertainPair {
  const adopted = id === null ? null : { id, isTaken: taken === 1 };
  if (base === null) return { entity, key, adopted, agreed: null };
  const [both, unshown] = [JSON.parse(base) as Values, JSON.parse(written) as Values];
  return { entity, key, adopted, agreed: { entity, key, base: both, written: unshown, desiredHash, observedHash } };
}

function createStrangers(sqlite: Sqlite) {
  const { all, count } = createStatements(sqlite);
  const packer = createValuePacker(sqlite);
  const STRANGERS = `FROM main.objects o WHERE o.entity = $entity AND o.active = 1
     AND NOT EXISTS (SELECT 1 FROM state.links l WHERE l.entity = o.entity AND l.service_id = o.id)
     AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.what IN (o.entity, o.entity || '.maybe', o.entity || '.left') AND c.id = o.id)`;
  const countOf = count(`SELECT count(*) ${STRANGERS}`);
  const page = all<{ id: string }>(`SELECT o.id ${STRANGERS} AND o.id > $id ORDER BY o.id LIMIT 500`);
  const some = all<ObjectRow>(`SELECT o.* ${STRANGERS} ORDER BY o.id LIMIT $samples`);
  return {
    /** Active objects that have neither a link nor a claim in this run. */
    *strangerIds(entity: Entity): Iterable<string> {
      for (const row of eachRow(({ id }) => page({ entity, id }), { id: '' })) yield row.id;
    },
    strangers(entity: Entity, samples: number): { readonly count: number; readonly samples: readonly string[] } {
      const count = countOf({ entity });
      const rows = count === 0 ? [] : some({ entity, samples });
      return { count, samples: rows.map((row) => toObserved(row, packer).label).sort() };
    },
  };
}
