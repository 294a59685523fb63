import { sql } from 'drizzle-orm';
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { Entity } from '../../model/entity.js';
import type { WaitingKind } from '../../model/waiting.js';

/* mirror.db: a copy of the service's data. It may be deleted at any time; a full read creates it again. */

export const objects = sqliteTable(
  'objects',
  {
    /** Referenced by its keys; never changes while the object is here. */
    seq: integer('seq').primaryKey(),
    entity: text('entity').$type<Entity>().notNull(),
    id: text('id').notNull(),
    active: integer('active', { mode: 'boolean' }).notNull(),
    /** Set if the values do not determine the label. */
    label: text('label'),
    /** Packed: observed values in the model's vocabulary. */
    body: text('body').notNull(),
    hash: text('hash').notNull(),
    /** Number of the full read that last saw it. */
    seen: integer('seen').notNull(),
  },
  (t) => [uniqueIndex('objects_id').on(t.entity, t.id), index('objects_inactive').on(t.entity).where(sql`active = 0`)],
);

/** Look-up keys of objects. WITHOUT ROWID: the table is its own index, and the keys of an object come from its values. */
export const objectKeys = sqliteTable(
  'object_keys',
  {
    /** `users.email`, in `shared_texts`. */
    kind: integer('kind').notNull(),
    value: text('value').notNull(),
    object: integer('object').notNull(),
  },
  (t) => [primaryKey({ columns: [t.kind, t.value, t.object] })],
);

/** Rows of sources that are only asked for changes, or that show by id if they were deleted. A copy like all data here. */
export const sourceRows = sqliteTable(
  'source_rows',
  {
    /** Stream and query: another query starts again. */
    stream: text('stream').notNull(),
    /** The row's id in its system. */
    id: text('id').notNull(),
    /** The record's key; null if the row makes no record. */
    key: text('key'),
    /** JSON, verbatim; null if only the id is kept. */
    body: text('body'),
    /** 1: deleted in the source; only id and key are kept. 2: missing and not looked up yet; no body either. */
    gone: integer('gone').notNull(),
    /** Number of the complete read that last saw it. */
    seen: integer('seen').notNull(),
  },
  (t) => [primaryKey({ columns: [t.stream, t.id] }), index('source_rows_seen').on(t.stream, t.seen)],
);

/**
 * The mapped desired records of the last read of the sources; a run writes only differences. A row with a digest was
 * mapped from that content under the context in the mark `staged <entity>`. It need not be mapped again.
 */
export const stagedRows = sqliteTable(
  'staged_rows',
  {
    row: integer('row').primaryKey(),
    entity: text('entity').$type<Entity>().notNull(),
    key: text('key').notNull(),
    state: text('state').notNull(),
    /** Stream. */
    source: text('source').notNull(),
    /** Digest of the content it was mapped from; null: it is mapped in every run. */
    digest: text('digest'),
    /** Number of the last day on which it need not be mapped again; null if there is no such day. */
    until: integer('until'),
    /** Hash of the values, as in `links.desired_hash`. */
    hash: text('hash'),
    /** JSON: the desired values. */
    body: text('body'),
    /** JSON, only for keys of several rows; the others are in `staged_places`. */
    place: text('place'),
    /** A number or a text, as `prefer` returned it. */
    preference: blob('preference'),
    /** JSON: the content of its row, if its values do not contain it. */
    raw: text('raw'),
    /** JSON: the source values behind columns that are written back. */
    back: text('back'),
    backHash: text('back_hash'),
    /** ISO 8601: first day of a person who starts later. */
    starts: text('starts'),
  },
  (t) => [
    uniqueIndex('staged_key').on(t.entity, t.key),
    // In order of rows: in order of digests, each batch would write to all of the index's pages.
    index('staged_digest').on(t.entity, t.row, t.digest, t.until).where(sql`digest IS NOT NULL`),
    index('staged_odd').on(t.entity, t.state).where(sql`state NOT IN ('desired', 'leaver')`),
  ],
);

/** Places of the staged rows: for each `row` an index of `at` and a line, as 32-bit numbers. */
export const stagedPlaces = sqliteTable('staged_places', {
  name: text('name').primaryKey(),
  value: blob('value').notNull(),
});

/** Complete contents of streams at their last read. They describe the staged rows while none of these is written. */
export const stagedContents = sqliteTable('staged_contents', {
  source: text('source').primaryKey(),
  /** Digest of the content. */
  digest: text('digest').notNull(),
  /** JSON: other data in it. */
  body: text('body').notNull(),
});

/** Records that may need a look. All others were found equal, and neither side has moved since. */
export const pending = sqliteTable(
  'pending',
  { entity: text('entity').$type<Entity>().notNull(), key: text('key').notNull() },
  (t) => [primaryKey({ columns: [t.entity, t.key] })],
);

/**
 * Everything the newest plans set aside, once each, with its start, for queries that read nothing else. A run writes
 * only differences.
 */
export const waiting = sqliteTable(
  'waiting',
  {
    /** Blank for changes from the sources; the run to be undone, for an undo. */
    scope: text('scope').notNull(),
    /** Identifies it from run to run: id of a hold, name of a guard. */
    name: text('name').notNull(),
    /** Changes when something else is waiting under that name. */
    id: text('id').notNull(),
    kind: text('kind').$type<WaitingKind>().notNull(),
    /** Entity, source or stream. */
    entity: text('entity').notNull(),
    key: text('key'),
    code: text('code'),
    cause: text('cause').notNull(),
    resolve: text('resolve').notNull(),
    count: integer('count').notNull(),
    /** ISO 8601. */
    since: text('since').notNull(),
    /** ISO 8601: end of the wait; null: until a plan ends it. */
    lapses: text('lapses'),
    /** JSON: the hold, as in plans; null if it is not a hold. */
    body: text('body'),
  },
  (t) => [primaryKey({ columns: [t.scope, t.name] })],
);

/** Objects written since their records were last put into `pending`. */
export const movedObjects = sqliteTable(
  'moved_objects',
  { entity: text('entity').$type<Entity>().notNull(), id: text('id').notNull() },
  (t) => [primaryKey({ columns: [t.entity, t.id] })],
);

/** Counts that are valid until their data is written. */
export const counted = sqliteTable('counted', { name: text('name').primaryKey(), value: integer('value').notNull() });

/** Cursors, counters, and the contexts under which stored results are valid. */
export const marks = sqliteTable('marks', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
});
