import { sql } from 'drizzle-orm';
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { Entity } from '../../model/entity.js';
import type { WaitingKind } from '../../model/waiting.js';

/* mirror.db is a copy of the service's data. It may be deleted at any time; a full read creates it again. */

export const objects = sqliteTable(
  'objects',
  {
    /** The object's keys refer to this number, which never changes while the object exists. */
    seq: integer('seq').primaryKey(),
    entity: text('entity').$type<Entity>().notNull(),
    id: text('id').notNull(),
    active: integer('active', { mode: 'boolean' }).notNull(),
    /** Set if the values do not determine the label. */
    label: text('label'),
    /** Packed values as observed, in the model's vocabulary. */
    body: text('body').notNull(),
    hash: text('hash').notNull(),
    /** The number of the last full read that saw the object. */
    seen: integer('seen').notNull(),
  },
  (t) => [uniqueIndex('objects_id').on(t.entity, t.id), index('objects_inactive').on(t.entity).where(sql`active = 0`)],
);

/** Keys to look objects up by. WITHOUT ROWID, so the table is its own index. The keys of an object come from its values. */
export const objectKeys = sqliteTable(
  'object_keys',
  {
    /** The number of a text such as `users.email` in `shared_texts`. */
    kind: integer('kind').notNull(),
    value: text('value').notNull(),
    object: integer('object').notNull(),
  },
  (t) => [primaryKey({ columns: [t.kind, t.value, t.object] })],
);

/** Rows of sources that report only changes or report deletions by id. They are a copy, like all data in this file. */
export const sourceRows = sqliteTable(
  'source_rows',
  {
    /** The stream and its query. A different query starts from the beginning. */
    stream: text('stream').notNull(),
    /** The row's id in its system. */
    id: text('id').notNull(),
    /** The record's key; null if the row does not produce a record. */
    key: text('key'),
    /** The row as JSON, verbatim; null if only the id is kept. */
    body: text('body'),
    /** 1: deleted in the source; only id and key are kept. 2: missing and not yet looked up; the body is also absent. */
    gone: integer('gone').notNull(),
    /** Number of the last complete read that saw the row. */
    seen: integer('seen').notNull(),
  },
  (t) => [primaryKey({ columns: [t.stream, t.id] }), index('source_rows_seen').on(t.stream, t.seen)],
);

/**
 * The mapped desired records of the sources' last read. A run writes only the differences. A row with a digest was
 * mapped from that content, under the context in the mark `staged <entity>`. While both stay the same, it is not mapped
 * again.
 */
export const stagedRows = sqliteTable(
  'staged_rows',
  {
    row: integer('row').primaryKey(),
    entity: text('entity').$type<Entity>().notNull(),
    key: text('key').notNull(),
    state: text('state').notNull(),
    /** The stream. */
    source: text('source').notNull(),
    /** Digest of the content that the row was mapped from; null if it is mapped in every run. */
    digest: text('digest'),
    /** Number of the last day on which the row need not be mapped again; null if there is no such day. */
    until: integer('until'),
    /** Hash of the values, as in `links.desired_hash`. */
    hash: text('hash'),
    /** JSON: the desired values. */
    body: text('body'),
    /** The place as JSON, only for keys with several rows; `staged_places` has the others. */
    place: text('place'),
    /** A number or a text, as returned by `prefer`. */
    preference: blob('preference'),
    /** The row's content as JSON, if the values do not contain it. */
    raw: text('raw'),
    /** The source values behind columns that are written back, as JSON. */
    back: text('back'),
    backHash: text('back_hash'),
    /** ISO 8601: the first day of a person who starts later. */
    starts: text('starts'),
  },
  (t) => [
    uniqueIndex('staged_key').on(t.entity, t.key),
    // In the order of rows. In the order of digests, each batch would write to all pages of the index.
    index('staged_digest').on(t.entity, t.row, t.digest, t.until).where(sql`digest IS NOT NULL`),
    index('staged_odd').on(t.entity, t.state).where(sql`state NOT IN ('desired', 'leaver')`),
  ],
);

/** The place of each staged row: the index of its `at`, and its line, as 32-bit numbers. */
export const stagedPlaces = sqliteTable('staged_places', {
  name: text('name').primaryKey(),
  value: blob('value').notNull(),
});

/**
 * The complete content of each stream at its last read, as a digest. It describes the staged rows until one of them is
 * written.
 */
export const stagedContents = sqliteTable('staged_contents', {
  source: text('source').primaryKey(),
  /** Digest of the content. */
  digest: text('digest').notNull(),
  /** Other data of the content, as JSON. */
  body: text('body').notNull(),
});

/** Records that may need work. All others were found equal, and neither side has changed since then. */
export const pending = sqliteTable(
  'pending',
  { entity: text('entity').$type<Entity>().notNull(), key: text('key').notNull() },
  (t) => [primaryKey({ columns: [t.entity, t.key] })],
);

/**
 * Everything that the newest plans have set aside, once each, with the start of the wait. Queries need no other table.
 * A run writes only the differences.
 */
export const waiting = sqliteTable(
  'waiting',
  {
    /** Empty for changes from the sources; otherwise the run to be undone. */
    scope: text('scope').notNull(),
    /** Identifies the item from run to run, by a hold's id or a guard's name. */
    name: text('name').notNull(),
    /** Changes if a different item is waiting under that name. */
    id: text('id').notNull(),
    kind: text('kind').$type<WaitingKind>().notNull(),
    /** An entity, source or stream. */
    entity: text('entity').notNull(),
    key: text('key'),
    code: text('code'),
    cause: text('cause').notNull(),
    resolve: text('resolve').notNull(),
    count: integer('count').notNull(),
    /** ISO 8601. */
    since: text('since').notNull(),
    /** The end of the wait in ISO 8601; null if it lasts until a plan ends it. */
    lapses: text('lapses'),
    /** The hold as JSON, in the same form as in plans; null for items that are not holds. */
    body: text('body'),
  },
  (t) => [primaryKey({ columns: [t.scope, t.name] })],
);

/** Objects written since their records were last added to `pending`. */
export const movedObjects = sqliteTable(
  'moved_objects',
  { entity: text('entity').$type<Entity>().notNull(), id: text('id').notNull() },
  (t) => [primaryKey({ columns: [t.entity, t.id] })],
);

/** Counts that stay valid until their data is written. */
export const counted = sqliteTable('counted', { name: text('name').primaryKey(), value: integer('value').notNull() });

/** Cursors, counters, and the contexts in which stored results are valid. */
export const marks = sqliteTable('marks', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
});
