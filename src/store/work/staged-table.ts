import type { Desired } from '../../model/desired.js';
import type { Entity } from '../../model/entity.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, parseOrNull } from '../statements.js';

/**
 * Maximum number of characters. With a wrong key column, every row is a duplicate, and a growing text would be
 * rewritten each time.
 */
export const PLACES_KEPT = 2_000;

/** A row of `staged_rows`. */
export interface StagedCells {
  readonly entity: Entity;
  readonly key: string;
  readonly source: string;
  readonly state: 'desired' | 'leaver' | 'early' | 'out' | 'held' | 'gone' | 'duplicate';
  readonly digest: string | null;
  /** Number of the last day on which the content need not be mapped again; null if there is no such day. */
  readonly until: number | null;
  readonly hash: string | null;
  readonly body: string | null;
  readonly preference: Desired['preference'];
  readonly raw: string | null;
  readonly back: string | null;
  readonly backHash: string | null;
  readonly starts: string | null;
}

/** The columns that show if a row equals an existing one. */
export type ToldRow = Pick<StagedCells, (typeof TELLING)[number] | 'digest' | 'until'> & { readonly row: number };

/** An existing row, from this run or the last one. */
export interface OtherRow extends StagedCells {
  readonly row: number;
  /** The places of all rows with this key as JSON; only set if there are several. */
  readonly place: string | null;
}

export const NO_CELLS = {
  digest: null,
  until: null,
  hash: null,
  body: null,
  preference: null,
  raw: null,
  back: null,
  backHash: null,
  starts: null,
} as const;

/** If these columns are equal, the rows are equal. `hash` covers `body`, and `backHash` covers `back`. */
const TELLING = ['source', 'state', 'hash', 'preference', 'raw', 'backHash', 'starts'] as const;

/** True if both rows have the same content with the same validity. */
export function isSameContent(one: ToldRow, other: StagedCells): boolean {
  return one.digest === other.digest && one.until === other.until;
}

/** True if both rows are equal, even if their content differed. */
export function isSameRow(one: ToldRow, other: StagedCells): boolean {
  return TELLING.every((name) => one[name] === other[name]);
}

/** True if two rows with the same key have the same meaning, even if their other content differs. */
export function isAlike(one: StagedCells, other: StagedCells): boolean {
  return one.body !== null && ALIKE.every((name) => one[name] === other[name]);
}

const ALIKE = ['source', 'state', 'hash', 'preference', 'backHash', 'starts'] as const;

type ToldCells = readonly [
  key: string,
  row: number,
  source: ToldRow['source'],
  state: ToldRow['state'],
  digest: ToldRow['digest'],
  until: ToldRow['until'],
  hash: ToldRow['hash'],
  preference: ToldRow['preference'],
  raw: ToldRow['raw'],
  backHash: ToldRow['backHash'],
  starts: ToldRow['starts'],
];

function toTold([, row, source, state, digest, until, hash, preference, raw, backHash, starts]: ToldCells): ToldRow {
  return { row, source, state, digest, until, hash, preference, raw, backHash, starts };
}

/** Reads and writes single rows of `staged_rows`. */
export type StagedTable = ReturnType<typeof createStagedTable>;

export function createStagedTable(sqlite: Sqlite) {
  const { added, one, run, value } = createStatements(sqlite);
  const insert = added(
    `INSERT INTO staged_rows (entity, key, source, state, digest, until, hash, body, preference, raw, back, back_hash, starts)
     VALUES ($entity, $key, $source, $state, $digest, $until, $hash, $body, $preference, $raw, $back, $backHash, $starts)`,
  );
  const replace = run(
    `UPDATE staged_rows SET source = $source, state = $state, digest = $digest, until = $until, hash = $hash, body = $body, place = NULL,
       preference = $preference, raw = $raw, back = $back, back_hash = $backHash, starts = $starts WHERE row = $row`,
  );
  const redate = run('UPDATE staged_rows SET digest = $digest, until = $until WHERE row = $row');
  const spoil = run(
    `UPDATE staged_rows SET state = 'duplicate', digest = NULL, hash = NULL, place = CASE WHEN place IS NULL THEN $first || ',' || $next
       WHEN length(place) < ${PLACES_KEPT} THEN place || ',' || $next ELSE place END WHERE row = $row`,
  );
  const TOLD = 's.key, s.row, s.source, s.state, s.digest, s.until, s.hash, s.preference, s.raw, s.back_hash, s.starts';
  const look = value<string>(`SELECT json_array(${TOLD}) FROM staged_rows s WHERE s.entity = $entity AND s.key = $key`);
  // Returning many rows as one text takes half the time of returning many objects.
  const lookAtAll = value<string>(
    `SELECT json_group_array(json_array(${TOLD}))
     FROM json_each($keys) k CROSS JOIN staged_rows s ON s.entity = $entity AND s.key = k.value`,
  );
  /** Prefetched rows by key. Each is used only once. */
  const ahead = new Map<string, ToldRow | null>();
  let of: Entity | null = null;
  return {
    /** Prefetches the rows of all records in one query, which takes half the time. */
    lookAhead(entity: Entity, records: readonly { readonly key: string }[]): void {
      ahead.clear();
      of = entity;
      // A key with an unpaired surrogate has a different form in the table.
      for (const { key } of records) if (key.isWellFormed()) ahead.set(key, null);
      const found = lookAtAll({ entity, keys: JSON.stringify([...ahead.keys()]) }) ?? '[]';
      for (const told of JSON.parse(found) as readonly ToldCells[]) ahead.set(told[0], toTold(told));
    },
    /** Finds a row without its content, because most rows are only compared. */
    look(cells: Pick<StagedCells, 'entity' | 'key'>): ToldRow | null {
      const found = cells.entity === of ? ahead.get(cells.key) : undefined;
      if (found === undefined) {
        const told = parseOrNull<ToldCells>(look(cells));
        return told === null ? null : toTold(told);
      }
      // The row may change from now on, so the prefetched one is used only once.
      ahead.delete(cells.key);
      return found;
    },
    find: one<OtherRow>(
      `SELECT row, entity, key, source, state, digest, until, hash, body, place, preference, raw, back, back_hash AS backHash, starts
       FROM staged_rows WHERE entity = $entity AND key = $key`,
    ),
    /** Returns the new row's number. */
    insert: (cells: StagedCells): number => insert(cells),
    replace: (row: number, cells: StagedCells) => void replace({ ...cells, row }),
    /** Keeps the row for other content or with another validity. */
    redate: (row: number, { digest, until }: StagedCells) => void redate({ row, digest, until }),
    /** Adds a place to a key with several rows. `first` is the place of the existing row. */
    spoil: (row: number, first: string, next: string) => void spoil({ row, first, next }),
  };
}
