import { integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** Of both databases: texts that many rows have in common, each held once. Never changed, never deleted: rows name them by id. */
export const sharedTexts = sqliteTable(
  'shared_texts',
  {
    id: integer('id').primaryKey(),
    text: text('text').notNull(),
  },
  (t) => [uniqueIndex('shared_texts_text').on(t.text)],
);
