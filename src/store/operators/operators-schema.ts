import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/* operators.db: users of the operator pages who are not in the configuration. One file for all tenants of a daemon. */

/** People added with `operator add`. */
export const operators = sqliteTable('operators', {
  /** In the form of the audit log; folded, so that one person is one row. */
  who: text('who').primaryKey(),
  /** JSON: the grants given on the command line. */
  grants: text('grants').notNull(),
  at: text('at').notNull(),
  by: text('by').notNull(),
});

/** Personal tokens. The token itself is not stored, only its SHA-256. */
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

/** Log-ins of browsers. The cookie itself is not stored, only its SHA-256. Times are milliseconds since the epoch. */
export const logins = sqliteTable(
  'logins',
  {
    hash: text('hash').primaryKey(),
    who: text('who').notNull(),
    /** JSON: the person whom the log-in identified. */
    person: text('person').notNull(),
    /** The token used for the log-in; when it ends, so does the log-in. */
    token: text('token'),
    atMs: integer('at_ms').notNull(),
    /** To the minute. */
    seenMs: integer('seen_ms').notNull(),
  },
  (t) => [index('logins_who').on(t.who)],
);

export const facts = sqliteTable('facts', { name: text('name').primaryKey(), value: text('value').notNull() });
