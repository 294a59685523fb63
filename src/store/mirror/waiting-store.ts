import type { Acknowledgement, NamedHold } from '../../model/desired.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, eachRow, parseOrNull, type RowOf } from '../statements.js';
import type { waiting } from './mirror-schema.js';

/** One item that a plan set aside, with the time of the plan. */
export type WaitingRow = Omit<RowOf<typeof waiting>, 'scope'>;

/** Items of one entity with the same cause and the same acknowledgement. */
export interface WaitingGroup extends Pick<WaitingRow, 'kind' | 'entity' | 'code' | 'cause' | 'resolve' | 'count'> {
  readonly ids: readonly string[];
  /** The run whose undo set the items aside; empty for a plan of everything. */
  readonly scope: string;
  readonly rows: number;
  readonly since: string;
  readonly keys: readonly string[];
  readonly acknowledged: Acknowledgement | null;
}

/** A conflict that a person has decided but no run has carried out yet. */
export interface DecidedConflict extends Pick<WaitingRow, 'id' | 'entity' | 'key'> {
  readonly winner: 'source' | 'service';
  readonly who: string;
  readonly reason: string;
  /** The time of the decision, in ISO 8601. */
  readonly at: string;
}

export interface EarlyJoiner {
  readonly key: string;
  /** The person's first day, in ISO 8601. */
  readonly starts: string | null;
}

interface GroupRow extends Omit<WaitingGroup, 'ids' | 'keys' | 'acknowledged'>, Acknowledgement {
  readonly ids: string;
  readonly keys: string;
}

/** Excludes items that expired or were decided after the last plan, and adds acknowledgements. */
const LASTING = '(w.lapses IS NULL OR w.lapses > $now)';
const OPEN = `${LASTING} AND NOT EXISTS (SELECT 1 FROM state.resolutions r WHERE r.question = w.id)`;
const KNOWN = 'LEFT JOIN state.acknowledgements a ON a.hold = w.id AND (a.until IS NULL OR a.until > $now)';
/** Number of rows to write before yielding to other work. */
const AT_A_TIME = 500;

/** Stores waiting items from the newest plans. */
export function createWaitingStore(sqlite: Sqlite) {
  const { all, any } = createStatements(sqlite);
  const groups = all<GroupRow>(
    `SELECT w.kind, w.entity, w.code, w.cause, min(w.resolve) AS resolve, sum(w.count) AS count, json_group_array(w.id) AS ids,
       max(w.scope) AS scope, count(*) AS rows, min(w.since) AS since, json_group_array(w.key) AS keys, a.who, a.reason, a.until, a.at
     FROM waiting w ${KNOWN} WHERE ${OPEN}
     GROUP BY w.kind, w.entity, w.code, w.cause, a.who, a.reason, a.until ORDER BY min(w.rowid)`,
  );
  const decided = all<DecidedConflict>(
    `SELECT w.id, w.entity, w.key, r.winner, r.who, r.reason, r.at FROM waiting w
     JOIN state.resolutions r ON r.question = w.id WHERE ${LASTING} ORDER BY w.rowid`,
  );
  const pageOf = (which: string) =>
    all<{ row: number; body: string; since: string; ack: string | null }>(
      `SELECT w.rowid AS row, w.body, w.since, CASE WHEN a.hold IS NULL THEN NULL ELSE
         json_object('who', a.who, 'reason', a.reason, 'until', a.until, 'at', a.at) END AS ack
       FROM waiting w ${KNOWN} WHERE ${which} AND w.body IS NOT NULL AND w.rowid > $row
       ORDER BY w.rowid LIMIT 500`,
    );
  const pages = { open: pageOf(OPEN), all: pageOf(LASTING) };
  const early = all<EarlyJoiner>(
    `SELECT s.key, s.starts FROM main.staged_rows s
     LEFT JOIN state.links l ON l.entity = s.entity AND l.source_key = s.key
     LEFT JOIN main.objects o ON o.entity = s.entity AND o.id = l.service_id
     WHERE s.entity = 'users' AND s.state = 'early' AND s.state NOT IN ('desired', 'leaver')
       AND s.starts IS NOT NULL AND coalesce(o.active, 0) = 0
     ORDER BY s.starts, s.key`,
  );
  const isPaused = any("SELECT 1 FROM waiting WHERE kind = 'refused' AND entity = $entity AND key = $key");
  return {
    record: createRecord(sqlite),
    groups: (now: string): readonly WaitingGroup[] => groups({ now }).map(toGroup),
    decided: (now: string) => decided({ now }),
    /** Yields every hold separately. `all` includes decided questions until a plan stops asking them. */
    *holds(now: string, which: 'open' | 'all' = 'open'): Iterable<NamedHold & { readonly since: string }> {
      for (const { body, since, ack } of eachRow(({ row }) => pages[which]({ row, now }), { row: 0 })) {
        const { acknowledged: _then, ...hold } = JSON.parse(body) as NamedHold;
        const known = parseOrNull<Acknowledgement>(ack);
        yield { ...hold, since, ...(known === null ? {} : { acknowledged: known }) };
      }
    },
    /** People in the sources' last read who are created or activated only on their first day. */
    early,
    /** True if changes of the record were rejected repeatedly and are paused. */
    isPaused: (entity: string, key: string) => isPaused({ entity, key }),
  };
}

function toGroup({ ids, keys, who, reason, until, at, ...row }: GroupRow): WaitingGroup {
  const named = (JSON.parse(keys) as readonly (string | null)[]).filter((key) => key !== null);
  const known = JSON.parse(ids) as readonly string[];
  return { ...row, ids: known, keys: named, acknowledged: who === null ? null : { who, reason, until, at } };
}

export interface Recording {
  /** The time of the plan, in ISO 8601. */
  readonly now: string;
  /** When the plan's items expire, in ISO 8601; null if they last until another plan ends them. */
  readonly lapses: string | null;
  /** True for entities that the plan did not cover, so that their items stay. */
  readonly isUnseen: (entity: string) => boolean;
}

function createRecord(sqlite: Sqlite) {
  const { run } = createStatements(sqlite);
  const put = run(
    `INSERT INTO waiting (scope, name, id, kind, entity, key, code, cause, resolve, count, since, lapses, body)
     VALUES ($scope, $name, $id, $kind, $entity, $key, $code, $cause, $resolve, $count, $since, $lapses, $body)
     ON CONFLICT DO UPDATE SET id = excluded.id, kind = excluded.kind, cause = excluded.cause, resolve = excluded.resolve,
       count = excluded.count, lapses = excluded.lapses, body = excluded.body
     WHERE id <> excluded.id OR cause <> excluded.cause OR resolve <> excluded.resolve OR count <> excluded.count
       OR lapses IS NOT excluded.lapses OR body IS NOT excluded.body`,
  );
  const names = createStatements(sqlite).all<{ name: string; entity: string }>(
    'SELECT name, entity FROM waiting WHERE scope = $scope',
  );
  const forget = run('DELETE FROM waiting WHERE scope = $scope AND name = $name');
  const forgetLapsed = run('DELETE FROM waiting WHERE lapses <= $now');
  /** Replaces the previous plan's items with the current plan's, in steps. Items that still wait keep their start. */
  return function* record(
    scope: string,
    rows: Iterable<Omit<WaitingRow, 'since' | 'lapses'>>,
    { now, lapses, isUnseen }: Recording,
  ): Generator<void, void> {
    const seen = new Set<string>();
    for (const row of rows) {
      put({ ...row, scope, since: now, lapses });
      seen.add(row.name);
      if (seen.size % AT_A_TIME === 0) yield;
    }
    for (const { name, entity } of names({ scope })) if (!seen.has(name) && !isUnseen(entity)) forget({ scope, name });
    forgetLapsed({ now });
  };
}
