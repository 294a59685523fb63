import type { Entity } from '../../model/entity.js';
import type { Json } from '../../model/json.js';
import type { SentValue } from '../../model/write-back.js';
import type { Sqlite } from '../sqlite.js';

export interface OutboxKey {
  readonly source: string;
  readonly record: string;
  readonly column: string;
}

export interface OutboxIntent extends OutboxKey {
  readonly entity: Entity;
  readonly key: string;
  readonly value: Json;
  readonly shown: Json;
  readonly serviceHash: string | null;
  readonly run: string;
  readonly at: string;
}

/** What waits to be shown by its source. */
export interface Waiting extends OutboxKey, SentValue {
  readonly entity: Entity;
  readonly key: string;
  readonly run: string;
}

/** What a source was told and does not show yet, in records. */
export interface WaitingSource {
  readonly source: string;
  readonly records: number;
  /** Of these, what the source refused, or may not have taken. */
  readonly refused: number;
  readonly lost: number;
  /** ISO 8601: when the oldest of them was sent. */
  readonly since: string;
}

/** What was sent to the sources and is not settled, what was first seen when, and what people have decided. */
export interface OutboxStore {
  find(source: string, record: string, column: string): SentValue | null;
  /** Before the call. A value that was sent before counts on, but for one that may never have arrived. */
  intend(intents: readonly OutboxIntent[]): void;
  /** After it. */
  settle(source: string, record: string, status: 'sent' | 'refused' | 'lost', message: string | null): void;
  /** The source has taken it, and shows it so. */
  show(key: OutboxKey, shown: Json): void;
  /** The source shows it. */
  forget(source: string, record: string, column: string): void;
  /** Runs whose outcome was never noted, by source. */
  open(): readonly { readonly source: string; readonly run: string; readonly at: string }[];
  /** All that an unfinished run sent to a source has arrived, or nobody knows. */
  settleRun(source: string, run: string, status: 'sent' | 'lost'): void;
  /** What was sent for records that no link knows any more. */
  forgetUnlinked(): void;
  waiting(): Iterable<Waiting>;
  /** What waits of one record of a mapping. */
  waitingOf(entity: Entity, key: string): readonly Waiting[];
  count(): number;
  /** By source; a value that was sent to one of `unread`, columns that their source never shows, waits for nothing. */
  waitingBySource(unread: readonly Pick<OutboxKey, 'source' | 'column'>[]): readonly WaitingSource[];
  sighting(entity: Entity, key: string, path: string, hash: string): string | null;
  sight(entity: Entity, key: string, path: string, hash: string, at: string): void;
  /** The sides agree again on all but those paths. */
  unsight(entity: Entity, key: string, except: readonly string[]): void;
  markSettled(entity: Entity, key: string, mark: string): void;
  resolution(question: string): 'source' | 'service' | null;
  resolve(resolution: ConflictResolution): void;
}

export interface ConflictResolution {
  readonly question: string;
  readonly entity: string;
  readonly key: string;
  readonly winner: 'source' | 'service';
  readonly who: string;
  readonly reason: string;
  readonly at: string;
}

interface OutboxRow {
  source: string;
  record: string;
  column_name: string;
  entity: string;
  source_key: string;
  value: string;
  shown: string;
  service_hash: string | null;
  status: string;
  run: string;
  at: string;
  times: number;
  message: string | null;
}

function toSent(row: OutboxRow): SentValue {
  return {
    value: JSON.parse(row.value) as Json,
    shown: JSON.parse(row.shown) as Json,
    serviceHash: row.service_hash,
    status: row.status as SentValue['status'],
    at: row.at,
    times: row.times,
    message: row.message,
  };
}

function toWaiting(row: OutboxRow): Waiting {
  const { source, record, column_name: column, run } = row;
  return { ...toSent(row), source, record, column, run, entity: row.entity as Entity, key: row.source_key };
}

export function createOutboxStore(sqlite: Sqlite): OutboxStore {
  const find = sqlite.prepare<[string, string, string], OutboxRow>(
    'SELECT * FROM outbox WHERE source = ? AND record = ? AND column_name = ?',
  );
  const intend = sqlite.prepare(
    `INSERT INTO outbox (source, record, column_name, entity, source_key, value, shown, service_hash, status, run, at, times)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'sending', ?, ?, 1)
     ON CONFLICT DO UPDATE SET
       times = CASE WHEN value <> excluded.value THEN 1 WHEN status IN ('sending', 'lost') THEN times ELSE times + 1 END,
       entity = excluded.entity, source_key = excluded.source_key, value = excluded.value, shown = excluded.shown,
       service_hash = excluded.service_hash, status = 'sending', run = excluded.run, at = excluded.at, message = NULL`,
  );
  const settle = sqlite.prepare(
    `UPDATE outbox SET status = ?, message = ? WHERE source = ? AND record = ? AND status = 'sending'`,
  );
  const show = sqlite.prepare('UPDATE outbox SET shown = ? WHERE source = ? AND record = ? AND column_name = ?');
  const forget = sqlite.prepare('DELETE FROM outbox WHERE source = ? AND record = ? AND column_name = ?');
  const open = sqlite.prepare<[], { source: string; run: string; at: string }>(
    `SELECT source, run, min(at) AS at FROM outbox WHERE status = 'sending' GROUP BY source, run ORDER BY run`,
  );
  const settleRun = sqlite.prepare(`UPDATE outbox SET status = ? WHERE source = ? AND run = ? AND status = 'sending'`);
  const page = sqlite.prepare<[string, string, string], OutboxRow>(
    'SELECT * FROM outbox WHERE (source, record, column_name) > (?, ?, ?) ORDER BY source, record, column_name LIMIT 500',
  );
  const forgetUnlinked = sqlite.prepare(
    `DELETE FROM outbox WHERE NOT EXISTS
       (SELECT 1 FROM links l WHERE l.entity = outbox.entity AND l.source_key = outbox.source_key)`,
  );
  const ofRecord = sqlite.prepare<[string, string], OutboxRow>(
    'SELECT * FROM outbox WHERE entity = ? AND source_key = ? ORDER BY source, record, column_name',
  );
  const count = sqlite.prepare<[], number>('SELECT count(*) FROM outbox').pluck();
  const bySource = sqlite.prepare<[string], WaitingSource>(
    `SELECT source, count(DISTINCT record) AS records,
       count(DISTINCT CASE WHEN status = 'refused' THEN record END) AS refused,
       count(DISTINCT CASE WHEN status IN ('lost', 'sending') THEN record END) AS lost, min(at) AS since
     FROM outbox WHERE NOT (status = 'sent' AND EXISTS
       (SELECT 1 FROM json_each(?) u WHERE u.value ->> 'source' = source AND u.value ->> 'column' = column_name))
     GROUP BY source ORDER BY source`,
  );
  const sighting = sqlite
    .prepare<[string, string, string, string], string>(
      'SELECT at FROM sightings WHERE entity = ? AND source_key = ? AND path = ? AND hash = ?',
    )
    .pluck();
  const sight = sqlite.prepare(
    `INSERT INTO sightings VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET hash = excluded.hash, at = excluded.at WHERE hash <> excluded.hash`,
  );
  const unsight = sqlite.prepare(
    'DELETE FROM sightings WHERE entity = ? AND source_key = ? AND path NOT IN (SELECT value FROM json_each(?))',
  );
  const markSettled = sqlite.prepare('UPDATE links SET settled = ? WHERE entity = ? AND source_key = ?');
  const resolution = sqlite.prepare<[string], string>('SELECT winner FROM resolutions WHERE question = ?').pluck();
  const resolve = sqlite.prepare('INSERT OR REPLACE INTO resolutions VALUES (?, ?, ?, ?, ?, ?, ?)');
  return {
    find(source, record, column) {
      const row = find.get(source, record, column);
      return row === undefined ? null : toSent(row);
    },
    intend: sqlite.transaction((intents: readonly OutboxIntent[]) => {
      for (const i of intents) {
        const [value, shown] = [JSON.stringify(i.value), JSON.stringify(i.shown)];
        intend.run(i.source, i.record, i.column, i.entity, i.key, value, shown, i.serviceHash, i.run, i.at);
      }
    }),
    settle: (source, record, status, message) => void settle.run(status, message, source, record),
    show: ({ source, record, column }, shown) => void show.run(JSON.stringify(shown), source, record, column),
    forget: (source, record, column) => void forget.run(source, record, column),
    open: () => open.all(),
    settleRun: (source, run, status) => void settleRun.run(status, source, run),
    forgetUnlinked: () => void forgetUnlinked.run(),
    *waiting() {
      for (let at: [string, string, string] = ['', '', '']; ; ) {
        const rows = page.all(...at);
        yield* rows.map(toWaiting);
        const last = rows.at(-1);
        if (last === undefined) return;
        at = [last.source, last.record, last.column_name];
      }
    },
    waitingOf: (entity, key) => ofRecord.all(entity, key).map(toWaiting),
    count: () => count.get() ?? 0,
    waitingBySource: (unread) => bySource.all(JSON.stringify(unread.map(({ source, column }) => ({ source, column })))),
    sighting: (entity, key, path, hash) => sighting.get(entity, key, path, hash) ?? null,
    sight: (entity, key, path, hash, at) => void sight.run(entity, key, path, hash, at),
    unsight: (entity, key, except) => void unsight.run(entity, key, JSON.stringify(except)),
    markSettled: (entity, key, mark) => void markSettled.run(mark, entity, key),
    resolution(question) {
      const winner = resolution.get(question);
      return winner === 'source' || winner === 'service' ? winner : null;
    },
    resolve: (r) => void resolve.run(r.question, r.entity, r.key, r.winner, r.who, r.reason, r.at),
  };
}
