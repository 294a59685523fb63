import type { Entity } from '../../model/entity.js';
import type { Json } from '../../model/json.js';
import { isShortenedDigest } from '../../model/sha256.js';
import type { SentValue } from '../../model/write-back.js';
import type { Sqlite } from '../sqlite.js';
import { columnsOf, createStatements, eachRow, type RowOf } from '../statements.js';
import { outbox, resolutions } from './outbox-schema.js';

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

/** A value that its source does not show yet. */
export interface Waiting extends OutboxKey, SentValue {
  readonly entity: Entity;
  readonly key: string;
  readonly run: string;
}

/** Records sent to a source that the source does not show yet. */
export interface WaitingSource {
  readonly source: string;
  readonly records: number;
  /** Number of records that the source rejected. `lost` counts records that it may not have accepted. */
  readonly refused: number;
  readonly lost: number;
  /** When the oldest of these records was sent, in ISO 8601. */
  readonly since: string;
}

/** Hash of a value that the service had at one path of a record's field. */
export interface SightedValue {
  readonly entity: Entity;
  readonly key: string;
  readonly path: string;
  readonly hash: string;
}

/** `key` is the record's key. */
export interface ConflictResolution extends Omit<RowOf<typeof resolutions>, 'sourceKey'> {
  readonly key: string;
}

type OutboxRow = RowOf<typeof outbox>;

function toSent({ value, shown, serviceHash, status, at, times, message }: OutboxRow): SentValue {
  return {
    value: JSON.parse(value) as Json,
    shown: JSON.parse(shown) as Json,
    serviceHash,
    status,
    at,
    times,
    message,
  };
}

function toWaiting(row: OutboxRow): Waiting {
  const { source, record, columnName: column, run, entity, sourceKey: key } = row;
  return { ...toSent(row), source, record, column, run, entity, key };
}

const SELECT = `SELECT ${columnsOf(outbox)} FROM outbox`;
const OF_COLUMN = 'source = $source AND record = $record AND column_name = $column';
const IN_ORDER = 'ORDER BY source, record, column_name';

/** Stores unsettled values sent to the sources, first sightings of values, and people's decisions. */
export function createOutboxStore(sqlite: Sqlite) {
  const { all, count, one, run } = createStatements(sqlite);
  const find = one<OutboxRow>(`${SELECT} WHERE ${OF_COLUMN}`);
  const settle = run(
    `UPDATE outbox SET status = $status, message = $message WHERE source = $source AND record = $record AND status = 'sending'`,
  );
  const show = run(`UPDATE outbox SET shown = $shown WHERE ${OF_COLUMN}`);
  const forget = run(`DELETE FROM outbox WHERE ${OF_COLUMN}`);
  const settleRun = run(
    `UPDATE outbox SET status = $status WHERE source = $source AND run = $run AND status = 'sending'`,
  );
  const forgetUnlinked = run(
    `DELETE FROM outbox WHERE NOT EXISTS
       (SELECT 1 FROM links l WHERE l.entity = outbox.entity AND l.source_key = outbox.source_key)`,
  );
  return {
    ...createSightings(sqlite),
    ...createResolutions(sqlite),
    ...createWaiting(sqlite),
    find(source: string, record: string, column: string): SentValue | null {
      const row = find({ source, record, column });
      return row === null ? null : toSent(row);
    },
    /**
     * Stores an intent before the call. Sending the same value again increases its count, unless the earlier value may
     * not have arrived.
     */
    intend: createIntend(sqlite),
    settle: (source: string, record: string, status: Exclude<SentValue['status'], 'sending'>, message: string | null) =>
      void settle({ source, record, status, message }),
    /** Notes that the source accepted the value and shows it in this form. */
    show: (key: OutboxKey, shown: Json) => void show({ ...key, shown: JSON.stringify(shown) }),
    /** Forgets a value that the source now shows. */
    forget: (source: string, record: string, column: string) => void forget({ source, record, column }),
    /** Runs that lack outcomes, by source. */
    open: all<{ source: string; run: string; at: string }>(
      `SELECT source, run, min(at) AS at FROM outbox WHERE status = 'sending' GROUP BY source, run ORDER BY run`,
    ),
    /** Settles everything that an unfinished run sent to a source, either as arrived or as lost. */
    settleRun: (source: string, run: string, status: 'sent' | 'lost') => void settleRun({ source, run, status }),
    /** Deletes values sent for records that no longer have a link. */
    forgetUnlinked: () => void forgetUnlinked(),
    count: count('SELECT count(*) FROM outbox'),
    /**
     * Totals by source. Values in `unread` columns do not count as waiting, because the source never shows these
     * columns.
     */
    waitingBySource: createSums(sqlite),
  };
}

/** Values that their source does not show yet. */
function createWaiting(sqlite: Sqlite) {
  const { all } = createStatements(sqlite);
  const page = all<OutboxRow>(
    `${SELECT} WHERE (source, record, column_name) > ($source, $record, $columnName) ${IN_ORDER} LIMIT 500`,
  );
  const ofRecord = all<OutboxRow>(`${SELECT} WHERE entity = $entity AND source_key = $key ${IN_ORDER}`);
  return {
    *waiting(): Iterable<Waiting> {
      for (const row of eachRow(page, { source: '', record: '', columnName: '' })) yield toWaiting(row);
    },
    /** Values of one mapped record that its source does not show yet. */
    waitingOf: (entity: Entity, key: string) => ofRecord({ entity, key }).map(toWaiting),
  };
}

function createIntend(sqlite: Sqlite) {
  const { atOnce, run } = createStatements(sqlite);
  const intend = run(
    `INSERT INTO outbox (source, record, column_name, entity, source_key, value, shown, service_hash, status, run, at, times)
     VALUES ($source, $record, $column, $entity, $key, $value, $shown, $serviceHash, 'sending', $run, $at, 1)
     ON CONFLICT DO UPDATE SET
       times = CASE WHEN value <> excluded.value THEN 1 WHEN status IN ('sending', 'lost', 'again') THEN times ELSE times + 1 END,
       entity = excluded.entity, source_key = excluded.source_key, value = excluded.value, shown = excluded.shown,
       service_hash = excluded.service_hash, status = 'sending', run = excluded.run, at = excluded.at, message = NULL`,
  );
  return atOnce((intents: readonly OutboxIntent[]) => {
    for (const one of intents) intend({ ...one, value: JSON.stringify(one.value), shown: JSON.stringify(one.shown) });
  });
}

function createSums(sqlite: Sqlite) {
  const { all } = createStatements(sqlite);
  const bySource = all<WaitingSource>(
    `SELECT source, count(DISTINCT record) AS records,
       count(DISTINCT CASE WHEN status IN ('refused', 'again') THEN record END) AS refused,
       count(DISTINCT CASE WHEN status IN ('lost', 'sending') THEN record END) AS lost, min(at) AS since
     FROM outbox WHERE NOT (status = 'sent' AND EXISTS
       (SELECT 1 FROM json_each($unread) u WHERE u.value ->> 'source' = source AND u.value ->> 'column' = column_name))
     GROUP BY source ORDER BY source`,
  );
  return (unread: readonly Pick<OutboxKey, 'source' | 'column'>[]) =>
    bySource({ unread: JSON.stringify(unread.map(({ source, column }) => ({ source, column }))) });
}

function createSightings(sqlite: Sqlite) {
  const { run, value } = createStatements(sqlite);
  const sighting = value<string>(
    'SELECT at FROM sightings WHERE entity = $entity AND source_key = $key AND path = $path AND hash = $hash',
  );
  const sight = run(
    `INSERT INTO sightings (entity, source_key, path, hash, at) VALUES ($entity, $key, $path, $hash, $at)
     ON CONFLICT DO UPDATE SET hash = excluded.hash, at = excluded.at WHERE hash <> excluded.hash`,
  );
  const unsight = run(
    `DELETE FROM sightings
     WHERE entity = $entity AND source_key = $key AND path NOT IN (SELECT value FROM json_each($except))`,
  );
  return {
    sighting: (entity: Entity, key: string, path: string, hash: string) => sighting({ entity, key, path, hash }),
    sight: (seen: SightedValue, at: string) => void sight({ ...seen, at }),
    /** Forgets first sightings, except on these paths, because both sides agree again on all others. */
    unsight: (entity: Entity, key: string, except: readonly string[]) =>
      void unsight({ entity, key, except: JSON.stringify(except) }),
  };
}

function createResolutions(sqlite: Sqlite) {
  const { one, run, upsert, value, values } = createStatements(sqlite);
  const questions = values<string>('SELECT question FROM resolutions ORDER BY question');
  const forget = run('DELETE FROM resolutions WHERE question = $question');
  const markSettled = run('UPDATE links SET settled = $mark WHERE entity = $entity AND source_key = $key');
  const winner = value<ConflictResolution['winner']>('SELECT winner FROM resolutions WHERE question = $question');
  const given = one<Pick<ConflictResolution, 'winner' | 'who' | 'reason' | 'at'>>(
    'SELECT winner, who, reason, at FROM resolutions WHERE question = $question',
  );
  const save = upsert(resolutions);
  return {
    markSettled: (entity: Entity, key: string, mark: string) => void markSettled({ entity, key, mark }),
    resolution: (question: string) => winner({ question }),
    /** The decision on a question, with the person and the reason. */
    decisionOn: (question: string) => given({ question }),
    forgetDecision: (question: string) => void forget({ question }),
    /**
     * Deletes decisions of versions before 0.3, which identify a question by 48 bits. Returns the ids of these
     * questions.
     */
    dropShortened(): readonly string[] {
      const short = questions().filter(isShortenedDigest);
      for (const question of short) forget({ question });
      return short;
    },
    resolve: (given: ConflictResolution) => save({ ...given, sourceKey: given.key }),
  };
}
