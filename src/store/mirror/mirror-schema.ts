import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { Entity } from '../../model/entity.js';

/* mirror.db: a copy of what the service holds. May be deleted at any time; a full read makes it again. */

export const objects = sqliteTable(
  'objects',
  {
    /** By which its keys name it; the same as long as it is here. */
    seq: integer('seq').primaryKey(),
    entity: text('entity').$type<Entity>().notNull(),
    id: text('id').notNull(),
    active: integer('active', { mode: 'boolean' }).notNull(),
    /** Where its values do not say what it is called. */
    label: text('label'),
    /** Packed: observed values in the model's vocabulary. */
    body: text('body').notNull(),
    hash: text('hash').notNull(),
    /** Number of the full read that saw it last. */
    seen: integer('seen').notNull(),
  },
  (t) => [uniqueIndex('objects_id').on(t.entity, t.id), index('objects_inactive').on(t.entity).where(sql`active = 0`)],
);

/** By what objects are found. WITHOUT ROWID: the table is its own index, and the keys of an object are those of its values. */
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

/** Rows of sources that are asked for changes alone, or that show by their id whether they are gone: a copy like all others here. */
export const sourceRows = sqliteTable(
  'source_rows',
  {
    /** Stream, and what is asked of it: another question starts again. */
    stream: text('stream').notNull(),
    /** The row's id in its system. */
    id: text('id').notNull(),
    /** The record's key; null while the row makes no record. */
    key: text('key'),
    /** JSON, as it came; null where only the id is kept. */
    body: text('body'),
    /** Deleted in the source: body and all but id and key are dropped. */
    gone: integer('gone', { mode: 'boolean' }).notNull(),
    /** Number of the whole read that saw it last. */
    seen: integer('seen').notNull(),
  },
  (t) => [primaryKey({ columns: [t.stream, t.id] }), index('source_rows_seen').on(t.stream, t.seen)],
);

/**
 * What mapping made of a source's rows when it last saw them, under one context (mark `mapped`): a row that is the same
 * need not be mapped again. A memory of a pure function, so a row of it is right or not there.
 */
export const mappedRows = sqliteTable(
  'mapped_rows',
  {
    entity: text('entity').$type<Entity>().notNull(),
    key: text('key').notNull(),
    /** Of the row: its source, header and cells. */
    digest: text('digest').notNull(),
    state: text('state').notNull(),
    /** Of the values, as in `links.desired_hash`. */
    hash: text('hash').notNull(),
    /** JSON: the desired values. */
    body: text('body').notNull(),
  },
  (t) => [primaryKey({ columns: [t.entity, t.key] })],
);

/** Cursors, counters and the number of the last journal entry absorbed. */
export const marks = sqliteTable('marks', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
});
