import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/* Tables of state.db: what somebody is to hear of, and what has not reached them yet. */

/** Events that go on. */
export const notifyEvents = sqliteTable('notify_events', {
  /** What it is about: kind, of what, which code. */
  name: text('name').primaryKey(),
  /** Of this time that it goes on: the next time has another. */
  event: text('event').notNull(),
  /** When it was first found, and when a message about it was last put into the outbox; ISO 8601. */
  since: text('since').notNull(),
  told: text('told').notNull(),
  /** JSON: what it was when it was last told. */
  body: text('body').notNull(),
});

/** News for channels, until the channel has taken them. */
export const notifyOutbox = sqliteTable(
  'notify_outbox',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    channel: text('channel').notNull(),
    event: text('event').notNull(),
    news: text('news').$type<'began' | 'reminder' | 'ended' | 'passed' | 'digest'>().notNull(),
    at: text('at').notNull(),
    /** JSON: what the message says of it. */
    body: text('body').notNull(),
    /** The message that it is part of, once one was tried; its id stays the same. */
    message: text('message'),
  },
  (t) => [index('notify_outbox_channel').on(t.channel, t.seq), index('notify_outbox_event').on(t.event)],
);

/** How each channel does. */
export const notifyChannels = sqliteTable(
  'notify_channels',
  {
    channel: text('channel').notNull(),
    /** When it is tried again; a message on its way has it in the future, so that nobody else sends it as well. */
    nextAt: text('next_at'),
    sentAt: text('sent_at'),
    failingSince: text('failing_since'),
    /** Tries without success since then. */
    times: integer('times').notNull(),
    /** What went wrong last: never words of an answer. */
    failure: text('failure'),
    sent: integer('sent').notNull(),
    failed: integer('failed').notNull(),
    lapsed: integer('lapsed').notNull(),
  },
  (t) => [primaryKey({ columns: [t.channel] })],
);
