import type { Sqlite } from '../sqlite.js';
import { columnsOf, createStatements, type RowOf } from '../statements.js';
import { notifyChannels, notifyEvents, notifyOutbox } from './notify-schema.js';

export type StoredEvent = RowOf<typeof notifyEvents>;
export type StoredNews = RowOf<typeof notifyOutbox>;
export type ChannelState = RowOf<typeof notifyChannels>;

/** News that a channel has not accepted yet. Times are ISO 8601. */
export interface ChannelQueue {
  readonly channel: string;
  readonly waiting: number;
  readonly oldest: string;
}

/** Totals of runs since a given time. */
export interface RunSums {
  readonly exitCode: number;
  readonly runs: number;
  readonly done: number;
  readonly failed: number;
}

export type NotifyStore = ReturnType<typeof createNotifyStore>;

/** Stores events in progress, and their news until channels accept it. Callers group related writes into one transaction. */
export function createNotifyStore(sqlite: Sqlite) {
  const { all, one, run, upsert, count } = createStatements(sqlite);
  const sums = all<RunSums>(
    `SELECT exit_code AS exitCode, count(*) AS runs, coalesce(sum(json_extract(result, '$.done')), 0) AS done,
       coalesce(sum(json_array_length(result, '$.failed')), 0) AS failed
     FROM runs WHERE ended_at > $since AND exit_code IS NOT NULL GROUP BY exit_code ORDER BY exit_code`,
  );
  return {
    ...createEvents(sqlite),
    ...createQueue(sqlite),
    channel: one<ChannelState>(`SELECT ${columnsOf(notifyChannels)} FROM notify_channels WHERE channel = $channel`),
    channels: all<ChannelState>(`SELECT ${columnsOf(notifyChannels)} FROM notify_channels ORDER BY channel`),
    saveChannel: upsert(notifyChannels),
    forgetChannel: run('DELETE FROM notify_channels WHERE channel = $channel'),
    /** Totals of runs that ended after a given time, by exit code. */
    sumsSince: (since: string) => sums({ since }),
    /** True if there are any events or news. */
    isUsed: () => count('SELECT (SELECT count(*) FROM notify_events) + (SELECT count(*) FROM notify_outbox)')() > 0,
  };
}

function createEvents(sqlite: Sqlite) {
  const { all, run, upsert } = createStatements(sqlite);
  const forget = run('DELETE FROM notify_events WHERE name = $name');
  return {
    events: all<StoredEvent>(`SELECT ${columnsOf(notifyEvents)} FROM notify_events ORDER BY since, name`),
    saveEvent: upsert(notifyEvents),
    forgetEvent: (name: string) => void forget({ name }),
  };
}

function createQueue(sqlite: Sqlite) {
  const { all, run } = createStatements(sqlite);
  const columns = columnsOf(notifyOutbox);
  const put = run(
    `INSERT INTO notify_outbox (channel, event, news, at, body) VALUES ($channel, $event, $news, $at, $body)`,
  );
  const drop = run('DELETE FROM notify_outbox WHERE seq = $seq');
  const assign = run(
    `UPDATE notify_outbox SET message = $message WHERE seq IN
       (SELECT seq FROM notify_outbox WHERE channel = $channel AND message IS NULL ORDER BY seq LIMIT $most)`,
  );
  const taken = run('DELETE FROM notify_outbox WHERE message = $message');
  const lapsed = run('DELETE FROM notify_outbox WHERE channel = $channel AND at < $before');
  return {
    /** News of an event that the channel has not accepted yet. */
    newsOf: all<StoredNews>(`SELECT ${columns} FROM notify_outbox WHERE channel = $channel AND event = $event`),
    putNews: (news: Omit<StoredNews, 'seq' | 'message'>) => void put(news),
    dropNews: (seq: number) => void drop({ seq }),
    /** News in messages that the program has already tried to send to a channel. */
    tried: all<StoredNews>(
      `SELECT ${columns} FROM notify_outbox WHERE channel = $channel AND message IS NOT NULL ORDER BY seq`,
    ),
    /** Puts the oldest news for a channel into a message and returns how many were added. */
    bind: (channel: string, message: string, most: number) => assign({ channel, message, most }),
    dropMessage: (message: string) => taken({ message }),
    dropBefore: (channel: string, before: string) => lapsed({ channel, before }),
    queues: all<ChannelQueue>(
      'SELECT channel, count(*) AS waiting, min(at) AS oldest FROM notify_outbox GROUP BY channel ORDER BY channel',
    ),
  };
}
