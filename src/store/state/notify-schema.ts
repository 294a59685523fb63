import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/* Tables of state.db: events to report, and news not delivered yet. */

/** Events in progress. */
export const notifyEvents = sqliteTable('notify_events', {
  /** The subject: kind, object and code. */
  name: text('name').primaryKey(),
  /** Id of this occurrence: the next one gets another. */
  event: text('event').notNull(),
  /** Time when it was first found; `told`: time when its last message entered the outbox. ISO 8601. */
  since: text('since').notNull(),
  told: text('told').notNull(),
  /** JSON: the event at its last message. */
  body: text('body').notNull(),
});

/** News for channels, until the channel has accepted them. */
export const notifyOutbox = sqliteTable(
  'notify_outbox',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    channel: text('channel').notNull(),
    event: text('event').notNull(),
    news: text('news').$type<'began' | 'reminder' | 'ended' | 'passed' | 'digest'>().notNull(),
    at: text('at').notNull(),
    /** JSON: what the message says about it. */
    body: text('body').notNull(),
    /** The message that contains it, once one was tried; its id does not change. */
    message: text('message'),
  },
  (t) => [index('notify_outbox_channel').on(t.channel, t.seq), index('notify_outbox_event').on(t.event)],
);

/** State of each channel. */
export const notifyChannels = sqliteTable(
  'notify_channels',
  {
    channel: text('channel').notNull(),
    /** Time of the next attempt. While a message is being sent it is in the future, so that no other process sends it too. */
    nextAt: text('next_at'),
    sentAt: text('sent_at'),
    failingSince: text('failing_since'),
    /** Failed attempts since then. */
    times: integer('times').notNull(),
    /** The last error in our own words; it never quotes a response. */
    failure: text('failure'),
    sent: integer('sent').notNull(),
    failed: integer('failed').notNull(),
    lapsed: integer('lapsed').notNull(),
  },
  (t) => [primaryKey({ columns: [t.channel] })],
);
