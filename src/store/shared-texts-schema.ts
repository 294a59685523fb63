import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/**
 * Texts that many rows share, stored once in each database. They are never changed or deleted, because rows refer to
 * them by id.
 */
export const sharedTexts = sqliteTable(
  'shared_texts',
  {
    id: integer('id').primaryKey(),
    text: text('text').notNull(),
  },
  (t) => [uniqueIndex('shared_texts_text').on(t.text)],
);
