import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/* operators.db: who may use the operator pages, beside what the configuration says. One file for all tenants of a daemon. */

/** People whom `operator add` let in. */
export const operators = sqliteTable('operators', {
  /** As it stands in the audit; folded, so that one person is one row. */
  who: text('who').primaryKey(),
  /** JSON: the grants given on the command line. */
  grants: text('grants').notNull(),
  at: text('at').notNull(),
  by: text('by').notNull(),
});

/** Personal tokens. The token itself is nowhere: only its SHA-256. */
export const tokens = sqliteTable(
  'tokens',
  {
    id: text('id').primaryKey(),
    who: text('who').notNull(),
    hash: text('hash').notNull(),
    at: text('at').notNull(),
    expiresAt: text('expires_at').notNull(),
    /** To the minute. */
    usedAt: text('used_at'),
  },
  (t) => [uniqueIndex('tokens_hash').on(t.hash), index('tokens_who').on(t.who)],
);

/** Log-ins of browsers. The cookie itself is nowhere: only its SHA-256. Times are milliseconds since the epoch. */
export const logins = sqliteTable(
  'logins',
  {
    hash: text('hash').primaryKey(),
    who: text('who').notNull(),
    /** JSON: the person as the log-in proved it. */
    person: text('person').notNull(),
    /** The token it was made with; it ends with it. */
    token: text('token'),
    atMs: integer('at_ms').notNull(),
    /** To the minute. */
    seenMs: integer('seen_ms').notNull(),
  },
  (t) => [index('logins_who').on(t.who)],
);

export const facts = sqliteTable('facts', { name: text('name').primaryKey(), value: text('value').notNull() });
