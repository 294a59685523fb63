import type { Backing, Desired, Left } from '../../model/desired.js';
import type { Entity } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import { labelOf } from '../../model/label.js';
import { foldKey } from '../../model/observed.js';
import type { Place } from '../../model/place.js';
import { identityFields, type RawRow } from '../../model/raw-text.js';
import { kindOf } from '../mirror/object-keys.js';
import { createValuePacker, packedValue, type ValuePacker } from '../packed-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, eachRow } from '../statements.js';
import { isEqualPair } from './equal-pairs.js';
import type { SeenStaging } from './known-rows.js';

export interface StagedColumns {
  readonly row: number;
  readonly source: string;
  readonly key: string;
  readonly state: string;
  readonly body: string;
  readonly preference: number | string | null;
  readonly back: string | null;
  readonly starts: string | null;
}

/** A record that the previous run staged. */
export interface EarlierRecord {
  readonly key: string;
  readonly state: string;
  /** The stream. */
  readonly source: string;
  /** The first day of a person who starts later, in ISO 8601. */
  readonly starts: string | null;
  /** The date since which a leaver has left, according to the source. */
  readonly left: Left | null;
  /** Null if the row could not be used. */
  readonly values: Values | null;
  readonly label: string | null;
}

interface StoredEarlier extends Pick<EarlierRecord, 'key' | 'state' | 'source' | 'starts'> {
  readonly body: string | null;
}

/** A record with values. Its state is the state of its row, such as `desired`, `early`, `leaver` or `out`. */
export interface StagedRecord {
  readonly key: string;
  readonly state: string;
  /** True if the person may not be a colleague (`users.doubtful`). */
  readonly doubtful: boolean;
  readonly label: string;
  readonly values: Values;
}

/** The columns of `staged s` that make up a record. */
export const STAGED_COLUMNS = 's.rowid AS row, s.source, s.key, s.state, s.body, s.preference, s.back, s.starts';

/** Unpacks the values of staged rows and finds their places. */
export interface RowReading {
  readonly packer: ValuePacker;
  readonly placeOf: SeenStaging['placeOf'];
}

export function toDesired(entity: Entity, row: StagedColumns, { packer, placeOf }: RowReading): Desired {
  return {
    entity,
    key: row.key,
    place: placeOf(row.row, row.source),
    values: packer.unpack(row.body),
    leaver: row.state === 'leaver',
    early: row.state === 'early',
    ...(row.state === 'early' && row.starts !== null ? { starts: row.starts } : {}),
    preference: row.preference,
    ...leftOf(row),
    ...(row.back === null ? {} : { writeBack: JSON.parse(row.back) as Backing }),
  };
}

/** Versions before 0.3 stored the first day of some leavers there. */
function leftOf({ state, starts }: Pick<StagedColumns, 'state' | 'starts'>): Pick<Desired, 'left'> {
  return state === 'leaver' && starts?.startsWith('{') === true ? { left: JSON.parse(starts) as Left } : {};
}

/** Looks up individual records of this run. */
export function createStagedLookup(sqlite: Sqlite, { placeOf }: SeenStaging) {
  const { all, any, one, value, values } = createStatements(sqlite);
  const packer = createValuePacker(sqlite);
  const reading = { packer, placeOf };
  // `+` makes SQLite use the index of other states instead of the index of all keys.
  const duplicates = all<{ key: string; place: string }>(
    `SELECT key, place FROM staged WHERE entity = $entity AND state = 'duplicate' AND state NOT IN ('desired', 'leaver')
     ORDER BY +key`,
  );
  const stateOf = value<string>('SELECT state FROM staged WHERE entity = $entity AND key = $key');
  const select = one<Omit<StagedColumns, 'body'> & { readonly body: string | null }>(
    `SELECT ${STAGED_COLUMNS} FROM staged s WHERE s.entity = $entity AND s.key = $key`,
  );
  const findIn = (table: string) =>
    values<string>(
      `SELECT key FROM ${table} WHERE entity = $entity AND $words IN (lower(key), lower(${packedValue('body', 'email')}),
       lower(${packedValue('body', 'external_unique_id')}), lower(${packedValue('body', 'name')}))
     ORDER BY key LIMIT 20`,
    );
  const [find, findBefore] = [findIn('staged'), findIn('main.staged_rows')];
  const records = all<StagedColumns>(
    `SELECT ${STAGED_COLUMNS} FROM staged s WHERE s.entity = $entity AND s.key > $key AND s.body IS NOT NULL
       AND s.state <> 'duplicate' AND NOT ($butEqual AND ${isEqualPair('s')}) ORDER BY s.key LIMIT 500`,
  );
  const recordBefore = one<Omit<StoredEarlier, 'key'>>(
    'SELECT state, source, starts, body FROM main.staged_rows WHERE entity = $entity AND key = $key',
  );
  const recordsBefore = all<StoredEarlier>(
    `SELECT key, state, source, starts, body FROM main.staged_rows WHERE entity = $entity AND key > $key ORDER BY key LIMIT 500`,
  );
  function toEarlier(entity: Entity, { key, state, source, starts, body }: StoredEarlier): EarlierRecord {
    const values = body === null ? null : packer.unpack(body);
    const label = values === null ? null : labelOf(entity, key, values);
    const { left = null } = leftOf({ state, starts });
    return { key, state, source, starts: state === 'early' ? starts : null, left, values, label };
  }
  const standsFor = any(
    `SELECT 1 FROM state.links l WHERE l.entity = $entity
       AND (l.source_key = $cell OR l.service_id IN
         (SELECT o.id FROM json_each($kinds) kind JOIN main.shared_texts t ON t.text = kind.value
            JOIN main.object_keys k ON k.kind = t.id AND k.value = $folded JOIN main.objects o ON o.seq = k.object))
       AND NOT EXISTS (SELECT 1 FROM staged s WHERE s.entity = l.entity AND s.key = l.source_key
         AND s.state NOT IN ('held', 'duplicate', 'gone')) LIMIT 1`,
  );
  const desiredAfter = all<StagedColumns>(
    `SELECT s.rowid AS row, s.source, s.key, s.state, s.body, s.preference, NULL AS back FROM staged s
     WHERE s.entity = $entity AND s.key > $key AND s.state = 'desired' ORDER BY s.key LIMIT $limit`,
  );
  return {
    duplicates: (entity: Entity) =>
      duplicates({ entity }).map(({ key, place }) => ({ key, places: JSON.parse(`[${place}]`) as Place[] })),
    /** True if a source delivered a record with that key, even an unused one. Deleted records do not count. */
    isStaged: (entity: Entity, key: string) => (stateOf({ entity, key }) ?? 'gone') !== 'gone',
    stagedByKey(entity: Entity, key: string): { readonly state: string; readonly desired: Desired | null } | null {
      const row = select({ entity, key });
      if (row === null) return null;
      const { state, body } = row;
      const isUsed = body !== null && state !== 'duplicate';
      return { state, desired: isUsed ? toDesired(entity, { ...row, body }, reading) : null };
    },
    /** Keys of the staged records that given words may mean, by folded key, e-mail, external id or name. */
    findStaged: (entity: Entity, words: string) => find({ entity, words }),
    /** Like `findStaged`, for records of the previous run, as long as this run has read nothing. */
    findStagedBefore: (entity: Entity, words: string) => findBefore({ entity, words }),
    /** A record's values from the previous run; null if there are none. */
    valuesBefore: (entity: Entity, key: string): Values | null => {
      const body = recordBefore({ entity, key })?.body ?? null;
      return body === null ? null : packer.unpack(body);
    },
    /** A record from the previous run; null if that run did not receive it. */
    recordBefore(entity: Entity, key: string): EarlierRecord | null {
      const row = recordBefore({ entity, key });
      return row === null ? null : toEarlier(entity, { key, ...row });
    },
    /** Every record of the previous run, in order of keys. */
    *recordsBefore(entity: Entity): Iterable<EarlierRecord> {
      for (const row of eachRow((after) => recordsBefore({ entity, key: after.key }), { key: '' }))
        yield toEarlier(entity, row);
    },
    /** The label of a record from the source's values; null if there are none. */
    stagedLabel(entity: Entity, key: string): string | null {
      const body = select({ entity, key })?.body ?? null;
      return body === null ? null : labelOf(entity, key, packer.unpack(body));
    },
    /** Every record with values, in order of keys. `butEqual`: without the records of equal pairs. */
    *stagedRecords(entity: Entity, butEqual = false): Iterable<StagedRecord> {
      const asked = { entity, butEqual: butEqual ? 1 : 0 };
      for (const { key, state, starts, body } of eachRow((after) => records({ ...asked, key: after.key }), {
        key: '',
      })) {
        const values = packer.unpack(body);
        const doubtful = state === 'early' && starts === null;
        yield { key, state, doubtful, label: labelOf(entity, key, values), values };
      }
    },
    /** True if a cell identifies a linked object without a usable row, by its key or by a field for matching. */
    standsForLinked(entity: Entity, cells: RawRow): boolean {
      const kinds = JSON.stringify(identityFields(entity).map((name) => kindOf(entity, name)));
      return cells.some((cell) => standsFor({ entity, cell: cell.trim(), folded: foldKey(cell), kinds }));
    },
    /** Desired records, without leavers, in order of keys. */
    desiredAfter: (entity: Entity, key: string, limit: number) =>
      desiredAfter({ entity, key, limit }).map((row) => toDesired(entity, row, reading)),
  };
}
