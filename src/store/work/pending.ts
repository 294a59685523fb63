import { ENTITIES, type Entity } from '../../model/entity.js';
import { createNamedValues } from '../named-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';
import { MOVED } from './work-tables.js';

/**
 * Tracks the records that a run must examine, because one side has changed since the pair was found equal. Changes add
 * records, also through triggers on the tables. Only finding a pair equal removes a record. Every query checks pending
 * records again; other records need no check.
 */
export type Pending = Omit<ReturnType<typeof createPending>, 'forgetFilled'>;

/** Number and token of the last link move seen. */
const SEEN = 'pending.links';
const contextOf = (entity: Entity): string => `pending.context ${entity}`;

/** Number of rows to process before yielding to other work. */
const AT_A_TIME = 2_000;
/** Number of rows to process before yielding to other work, if no look-ups are needed. */
const FILLED_AT_A_TIME = 20_000;

const LINKED_EQUAL = `SELECT 1 FROM staged_rows s
  JOIN state.links l ON l.entity = s.entity AND l.source_key = s.key
  JOIN main.objects o ON o.entity = l.entity AND o.id = l.service_id
  WHERE s.entity = pending.entity AND s.key = pending.key AND s.state IN ('desired', 'leaver', 'early') AND NOT ${MOVED}`;
/** Records that a derivation from scratch would examine. The `+` makes SQLite walk the range instead of the entity. */
const LOOKED_AT = `SELECT s.entity, s.key FROM staged_rows s
  LEFT JOIN state.links l ON l.entity = s.entity AND l.source_key = s.key
  LEFT JOIN main.objects o ON o.entity = l.entity AND o.id = l.service_id
  WHERE +s.entity = $entity AND s.row > $after AND s.row <= $upTo
    AND (l.service_id IS NULL OR s.state NOT IN ('desired', 'leaver', 'early') OR ${MOVED})
  UNION SELECT l.entity, l.source_key FROM state.links l
  WHERE +l.entity = $entity AND l.rowid > $after AND l.rowid <= $upTo
    AND NOT EXISTS (SELECT 1 FROM staged_rows s WHERE s.entity = l.entity AND s.key = l.source_key)`;
const NOWHERE = `NOT EXISTS (SELECT 1 FROM staged_rows s WHERE s.entity = pending.entity AND s.key = pending.key)
  AND NOT EXISTS (SELECT 1 FROM state.links l WHERE l.entity = pending.entity AND l.source_key = pending.key)`;

/** @param isOwn true if the tables are private to this run, so all records are examined */
export function createPending(sqlite: Sqlite, isOwn: boolean) {
  const { any, one, run, value } = createStatements(sqlite);
  const marks = createNamedValues(sqlite, 'marks');
  const IN_RANGE = '> $after AND rowid <= $upTo AND ($entity IS NULL OR entity = $entity)';
  const putAll = run(`INSERT INTO pending (entity, key) SELECT entity, key FROM staged_rows WHERE rowid ${IN_RANGE}
    UNION ALL SELECT entity, source_key FROM state.links WHERE rowid ${IN_RANGE} ON CONFLICT DO NOTHING`);
  const newest = one<LinkMove>('SELECT seq, token FROM state.link_moves ORDER BY seq DESC LIMIT 1');
  const newestUpTo = one<LinkMove>(
    'SELECT seq, token FROM state.link_moves WHERE seq <= $upTo ORDER BY seq DESC LIMIT 1',
  );
  const isKnown = any('SELECT 1 FROM state.link_moves WHERE seq = $seq AND token = $token');
  const takeLinks = run(`INSERT INTO pending (entity, key) SELECT entity, key FROM state.link_moves
    WHERE seq > $seq AND seq <= $upTo ON CONFLICT DO NOTHING`);
  const anyObject = any('SELECT 1 FROM moved_objects LIMIT 1');
  const takeObjects = run(`INSERT INTO pending (entity, key) SELECT l.entity, l.source_key FROM moved_objects m
    CROSS JOIN state.links l ON l.entity = m.entity AND l.service_id = m.id WHERE true ON CONFLICT DO NOTHING`);
  const forgetObjects = run('DELETE FROM moved_objects');
  const forgetCounts = run('DELETE FROM counted');
  const lastOfPage = value<string>(
    'SELECT max(key) FROM (SELECT key FROM pending WHERE entity = $entity AND key > $after ORDER BY key LIMIT $limit)',
  );
  const settle = run(`DELETE FROM pending WHERE entity = $entity AND key > $after AND key <= $upTo
    AND (EXISTS (${LINKED_EQUAL}) OR ${NOWHERE})`);
  const lastRow = value<number>(
    'SELECT max((SELECT coalesce(max(row), 0) FROM staged_rows), (SELECT coalesce(max(rowid), 0) FROM state.links))',
  );
  const putOverlooked = run(`INSERT INTO pending (entity, key) ${LOOKED_AT} ON CONFLICT DO NOTHING`);

  /** True if the table contains all records, and none was removed since. */
  let isFilled = false;

  /** Adds all records, or all records of an entity. */
  function* fill(entity: Entity | null): Generator<void, void> {
    for (let after = 0; after < (lastRow() ?? 0); after += FILLED_AT_A_TIME) {
      putAll({ entity, after, upTo: after + FILLED_AT_A_TIME });
      yield;
    }
    if (entity === null) isFilled = true;
  }

  function fillNow(): void {
    if (!isFilled) for (const _step of fill(null));
  }

  const takeMoves = sqlite.transaction((before: LinkMove | null, now: LinkMove | null): void => {
    // The state comes from a backup, or the mirror belongs to another state. It is unknown which records have changed
    // since.
    if (before === null || !isKnown(before)) fillNow();
    else takeLinks({ seq: before.seq, upTo: now?.seq ?? 0 });
    takeObjects();
    forgetObjects();
    forgetCounts();
    if (now === null) marks.forget(SEEN);
    else marks.set(SEEN, JSON.stringify(now));
  });

  function findSeen(): LinkMove | null {
    const text = marks.find(SEEN);
    return text === null ? null : (JSON.parse(text) as LinkMove);
  }

  /** Adds records that have changed on either side. This is fast if there are none. */
  function takeIn(): void {
    if (isOwn) {
      fillNow();
      return;
    }
    const [before, now] = [findSeen(), newest()];
    if (before === null || before.seq !== now?.seq || before.token !== now.token || anyObject()) takeMoves(before, now);
  }

  /** Like `takeIn`, for pairs found equal with `contextHash`. */
  function takeInUnder(entity: Entity, contextHash: string): void {
    for (const _step of takeInUnderSteps(entity, contextHash));
  }

  function* takeInUnderSteps(entity: Entity, contextHash: string): Generator<void, void> {
    takeIn();
    if (isOwn || marks.find(contextOf(entity)) === contextHash) return;
    if (!isFilled) yield* fill(entity);
    marks.set(contextOf(entity), contextHash);
  }

  /** Adds all records if it is unknown which have changed. */
  function* fillUnknown(): Generator<void, void> {
    const [seen, last] = [findSeen(), newest()];
    if (isFilled || (!isOwn && seen !== null && isKnown(seen))) return;
    yield* fill(null);
    // Moves made meanwhile come after the last previously known move.
    if (!isOwn) takeMoves(seen, last);
  }

  function* takeInSteps(): Generator<void, void> {
    yield* fillUnknown();
    if (isOwn) return;
    for (let before = findSeen(); before !== null && isKnown(before); before = findSeen()) {
      const now = newestUpTo({ upTo: before.seq + AT_A_TIME });
      if (now === null || now.seq - before.seq < AT_A_TIME) break;
      takeMoves(before, now);
      yield;
    }
    takeIn();
    yield;
  }

  function* settleEntity(entity: Entity): Generator<void, void> {
    const contextHash = marks.find(contextOf(entity)) ?? '';
    let after = '';
    for (;;) {
      const upTo = lastOfPage({ entity, after, limit: AT_A_TIME });
      if (upTo === null) return;
      settle({ entity, contextHash, after, upTo });
      yield;
      after = upTo;
    }
  }

  return {
    takeIn,
    takeInUnder,
    /** Like `takeIn` and `takeInUnder`, but in steps. */
    takeInSteps,
    takeInUnderSteps,
    forgetFilled(): void {
      isFilled = false;
    },
    /** Derives from scratch which records must be examined. Returns how many of them were missing here. */
    *putOverlooked(entity: Entity, contextHash: string): Generator<void, number> {
      yield* takeInUnderSteps(entity, contextHash);
      forgetCounts();
      let found = 0;
      if (isFilled) return found;
      for (let after = 0; after < (lastRow() ?? 0); after += AT_A_TIME) {
        found += putOverlooked({ entity, contextHash, after, upTo: after + AT_A_TIME });
        yield;
      }
      return found;
    },
    /** Removes records found equal, in steps. Returns the number of the last link move that can be deleted. */
    *settleInSteps(): Generator<void, number> {
      yield* takeInSteps();
      isFilled = false;
      for (const entity of ENTITIES) yield* settleEntity(entity);
      return newest()?.seq ?? 0;
    },
  };
}

interface LinkMove {
  readonly seq: number;
  readonly token: number;
}
