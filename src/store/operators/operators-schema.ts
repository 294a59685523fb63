import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/* operators.db contains the operator pages' users who are not in the configuration. All tenants of a daemon share it. */

/** People added with `operator add`. */
export const operators = sqliteTable('operators', {
  /** The name as in the audit log, folded so that one person has one row. */
  who: text('who').primaryKey(),
  /** The grants given on the command line, as JSON. */
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
    /** When the token was last used, to the minute. */
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
    /** The person identified by the log-in, as JSON. */
    person: text('person').notNull(),
    /** The token used to log in. When the token ends, the log-in ends too. */
    token: text('token'),
    atMs: integer('at_ms').notNull(),
    /** When the log-in was last used, to the minute. */
    seenMs: integer('seen_ms').notNull(),
  },
  (t) => [index('logins_who').on(t.who)],
);

export const facts = sqliteTable('facts', { name: text('name').primaryKey(), value: text('value').notNull() });
