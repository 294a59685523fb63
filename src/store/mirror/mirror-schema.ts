import { sql } from 'drizzle-orm';
import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { Entity } from '../../model/entity.js';
import type { WaitingKind } from '../../model/waiting.js';

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
    /** 1: deleted in the source: body and all but id and key are dropped. 2: missing, and nobody has looked for it yet; no body either. */
    gone: integer('gone').notNull(),
    /** Number of the whole read that saw it last. */
    seen: integer('seen').notNull(),
  },
  (t) => [primaryKey({ columns: [t.stream, t.id] }), index('source_rows_seen').on(t.stream, t.seen)],
);

/**
 * What the sources wanted when they were read last, mapped: a run writes only what is another than before. A row with a digest is
 * what mapping makes of that content under the context in the mark `staged <entity>`, and need not be mapped again.
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
    /** Of what it was mapped from; null: it is mapped in every run. */
    digest: text('digest'),
    /** Number of the last day on which it need not be mapped again; null: there is none. */
    until: integer('until'),
    /** Of the values, as in `links.desired_hash`. */
    hash: text('hash'),
    /** JSON: the desired values. */
    body: text('body'),
    /** JSON, only of keys that several rows have; all others are in `staged_places`. */
    place: text('place'),
    /** A number or a text, as `prefer` gave it. */
    preference: blob('preference'),
    /** JSON: what is in its row, where its values do not tell. */
    raw: text('raw'),
    /** JSON: what is behind columns that are written back. */
    back: text('back'),
    backHash: text('back_hash'),
    /** ISO 8601: the first day, of somebody who starts later. */
    starts: text('starts'),
  },
  (t) => [
    uniqueIndex('staged_key').on(t.entity, t.key),
    // In the order in which rows come: in that of the digests, each batch would write to all of its pages.
    index('staged_digest').on(t.entity, t.row, t.digest, t.until).where(sql`digest IS NOT NULL`),
    index('staged_odd').on(t.entity, t.state).where(sql`state NOT IN ('desired', 'leaver')`),
  ],
);

/** Where the staged rows were read: for each `row` an index of `at` and a line, as 32-bit numbers. */
export const stagedPlaces = sqliteTable('staged_places', {
  name: text('name').primaryKey(),
  value: blob('value').notNull(),
});

/** Contents of streams as they were read last, whole: while nothing of the staged rows is written, they are what stands there. */
export const stagedContents = sqliteTable('staged_contents', {
  source: text('source').primaryKey(),
  /** Of the content. */
  digest: text('digest').notNull(),
  /** JSON: what else was in it. */
  body: text('body').notNull(),
});

/** Records that may need a look. Whatever is not in it was found equal, and neither side has moved since. */
export const pending = sqliteTable(
  'pending',
  { entity: text('entity').$type<Entity>().notNull(), key: text('key').notNull() },
  (t) => [primaryKey({ columns: [t.entity, t.key] })],
);

/**
 * What the newest plans have set aside, each once, and since when: for those who ask what waits without reading anything.
 * A run writes only what is another than before.
 */
export const waiting = sqliteTable(
  'waiting',
  {
    /** '' for what the sources want; the run that is to be taken back, for an undo. */
    scope: text('scope').notNull(),
    /** By which it is the same from run to run: id of a hold, name of a guard. */
    name: text('name').notNull(),
    /** Another one as soon as something else waits under that name. */
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
    /** ISO 8601: it waits no longer; null: until a plan says so. */
    lapses: text('lapses'),
    /** JSON: the hold, as plans have it; null of what is none. */
    body: text('body'),
  },
  (t) => [primaryKey({ columns: [t.scope, t.name] })],
);

/** Objects that were written since their records were last put into `pending`. */
export const movedObjects = sqliteTable(
  'moved_objects',
  { entity: text('entity').$type<Entity>().notNull(), id: text('id').notNull() },
  (t) => [primaryKey({ columns: [t.entity, t.id] })],
);

/** Numbers that were counted since anything was written that they are of. */
export const counted = sqliteTable('counted', { name: text('name').primaryKey(), value: integer('value').notNull() });

/** Cursors, counters and the number of the last journal entry absorbed. */
export const marks = sqliteTable('marks', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
});
