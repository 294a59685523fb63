import type {
  Candidate,
  Desired,
  MergedLink,
  MissingLink,
  OutOfScopeLink,
  UntakenFields,
} from '../../model/desired.js';
import type { Entity } from '../../model/entity.js';
import type { Place } from '../../model/place.js';
import { createValuePacker, unpackOrNull, type ValuePacker } from '../packed-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, eachRow, parseOrNull, takePage } from '../statements.js';
import { isEqualPair } from './equal-pairs.js';
import type { SeenStaging } from './known-rows.js';
import type { Pending } from './pending.js';
import { type RowReading, STAGED_COLUMNS, type StagedColumns, toDesired } from './staged-lookup.js';
import { MOVED, PENDING_JOINED } from './work-tables.js';

/** Queries for everything that a run must examine. Other rows are never read. */
export function createCandidates(sqlite: Sqlite, pending: Pending, { placeOf }: SeenStaging) {
  return {
    ...createRecordCandidates(sqlite, pending, placeOf),
    ...createLinkCandidates(sqlite, pending),
    ...createKeys(sqlite, pending),
  };
}

interface CandidateRow extends StagedColumns {
  readonly hash: string;
  readonly linkedId: string | null;
  readonly same: number;
  readonly still: number;
  readonly agreed: string | null;
  readonly written: string | null;
  readonly untaken: string | null;
}

interface PairReading extends RowReading {
  /** Unpacks the values in links. */
  readonly links: ValuePacker;
}

function toCandidate(entity: Entity, row: CandidateRow, reading: PairReading): Candidate {
  const { links } = reading;
  return {
    desired: toDesired(entity, row, reading),
    desiredHash: row.hash,
    linkedId: row.linkedId,
    sourceUnchanged: row.same === 1,
    serviceUnchanged: row.linkedId !== null && row.still === 1,
    base: unpackOrNull(links, row.agreed),
    written: unpackOrNull(links, row.written),
    untaken: parseOrNull<UntakenFields>(row.untaken) ?? {},
  };
}

const PAGE_CHARACTERS = 4_000_000;

/** The start of a page, which begins after this key. */
interface After {
  readonly key: string;
}

const FIRST: After = { key: '' };

function createRecordCandidates(sqlite: Sqlite, { takeIn, takeInUnder }: Pending, placeOf: SeenStaging['placeOf']) {
  const { all, each, value, values } = createStatements(sqlite);
  const packer = createValuePacker(sqlite);
  const reading = { links: createValuePacker(sqlite, 'state'), packer, placeOf };
  const eachWhere = (condition: string) => {
    const read = each<CandidateRow>(
      `SELECT ${STAGED_COLUMNS}, s.hash, l.service_id AS linkedId, l.desired_hash IS s.hash AS same, l.observed_hash IS o.hash AS still,
         l.agreed, l.written, l.untaken
       FROM ${PENDING_JOINED} WHERE p.entity = $entity AND p.key > $key AND ${condition} ORDER BY p.key LIMIT 500`,
    );
    return function* (entity: Entity, named: object = {}): Iterable<Candidate> {
      const page = ({ key }: After) => takePage(read({ ...named, entity, key }), PAGE_CHARACTERS);
      for (const row of eachRow(page, FIRST)) yield toCandidate(entity, row, reading);
    };
  };
  const isCandidate = `(s.state IN ('desired', 'leaver') OR s.state = 'early' AND (l.service_id IS NOT NULL OR s.starts IS NULL)) AND ${MOVED} AND NOT ${isEqualPair('p')}`;
  const candidates = eachWhere(isCandidate);
  const countCandidates = value<number>(
    `SELECT count(*) FROM ${PENDING_JOINED} WHERE p.entity = $entity AND ${isCandidate}`,
  );
  const unlinked = eachWhere(
    `(s.state IN ('desired', 'leaver') OR s.state = 'early' AND s.starts IS NULL) AND l.service_id IS NULL`,
  );
  const UNLINKED = `FROM ${PENDING_JOINED} WHERE p.entity = $entity AND s.state = 'desired' AND l.service_id IS NULL`;
  const countUnlinked = value<number>(`SELECT count(*) ${UNLINKED}`);
  const unlinkedKeys = values<string>(
    `SELECT key FROM (SELECT p.key, row_number() OVER (ORDER BY p.key) - 1 AS at ${UNLINKED})
     WHERE at IN (SELECT value FROM json_each($places)) ORDER BY key`,
  );
  const unmirrored = eachWhere(
    `s.state IN ('desired', 'leaver', 'early') AND l.service_id IS NOT NULL AND o.id IS NULL`,
  );
  const outsiders = all<After & { body: string }>(
    `SELECT s.key, s.body FROM ${PENDING_JOINED}
     WHERE p.entity = $entity AND p.key > $key AND s.state = 'out' AND s.body IS NOT NULL AND l.service_id IS NULL
     ORDER BY p.key LIMIT 500`,
  );
  return {
    /** Records that are unlinked, or that changed since the pair was last found equal with `contextHash`. */
    candidates(entity: Entity, contextHash: string): Iterable<Candidate> {
      takeInUnder(entity, contextHash);
      return candidates(entity, { contextHash });
    },
    /** Number of candidates. Counting them reads all of them once. */
    countCandidates(entity: Entity, contextHash: string): number {
      takeInUnder(entity, contextHash);
      return countCandidates({ entity, contextHash }) ?? 0;
    },
    /** Candidates that have no link. */
    unlinked(entity: Entity): Iterable<Candidate> {
      takeIn();
      return unlinked(entity);
    },
    /** Keys of unlinked records that a source delivers: all of them, or at most this many, evenly spread. */
    unlinkedKeys(entity: Entity, most: number): { readonly count: number; readonly keys: readonly string[] } {
      takeIn();
      const count = countUnlinked({ entity }) ?? 0;
      const step = Math.max(1, count / most);
      const places = Array.from({ length: Math.min(count, most) }, (_, at) => Math.floor(at * step));
      return { count, keys: count === 0 ? [] : unlinkedKeys({ entity, places: JSON.stringify(places) }) };
    },
    /** Linked records with an object that is not in the mirror. */
    unmirrored(entity: Entity): Iterable<Candidate> {
      takeIn();
      return unmirrored(entity);
    },
    /** Unlinked rows that are out of scope, with their values. */
    *outsiders(entity: Entity): Iterable<Pick<Desired, 'key' | 'values'>> {
      takeIn();
      for (const { key, body } of eachRow(({ key }) => outsiders({ entity, key }), FIRST))
        yield { key, values: packer.unpack(body) };
    },
  };
}

/** False before the first link. Looking for the links of all pending records would take long. */
const ANY_LINK = 'EXISTS (SELECT 1 FROM state.links x WHERE x.entity = $entity)';
const LINKS_PENDING = `pending p CROSS JOIN state.links l ON ${ANY_LINK} AND l.entity = p.entity AND l.source_key = p.key`;
const NOT_STAGED = 'NOT EXISTS (SELECT 1 FROM staged s WHERE s.entity = p.entity AND s.key = p.key)';

function createLinkCandidates(sqlite: Sqlite, { takeIn }: Pending) {
  const { all } = createStatements(sqlite);
  const missing = all<MissingLink>(
    `SELECT l.source_key AS key, l.service_id AS id FROM ${LINKS_PENDING}
     WHERE p.entity = $entity AND p.key > $key AND ${NOT_STAGED}
       AND EXISTS (SELECT 1 FROM main.objects o WHERE o.entity = l.entity AND o.id = l.service_id AND o.active = 1)
     ORDER BY p.key LIMIT 500`,
  );
  const linkedIn = all<{ key: string; id: string; place: string }>(
    `SELECT l.source_key AS key, l.service_id AS id, s.place FROM ${PENDING_JOINED}
     WHERE ${ANY_LINK} AND p.entity = $entity AND p.key > $key AND s.state = $state AND o.active = 1 ORDER BY p.key LIMIT 500`,
  );
  function* eachLinkIn(entity: Entity, state: 'out' | 'gone'): Iterable<OutOfScopeLink> {
    takeIn();
    for (const link of eachRow(({ key }) => linkedIn({ entity, state, key }), FIRST))
      yield { ...link, place: JSON.parse(link.place) as Place };
  }
  // A record may be merged into a record that was itself merged later. The depth limit stops at circles.
  const merges = all<MergedLink>(
    `WITH RECURSIVE path (key, at, depth) AS (
       SELECT m.old_key, m.new_key, 1 FROM merged m JOIN state.links l ON l.entity = m.entity AND l.source_key = m.old_key
       WHERE m.entity = $entity
       UNION ALL SELECT p.key, m.new_key, p.depth + 1 FROM path p JOIN merged m ON m.entity = $entity AND m.old_key = p.at
       WHERE p.depth < 20)
     SELECT p.key, p.at AS "into", l.service_id AS id FROM path p
     JOIN state.links l ON l.entity = $entity AND l.source_key = p.key
     WHERE p.depth = (SELECT max(q.depth) FROM path q WHERE q.key = p.key) AND p.at <> p.key
     ORDER BY l.at, p.key`,
  );
  return {
    *missing(entity: Entity): Iterable<MissingLink> {
      takeIn();
      yield* eachRow(({ key }) => missing({ entity, key }), FIRST);
    },
    /** Links that have an out-of-scope row and an active object. */
    outOfScope: (entity: Entity) => eachLinkIn(entity, 'out'),
    /** Links that have an active object and a row that was deleted in the source. */
    gone: (entity: Entity) => eachLinkIn(entity, 'gone'),
    /** Links of merged records, each with the last record in its chain of merges. */
    merges: (entity: Entity) => merges({ entity }),
  };
}

function createKeys(sqlite: Sqlite, { takeIn }: Pending) {
  const { all } = createStatements(sqlite);
  const fresh = all<After>(
    `SELECT s.key FROM ${PENDING_JOINED}
     WHERE p.entity = $entity AND p.key > $key AND s.source = $source AND s.state <> 'gone' AND l.service_id IS NULL
     ORDER BY p.key LIMIT 1000`,
  );
  const lost = all<After>(
    `SELECT l.source_key AS key FROM ${LINKS_PENDING} WHERE p.entity = $entity AND p.key > $key AND ${NOT_STAGED}
     ORDER BY p.key LIMIT 1000`,
  );
  return {
    /** Keys of unlinked records that a source delivers. */
    *freshKeys(entity: Entity, source: string): Iterable<string> {
      takeIn();
      for (const row of eachRow(({ key }) => fresh({ entity, source, key }), FIRST)) yield row.key;
    },
    /** Keys of links that have no row. */
    *lostKeys(entity: Entity): Iterable<string> {
      takeIn();
      for (const row of eachRow(({ key }) => lost({ entity, key }), FIRST)) yield row.key;
    },
  };
}
