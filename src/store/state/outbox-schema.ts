import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Entity } from '../../model/entity.js';

/* Tables of state.db: what was sent to the sources, and what the merge of the two sides remembers. */

/** What was sent to the sources, until they show it: an intent before each call, its outcome after. */
export const outbox = sqliteTable(
  'outbox',
  {
    source: text('source').notNull(),
    record: text('record').notNull(),
    columnName: text('column_name').notNull(),
    /** What the record stands for. */
    entity: text('entity').$type<Entity>().notNull(),
    sourceKey: text('source_key').notNull(),
    /** JSON */
    value: text('value').notNull(),
    /** JSON: what the source showed when it was sent. */
    shown: text('shown').notNull(),
    /** Hash of the service's value that it was made of. */
    serviceHash: text('service_hash'),
    status: text('status').$type<'sending' | 'sent' | 'refused' | 'lost' | 'again'>().notNull(),
    run: text('run').notNull(),
    at: text('at').notNull(),
    times: integer('times').notNull(),
    message: text('message'),
  },
  (t) => [
    primaryKey({ columns: [t.source, t.record, t.columnName] }),
    index('outbox_key').on(t.entity, t.sourceKey),
    index('outbox_status').on(t.status),
  ],
);

/** When values of the service were first seen that both sides never agreed on; of fields that go by the newest change. */
export const sightings = sqliteTable(
  'sightings',
  {
    entity: text('entity').$type<Entity>().notNull(),
    sourceKey: text('source_key').notNull(),
    path: text('path').notNull(),
    hash: text('hash').notNull(),
    at: text('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.entity, t.sourceKey, t.path] })],
);

/** What a person has decided of a conflict. */
export const resolutions = sqliteTable('resolutions', {
  /** Name of the question: another value on either side is another question. */
  question: text('question').primaryKey(),
  entity: text('entity').notNull(),
  sourceKey: text('source_key').notNull(),
  winner: text('winner').$type<'source' | 'service'>().notNull(),
  who: text('who').notNull(),
  reason: text('reason').notNull(),
  at: text('at').notNull(),
});
