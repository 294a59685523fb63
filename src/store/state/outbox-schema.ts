import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Entity } from '../../model/entity.js';

/* Tables of state.db for values sent to the sources, and for data that merging both sides needs. */

/**
 * Values sent to the sources, until the sources show them. A row is an intent before the call, and has an outcome after
 * it.
 */
export const outbox = sqliteTable(
  'outbox',
  {
    source: text('source').notNull(),
    record: text('record').notNull(),
    columnName: text('column_name').notNull(),
    /** The entity of the record. */
    entity: text('entity').$type<Entity>().notNull(),
    sourceKey: text('source_key').notNull(),
    /** The value as JSON. */
    value: text('value').notNull(),
    /** The source's value at the time of sending, as JSON. */
    shown: text('shown').notNull(),
    /** Hash of the service's value that this value was computed from. */
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

/**
 * When values of the service were first seen that both sides never agreed on. Used for fields where the newest change
 * wins.
 */
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

/** Decisions that people made on conflicts. */
export const resolutions = sqliteTable('resolutions', {
  /** Id of the question. Another value on either side makes it another question. */
  question: text('question').primaryKey(),
  entity: text('entity').notNull(),
  sourceKey: text('source_key').notNull(),
  winner: text('winner').$type<'source' | 'service'>().notNull(),
  who: text('who').notNull(),
  reason: text('reason').notNull(),
  at: text('at').notNull(),
});
