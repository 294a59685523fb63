import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** mirror.db: a copy of what the service holds. May be deleted at any time; a full read makes it again. */

export const objects = sqliteTable(
  'objects',
  {
    entity: text('entity').notNull(),
    id: text('id').notNull(),
    active: integer('active', { mode: 'boolean' }).notNull(),
    label: text('label').notNull(),
    /** JSON: observed values in the model's vocabulary. */
    body: text('body').notNull(),
    hash: text('hash').notNull(),
    /** Number of the full read that saw it last. */
    seen: integer('seen').notNull(),
  },
  (t) => [primaryKey({ columns: [t.entity, t.id] }), index('objects_active').on(t.entity, t.active)],
);

export const objectKeys = sqliteTable(
  'object_keys',
  {
    entity: text('entity').notNull(),
    name: text('name').notNull(),
    value: text('value').notNull(),
    id: text('id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.entity, t.name, t.value, t.id] }), index('object_keys_id').on(t.entity, t.id)],
);

/** Cursors, counters and the number of the last journal entry absorbed. */
export const marks = sqliteTable('marks', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
});
