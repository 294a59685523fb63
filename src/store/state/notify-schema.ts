import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/* Tables of state.db for events to report and for undelivered news. */

/** Events in progress. */
export const notifyEvents = sqliteTable('notify_events', {
  /** The subject of the event: kind, object and code. */
  name: text('name').primaryKey(),
  /** Id of this occurrence; the next occurrence gets another id. */
  event: text('event').notNull(),
  /** When the event was first found; `told` is when its last message entered the outbox. ISO 8601. */
  since: text('since').notNull(),
  told: text('told').notNull(),
  /** The event as JSON, as of its last message. */
  body: text('body').notNull(),
});

/** News for channels, until each channel has accepted it. */
export const notifyOutbox = sqliteTable(
  'notify_outbox',
  {
    seq: integer('seq').primaryKey({ autoIncrement: true }),
    channel: text('channel').notNull(),
    event: text('event').notNull(),
    news: text('news').$type<'began' | 'reminder' | 'ended' | 'passed' | 'digest'>().notNull(),
    at: text('at').notNull(),
    /** The content of the news in the message, as JSON. */
    body: text('body').notNull(),
    /** The message that contains the news, set at the first attempt. Its id does not change. */
    message: text('message'),
  },
  (t) => [index('notify_outbox_channel').on(t.channel, t.seq), index('notify_outbox_event').on(t.event)],
);

/** The state of each channel. */
export const notifyChannels = sqliteTable(
  'notify_channels',
  {
    channel: text('channel').notNull(),
    /**
     * Time of the next attempt. It is in the future while a message is being sent, so that no other process sends it
     * too.
     */
    nextAt: text('next_at'),
    sentAt: text('sent_at'),
    failingSince: text('failing_since'),
    /** Number of failed attempts since then. */
    times: integer('times').notNull(),
    /** The last error in our own words. It never quotes a response. */
    failure: text('failure'),
    sent: integer('sent').notNull(),
    failed: integer('failed').notNull(),
    lapsed: integer('lapsed').notNull(),
  },
  (t) => [primaryKey({ columns: [t.channel] })],
);
