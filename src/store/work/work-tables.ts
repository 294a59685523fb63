import type { Sqlite } from '../sqlite.js';
import { UNUSABLE_TABLES } from './unusable-store.js';

/**
 * The working tables of a run: desired records (staged), changes (planned), holds (held). `staged` contains the rows of
 * `staged_rows` (mirror.db) that this run has seen. They are TEMP tables of the mirror's connection, with state.db
 * attached. So SQLite joins 1,000,000 people with links and mirror, and only candidates become objects in memory.
 */
const TABLES = `
  PRAGMA temp.journal_mode = MEMORY;
  PRAGMA temp.cache_size = -8000;
  CREATE TEMP TABLE shown (entity TEXT NOT NULL, source TEXT NOT NULL, PRIMARY KEY (entity, source)) WITHOUT ROWID;
  CREATE TEMP TABLE strange_words (
    entity TEXT NOT NULL, key TEXT NOT NULL, operand TEXT NOT NULL, word TEXT, of_leavers INTEGER NOT NULL, respells TEXT,
    place TEXT NOT NULL, PRIMARY KEY (entity, key, operand)) WITHOUT ROWID;
  CREATE TEMP TABLE unread (entity TEXT NOT NULL, key TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY (entity, key, path)) WITHOUT ROWID;
  CREATE TEMP TABLE enriching (
    source TEXT NOT NULL, join_key TEXT NOT NULL, body TEXT, rank, place TEXT NOT NULL, PRIMARY KEY (source, join_key)) WITHOUT ROWID;
  CREATE TEMP TABLE planned (
    ref TEXT PRIMARY KEY, id TEXT NOT NULL, entity TEXT NOT NULL, action TEXT NOT NULL, target TEXT, rank INTEGER NOT NULL,
    derived INTEGER NOT NULL, part_of TEXT, answer TEXT,
    level INTEGER NOT NULL DEFAULT 0, withheld_by TEXT, withheld_name TEXT, approval TEXT, body TEXT NOT NULL);
  CREATE INDEX temp.planned_order ON planned (rank, level, ref);
  CREATE INDEX temp.planned_kind ON planned (entity, action, approval, withheld_by);
  CREATE INDEX temp.planned_target ON planned (entity, target) WHERE target IS NOT NULL;
  CREATE INDEX temp.planned_answer ON planned (answer) WHERE answer IS NOT NULL;
  CREATE TEMP TABLE needs (ref TEXT NOT NULL, need TEXT NOT NULL, PRIMARY KEY (ref, need)) WITHOUT ROWID;
  CREATE INDEX temp.needs_need ON needs (need);
  CREATE TEMP TABLE unless (ref TEXT NOT NULL, other TEXT NOT NULL, PRIMARY KEY (ref, other)) WITHOUT ROWID;
  CREATE TEMP TABLE adopted (
    entity TEXT NOT NULL, key TEXT NOT NULL, id TEXT NOT NULL, by TEXT NOT NULL, names INTEGER, tail TEXT, PRIMARY KEY (entity, key)) WITHOUT ROWID;
  CREATE TEMP TABLE unadopted (entity TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (entity, key)) WITHOUT ROWID;
  CREATE TEMP TABLE agreed (
    entity TEXT NOT NULL, key TEXT NOT NULL, agreed TEXT NOT NULL, written TEXT NOT NULL, desired_hash TEXT NOT NULL, observed_hash TEXT NOT NULL,
    PRIMARY KEY (entity, key)) WITHOUT ROWID;
  CREATE TEMP TABLE claims (what TEXT NOT NULL, id TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (what, id, key)) WITHOUT ROWID;
  CREATE TEMP TABLE held (
    entity TEXT NOT NULL, key TEXT NOT NULL, place TEXT NOT NULL, code TEXT NOT NULL, reason TEXT NOT NULL, remedy TEXT NOT NULL, field TEXT, conflict TEXT,
    relink TEXT, id TEXT NOT NULL, acknowledged TEXT, cause TEXT NOT NULL, listed INTEGER NOT NULL);
  CREATE INDEX temp.held_record ON held (entity, key);
  CREATE INDEX temp.held_order ON held (entity) WHERE listed = 1;
  CREATE INDEX temp.held_id ON held (id);
  CREATE INDEX temp.held_unlisted ON held (entity, code, cause) WHERE listed = 0;
  CREATE TEMP TABLE merged (entity TEXT NOT NULL, old_key TEXT NOT NULL, new_key TEXT NOT NULL, PRIMARY KEY (entity, old_key)) WITHOUT ROWID;
  CREATE TEMP TABLE faulty (entity TEXT NOT NULL, key TEXT NOT NULL, hold TEXT NOT NULL);
  CREATE TEMP TABLE held_in_part (entity TEXT NOT NULL, key TEXT NOT NULL, place TEXT NOT NULL, body TEXT NOT NULL);
  CREATE TEMP TABLE suspects (ref TEXT NOT NULL, hold TEXT NOT NULL);
  CREATE TEMP TABLE wanted (id TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TEMP TABLE unpinned (
    entity TEXT NOT NULL, key TEXT NOT NULL, path TEXT NOT NULL, decline TEXT NOT NULL,
    PRIMARY KEY (entity, key, path, decline)) WITHOUT ROWID;
  CREATE TEMP TABLE set_aside (ref TEXT PRIMARY KEY, by TEXT NOT NULL, name TEXT NOT NULL) WITHOUT ROWID;
  CREATE TEMP TABLE kept (ref TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TEMP TABLE planned_back (
    source TEXT NOT NULL, record TEXT NOT NULL, id TEXT NOT NULL, ref TEXT NOT NULL, overwrites INTEGER NOT NULL,
    withheld_by TEXT, withheld_name TEXT, approval TEXT, body TEXT NOT NULL, PRIMARY KEY (source, record, ref)) WITHOUT ROWID;
  CREATE TEMP TABLE sighted (
    entity TEXT NOT NULL, key TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (entity, key, path)) WITHOUT ROWID;
  CREATE TEMP TABLE echoes (
    source TEXT NOT NULL, record TEXT NOT NULL, column_name TEXT NOT NULL, near INTEGER NOT NULL, keeps TEXT,
    PRIMARY KEY (source, record, column_name)) WITHOUT ROWID;
  CREATE TEMP TABLE settled_back (
    entity TEXT NOT NULL, key TEXT NOT NULL, mark TEXT NOT NULL, PRIMARY KEY (entity, key)) WITHOUT ROWID;
`;

/** Private tables next to another run's. SQLite looks up names among temporary tables first. */
const OWN_TABLES = `
  CREATE TEMP TABLE staged_rows (
    row INTEGER PRIMARY KEY, entity TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL, source TEXT NOT NULL,
    digest TEXT, until INTEGER, hash TEXT, body TEXT, place TEXT, preference, raw TEXT, back TEXT, back_hash TEXT, starts TEXT, UNIQUE (entity, key));
  CREATE TEMP TABLE pending (entity TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (entity, key)) WITHOUT ROWID;
`;

const STAGED = `
  CREATE TEMP VIEW staged AS SELECT s.row AS rowid, s.entity, s.key, s.state, s.source, s.hash, s.body,
    coalesce(s.place, place_of(s.row, s.source)) AS place, s.preference, s.raw, s.back, s.back_hash, s.starts FROM staged_rows s
    WHERE EXISTS (SELECT 1 FROM shown w WHERE w.entity = s.entity AND w.source = s.source);
`;

const namesIn = (text: string) =>
  [...text.matchAll(/CREATE (?:TEMP|VIRTUAL) TABLE (?:temp\.)?(\w+)/g)].map(([, name]) => name);
const NAMES = namesIn(`${TABLES}${UNUSABLE_TABLES}`);
const OWN_NAMES = namesIn(OWN_TABLES);

const LINKED = `LEFT JOIN state.links l ON l.entity = s.entity AND l.source_key = s.key
  LEFT JOIN main.objects o ON o.entity = s.entity AND o.id = l.service_id`;
/** Staged records with their link and the linked object. */
export const JOINED = `staged s ${LINKED}`;
/** Pending staged records with their link and the linked object. */
export const PENDING_JOINED = `pending p CROSS JOIN staged s ON s.entity = p.entity AND s.key = p.key ${LINKED}`;
/** True for records that may need a change. `$contextHash` is the context of the last comparison. */
export const MOVED = `(o.id IS NULL OR l.desired_hash IS NOT s.hash OR l.observed_hash IS NOT o.hash OR l.context_hash IS NOT $contextHash)`;

/**
 * The hash of the object in a found pair. A record with a hold is examined again in every run. Otherwise, the hold would
 * be forgotten.
 */
export const unlessHeld = (of: string, hash: string): string =>
  `CASE WHEN EXISTS (SELECT 1 FROM held h WHERE h.entity = ${of}.entity AND h.key = ${of}.key) THEN '' ELSE ${hash} END`;

/** True for a match that needs no approval. */
export const isToBeLinked = (of: string): string =>
  `NOT EXISTS (SELECT 1 FROM unadopted u WHERE u.entity = ${of}.entity AND u.key = ${of}.key)`;

export function createWorkTables(sqlite: Sqlite, isOwn: boolean): void {
  sqlite.exec(TABLES);
  sqlite.exec(UNUSABLE_TABLES);
  if (isOwn) sqlite.exec(OWN_TABLES);
  sqlite.exec(STAGED);
}

/** @param isOwn true to also empty the staged rows, because no later run needs them */
export function emptyWorkTables(sqlite: Sqlite, isOwn: boolean): void {
  for (const name of isOwn ? [...NAMES, ...OWN_NAMES] : NAMES) sqlite.exec(`DELETE FROM temp.${name}`);
}
