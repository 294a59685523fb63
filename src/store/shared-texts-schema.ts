import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/**
 * In both databases: texts that many rows share, stored once. They are never changed or deleted, because rows reference
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
