import type {
  Candidate,
  Desired,
  MergedLink,
  MissingLink,
  OutOfScopeLink,
  UntakenFields,
} from '../../model/desired.js';
import { type Entity, isLink } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import { foldKey } from '../../model/observed.js';
import { formatPlace, type Place } from '../../model/place.js';
import { identityFields, listIdentities, listTexts, type RawRow } from '../../model/raw-text.js';
import type { GoneRow, MergedRow } from '../../model/source.js';
import { mergeLinks } from '../../model/staffing.js';
import type { Backing } from '../../model/write-back.js';
import { hashBacking, hashDesired } from '../hash-observed.js';
import type { MappedRowsWriter } from '../mirror/mapped-rows.js';
import type { Sqlite } from '../sqlite.js';
import type { UnusableRows } from './unusable-store.js';
import { JOINED, MOVED, parseOrNull } from './work-tables.js';

export interface StagedRow {
  readonly desired: Desired;
  readonly hash: string;
  /** Of its source's row, where the values are to be remembered until the row changes. */
  readonly digest?: string;
  /** What stands in its row. */
  readonly raw?: () => RawRow;
  /** Its values come from other rows as well, so that they don't tell what stands in its own. */
  readonly keepsRaw?: boolean;
}

/** What the sources want in this run, and the questions that name the candidates. */
export interface StagingStore {
  /** Of several streams of an entity, the first that has a key wins, in whatever order their rows are staged. */
  rankStreams(entity: Entity, streams: readonly string[]): void;
  stage(rows: readonly StagedRow[]): void;
  /** A row that is not desired but was seen: out of scope, or held. It stands for its person all the same. */
  stageState(
    entity: Entity,
    key: string,
    source: string,
    place: string,
    state: 'out' | 'held',
    /** Of a row out of scope: what stands in it. A held one's is kept by whoever holds it. */
    raw: RawRow | null,
    /** Of a row out of scope, so that its account can still be found. */
    values?: Values | null,
  ): void;
  /** Rows that the source says were deleted; any other row of the same key, earlier or later, takes their place. */
  stageGone(entity: Entity, rows: readonly GoneRow[]): void;
  /** Records that were merged into others of the same source. */
  stageMerged(entity: Entity, rows: readonly MergedRow[]): void;
  /** Links of records that were merged, each with the record that it went into in the end. */
  merges(entity: Entity): readonly MergedLink[];
  duplicates(entity: Entity): readonly { readonly key: string; readonly places: readonly Place[] }[];
  /** Whether a record of that key was delivered, used or not; a deleted one was not. */
  isStaged(entity: Entity, key: string): boolean;
  stagedByKey(entity: Entity, key: string): { readonly state: string; readonly desired: Desired | null } | null;
  /** Keys of the staged records that a person may mean: by key, e-mail, external id or name, folded. */
  findStaged(entity: Entity, words: string): readonly string[];
  /** Whether one of the cells is a word for a linked object that no usable row stands for: key, or what it can be matched by. */
  standsForLinked(entity: Entity, cells: RawRow): boolean;
  /** A page: at most `limit`, fewer where they are long; none at the end. Records that are unlinked, or whose hashes moved since the pair was last found equal under `contextHash`. */
  candidates(entity: Entity, contextHash: string, afterRow: number, limit: number): readonly Candidate[];
  /** Of these, the ones that are unlinked. */
  unlinked(entity: Entity, afterRow: number, limit: number): readonly Candidate[];
  /** Records with a link whose object the mirror does not have. */
  unmirrored(entity: Entity, afterRow: number, limit: number): readonly Candidate[];
  missing(entity: Entity, afterKey: string, limit: number): readonly MissingLink[];
  /** Rows out of scope that no link knows, with their values. */
  outsiders(
    entity: Entity,
    afterRow: number,
    limit: number,
  ): readonly { readonly row: number; readonly key: string; readonly values: Values }[];
  /** Rows that no link knows and that cannot be used: held, several of one key, or out of scope and unreadable. */
  unreadableUnlinked(entity: Entity): number;
  /** Links whose row was seen out of scope, and whose object is active. */
  outOfScope(entity: Entity, afterKey: string, limit: number): readonly OutOfScopeLink[];
  /** Links whose row the source says was deleted, and whose object is active. */
  gone(entity: Entity, afterKey: string, limit: number): readonly OutOfScopeLink[];
  /** Linked objects whose row a source delivered, usable or not; without those that are known to be out of use. */
  linkedPresent(entity: Entity, source: string): number;
  /** Of the people among them, those whose row has another name than their account, and an address that nobody has. */
  replacedPeople(source: string): number;
  /** Forgets the rows of an entity, and what is held of them: its source is not to be used. */
  unstage(entity: Entity): void;
  /** Linked objects that are active now: what percentages of guards are of. */
  linkedActive(entity: Entity): number;
  /** Keys that a source delivers and no link knows. */
  freshKeys(entity: Entity, source: string): Iterable<string>;
  /** Keys of links that no row stands for. */
  lostKeys(entity: Entity): Iterable<string>;
  /** Keys of people or objects that are here, and how many of them no link knew at the start. */
  keyCounts(entity: Entity): { readonly all: number; readonly fresh: number };
  /** Records that are wanted in the service, leavers not among them, in the order of their keys. */
  desiredAfter(entity: Entity, key: string, limit: number): readonly Desired[];
}

/** Characters: of a wrong key column every row is a duplicate, and a text that grows with each would be written over and over. */
export const PLACES_KEPT = 2_000;

interface StagedColumns {
  key: string;
  state: string;
  body: string;
  place: string;
  preference: number | string | null;
  back?: string | null;
}

function toDesired(entity: Entity, row: StagedColumns): Desired {
  return {
    entity,
    key: row.key,
    place: JSON.parse(row.place) as Place,
    values: JSON.parse(row.body) as Values,
    leaver: row.state === 'leaver',
    early: row.state === 'early',
    preference: row.preference,
    ...(row.back === undefined || row.back === null ? {} : { writeBack: JSON.parse(row.back) as Backing }),
  };
}

interface CandidateRow extends StagedColumns {
  row: number;
  hash: string;
  service_id: string | null;
  same: number;
  agreed: string | null;
  written: string | null;
  untaken: string | null;
}

function toCandidate(entity: Entity, row: CandidateRow): Candidate {
  return {
    row: row.row,
    desired: toDesired(entity, row),
    desiredHash: row.hash,
    linkedId: row.service_id,
    sourceUnchanged: row.same === 1,
    base: parseOrNull<Values>(row.agreed),
    written: parseOrNull<Values>(row.written),
    untaken: parseOrNull<UntakenFields>(row.untaken) ?? {},
  };
}

/** Characters: records may be as long as they like, a page of them is held in memory. */
const PAGE_CHARACTERS = 4_000_000;

function readPage(entity: Entity, rows: Iterable<CandidateRow>): readonly Candidate[] {
  const page: Candidate[] = [];
  let characters = 0;
  for (const row of rows) {
    page.push(toCandidate(entity, row));
    characters += row.body.length;
    if (characters > PAGE_CHARACTERS) break;
  }
  return page;
}

/** Page by page: a statement that is open keeps others from writing. */
function* eachKey(readPage: (after: string, limit: number) => readonly string[]): Iterable<string> {
  for (let after = ''; ; ) {
    const page = readPage(after, 1000);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

type StagedTexts = Pick<StagedColumns, 'state' | 'place'> & {
  readonly raw: string | null;
  readonly body: string | null;
};

/** Rows of one key that differ in what people are known by. */
function isSomebodyElse(entity: Entity, body: string | null, values: Values): boolean {
  if (body === null) return false;
  const [one, other] = [JSON.parse(body) as Values, values].map((each) => listIdentities(entity, '', [each]).join('|'));
  return one !== other;
}

export function createStagingStore(
  sqlite: Sqlite,
  remember: MappedRowsWriter['remember'],
  keepUnusable: UnusableRows['keepUnusable'],
): StagingStore {
  const ranked = new Map<Entity, readonly string[]>();
  const insert = sqlite.prepare(
    `INSERT INTO staged_rows (entity, key, source, state, hash, body, place, preference, raw, back, back_hash, remembered)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const select = sqlite.prepare<
    [string, string],
    {
      key: string;
      state: string;
      source: string;
      body: string | null;
      place: string;
      preference: number | string | null;
      raw: string | null;
      back: string | null;
    }
  >('SELECT key, state, source, body, place, preference, raw, back FROM staged WHERE entity = ? AND key = ?');
  const replace = sqlite.prepare(
    `UPDATE staged_rows SET source = ?, state = ?, hash = ?, body = ?, place = ?, preference = ?, raw = ?, back = ?, back_hash = ?, remembered = 0
     WHERE entity = ? AND key = ?`,
  );
  const drop = sqlite.prepare('DELETE FROM staged_rows WHERE entity = ? AND key = ?');
  const spoil = sqlite.prepare(
    `UPDATE staged_rows SET state = 'duplicate', place = CASE WHEN length(place) < ${PLACES_KEPT} THEN place || ',' || ? ELSE place END
     WHERE entity = ? AND key = ?`,
  );
  const duplicates = sqlite.prepare<[string], { key: string; place: string }>(
    `SELECT key, place FROM staged WHERE entity = ? AND state = 'duplicate' ORDER BY rowid`,
  );
  const find = sqlite
    .prepare<[string, string], string>(
      `SELECT key FROM staged WHERE entity = ? AND ? IN (lower(key), lower(json_extract(body, '$.email')),
         lower(json_extract(body, '$.external_unique_id')), lower(json_extract(body, '$.name')))
       ORDER BY key LIMIT 20`,
    )
    .pluck();
  const linkedUnusable = sqlite
    .prepare<{ entity: string; cell: string; folded: string; names: string }, number>(
      `SELECT 1 FROM state.links l WHERE l.entity = $entity
         AND (l.source_key = $cell OR l.service_id IN
           (SELECT k.id FROM main.object_keys k WHERE k.entity = $entity AND k.value = $folded
             AND k.name IN (SELECT value FROM json_each($names))))
         AND NOT EXISTS (SELECT 1 FROM staged_rows s WHERE s.entity = l.entity AND s.key = l.source_key
           AND s.state NOT IN ('held', 'duplicate', 'gone')) LIMIT 1`,
    )
    .pluck();
  // In the order in which they lie, and not by key (`+`): each page begins where the last one ended, without a sort.
  const selectCandidates = `SELECT s.rowid AS row, s.key, s.state, s.body, s.place, s.preference, s.back, s.hash, l.service_id, l.desired_hash IS s.hash AS same, l.agreed, l.written, l.untaken FROM ${JOINED}
     WHERE +s.entity = ? AND s.rowid > ?`;
  const candidates = sqlite.prepare<[string, number, string, number], CandidateRow>(
    `${selectCandidates} AND (s.state IN ('desired', 'leaver') OR s.state = 'early' AND l.service_id IS NOT NULL) AND ${MOVED} ORDER BY s.rowid LIMIT ?`,
  );
  const unlinked = sqlite.prepare<[string, number, number], CandidateRow>(
    `${selectCandidates} AND s.state IN ('desired', 'leaver') AND l.service_id IS NULL ORDER BY s.rowid LIMIT ?`,
  );
  const unmirrored = sqlite.prepare<[string, number, number], CandidateRow>(
    `${selectCandidates} AND s.state IN ('desired', 'leaver', 'early') AND l.service_id IS NOT NULL AND o.id IS NULL ORDER BY s.rowid LIMIT ?`,
  );
  const missing = sqlite.prepare<[string, string, number], MissingLink>(
    `SELECT l.source_key AS key, l.service_id AS id FROM state.links l
     WHERE l.entity = ? AND l.source_key > ?
       AND NOT EXISTS (SELECT 1 FROM staged s WHERE s.entity = l.entity AND s.key = l.source_key)
       AND EXISTS (SELECT 1 FROM main.objects o WHERE o.entity = l.entity AND o.id = l.service_id AND o.active = 1)
     ORDER BY l.source_key LIMIT ?`,
  );
  const linkedIn = sqlite.prepare<[string, string, string, number], { key: string; id: string; place: string }>(
    `SELECT l.source_key AS key, l.service_id AS id, s.place FROM staged s
     JOIN state.links l ON l.entity = s.entity AND l.source_key = s.key
     JOIN main.objects o ON o.entity = l.entity AND o.id = l.service_id
     WHERE s.entity = ? AND s.state = ? AND o.active = 1 AND l.source_key > ? ORDER BY l.source_key LIMIT ?`,
  );
  const linksIn = (entity: Entity, state: 'out' | 'gone', afterKey: string, limit: number): readonly OutOfScopeLink[] =>
    linkedIn
      .all(entity, state, afterKey, limit)
      .map(({ key, id, place }) => ({ key, id, place: JSON.parse(place) as Place }));
  const outsiders = sqlite.prepare<[string, number, number], { row: number; key: string; body: string }>(
    `SELECT s.rowid AS row, s.key, s.body FROM ${JOINED}
     WHERE s.entity = ? AND s.rowid > ? AND s.state = 'out' AND s.body IS NOT NULL AND l.service_id IS NULL
     ORDER BY s.rowid LIMIT ?`,
  );
  const unreadable = sqlite
    .prepare<[string], number>(
      `SELECT count(*) FROM ${JOINED} WHERE s.entity = ? AND l.service_id IS NULL
         AND (s.state IN ('held', 'duplicate') OR (s.state = 'out' AND s.body IS NULL))`,
    )
    .pluck();
  const linkedActive = sqlite
    .prepare<[string], number>(
      `SELECT count(*) FROM state.links l JOIN main.objects o ON o.entity = l.entity AND o.id = l.service_id
       WHERE l.entity = ? AND o.active = 1`,
    )
    .pluck();
  const differs = (what: (body: string) => string): string =>
    `lower(trim(${what('s.body')})) <> lower(trim(${what('o.body')}))`;
  const localPart = (body: string): string =>
    `substr(json_extract(${body}, '$.email'), 1, instr(json_extract(${body}, '$.email'), '@'))`;
  const replacedPeople = sqlite
    .prepare<[string], number>(
      `SELECT count(*) FROM ${JOINED} WHERE s.entity = 'users' AND s.source = ? AND s.state = 'desired' AND o.active = 1
         AND l.desired_hash IS NOT s.hash AND ${differs((body) => `json_extract(${body}, '$.name')`)} AND ${differs(localPart)}
         AND NOT EXISTS (SELECT 1 FROM main.object_keys k WHERE k.entity = 'users' AND k.name = 'email'
           AND k.value = lower(trim(json_extract(s.body, '$.email'))))`,
    )
    .pluck();
  const linkedPresent = sqlite
    .prepare<[string, string], number>(
      `SELECT count(*) FROM ${JOINED} WHERE s.entity = ? AND s.source = ? AND s.state <> 'gone'
         AND l.service_id IS NOT NULL AND o.active IS NOT 0`,
    )
    .pluck();
  const unstage = ['staged_rows', 'held', 'strange_words'].map((table) =>
    sqlite.prepare(`DELETE FROM ${table} WHERE entity = ?`),
  );
  const freshKeys = sqlite
    .prepare<[string, string, string, number], string>(
      `SELECT s.key FROM staged_rows s LEFT JOIN state.links l ON l.entity = s.entity AND l.source_key = s.key
       WHERE s.entity = ? AND s.source = ? AND s.state <> 'gone' AND l.service_id IS NULL AND s.key > ? ORDER BY s.key LIMIT ?`,
    )
    .pluck();
  const lostKeys = sqlite
    .prepare<[string, string, number], string>(
      `SELECT l.source_key FROM state.links l WHERE l.entity = ? AND l.source_key > ?
         AND NOT EXISTS (SELECT 1 FROM staged_rows s WHERE s.entity = l.entity AND s.key = l.source_key)
       ORDER BY l.source_key LIMIT ?`,
    )
    .pluck();
  const insertMerged = sqlite.prepare('INSERT OR REPLACE INTO merged VALUES (?, ?, ?)');
  // A record may have gone into one that went into another later; a circle ends by itself.
  const merges = sqlite.prepare<[{ entity: string }], MergedLink>(
    `WITH RECURSIVE path (key, at, depth) AS (
       SELECT m.old_key, m.new_key, 1 FROM merged m JOIN state.links l ON l.entity = m.entity AND l.source_key = m.old_key
       WHERE m.entity = @entity
       UNION ALL SELECT p.key, m.new_key, p.depth + 1 FROM path p JOIN merged m ON m.entity = @entity AND m.old_key = p.at
       WHERE p.depth < 20)
     SELECT p.key, p.at AS "into", l.service_id AS id FROM path p
     JOIN state.links l ON l.entity = @entity AND l.source_key = p.key
     WHERE p.depth = (SELECT max(q.depth) FROM path q WHERE q.key = p.key) AND p.at <> p.key
     ORDER BY l.at, p.key`,
  );
  const keyCounts = sqlite.prepare<[string], { all: number; fresh: number }>(
    `SELECT count(*) AS "all", count(*) - count(l.service_id) AS fresh FROM staged_rows s
     LEFT JOIN state.links l ON l.entity = s.entity AND l.source_key = s.key
     WHERE s.entity = ? AND s.state = 'desired'`,
  );
  const desiredAfter = sqlite.prepare<[string, string, number], StagedColumns>(
    `SELECT key, state, body, place, preference FROM staged
     WHERE entity = ? AND key > ? AND state = 'desired' ORDER BY key LIMIT ?`,
  );

  function isBefore(entity: Entity, one: string, other: string): boolean {
    const streams = ranked.get(entity) ?? [];
    return streams.indexOf(one) < streams.indexOf(other);
  }

  /** A row that is there takes the place of one that was deleted, and of one from a stream that comes after its own. */
  function insertLive(
    entity: Entity,
    key: string,
    source: string,
    values: Values | null,
    ...cells: readonly (string | number | null)[]
  ): boolean {
    const put = (): boolean => insert.run(entity, key, source, ...cells).changes === 1;
    if (put()) return true;
    const other = select.get(entity, key);
    if (other === undefined) return false;
    const isLater = !isLink(entity) && isBefore(entity, source, other.source);
    if (other.state !== 'gone' && !isLater) return false;
    if (values !== null && isSomebodyElse(entity, other.body, values)) keepOther(entity, key, other);
    drop.run(entity, key);
    return put();
  }

  function keep(entity: Entity, place: Place, raw: RawRow): void {
    if (raw.length > 0) keepUnusable({ of: entity, place: formatPlace(place), raw, isOpen: false });
  }

  /** Of two rows of one key not both are used, and one of the keys may be another person's, mistyped. */
  function keepOther(entity: Entity, key: string, { state, raw, body, place }: StagedTexts): void {
    const text = raw ?? body;
    // Of a row that was a duplicate before, the places of all are known, and their texts are kept.
    if (state !== 'duplicate' && text !== null)
      keep(entity, JSON.parse(place) as Place, [key, ...listTexts(JSON.parse(text))]);
  }

  /** Rows of one link are one (`mergeLinks`), beside one that cannot be used too. Of all else: the first stream that has it wins (`from: [a, b]`), then `prefer`; else none of them is used. */
  function put({ desired: d, hash, digest, raw, keepsRaw }: StagedRow): void {
    const state = d.leaver ? 'leaver' : d.early === true ? 'early' : 'desired';
    const body = JSON.stringify(d.values);
    const place = JSON.stringify(d.place);
    const back = d.writeBack === undefined ? [null, null] : [JSON.stringify(d.writeBack), hashBacking(d.writeBack)];
    // Rank and backing are kept nowhere but here: what `prefer` chooses among, and what is written back, is mapped in every run.
    const kept = d.preference === null && d.writeBack === undefined ? digest : undefined;
    const { source } = d.place;
    const ownRaw = keepsRaw === true ? JSON.stringify(raw?.()) : null;
    const cells = [state, hash, kept === undefined ? body : null, place, d.preference, ownRaw];
    if (insertLive(d.entity, d.key, source, d.values, ...cells, ...back, kept === undefined ? 0 : 1)) {
      if (kept !== undefined) remember({ entity: d.entity, key: d.key, digest: kept, state, hash, body });
      return;
    }
    const other = select.get(d.entity, d.key);
    if (other === undefined) return;
    if (isLink(d.entity)) {
      const there = other.body === null ? null : (JSON.parse(other.body) as Values);
      const isFirst = there === null || isBefore(d.entity, source, other.source);
      const merged = there === null ? d.values : isFirst ? mergeLinks(d.values, there) : mergeLinks(there, d.values);
      const first = isFirst ? { source, place, preference: d.preference } : other;
      const cells = [first.source, state, hashDesired(false, merged), JSON.stringify(merged), first.place];
      replace.run(...cells, first.preference, null, ...back, d.entity, d.key);
      return;
    }
    const isTie = d.preference === null || other.preference === null || d.preference === other.preference;
    if ((isTie && other.source === source) || isSomebodyElse(d.entity, other.body, d.values)) {
      keepOther(d.entity, d.key, other);
      keep(d.entity, d.place, raw?.() ?? listTexts(d.values));
    }
    if (other.source !== source) return;
    // Rows that tie below a greater one are as good as not there: only a tie at the top is a duplicate.
    if (d.preference === null || other.preference === null || isTie) {
      spoil.run(place, d.entity, d.key);
    } else if (d.preference > other.preference) {
      replace.run(source, state, hash, body, place, d.preference, ownRaw, ...back, d.entity, d.key);
    }
  }

  return {
    rankStreams: (entity, streams) => void ranked.set(entity, streams),
    stage: (rows) => rows.forEach(put),
    stageState(entity, key, source, place, state, raw, values = null) {
      const body = values === null ? null : JSON.stringify(values);
      const kept = raw === null ? null : JSON.stringify(raw);
      const isNew = insertLive(entity, key, source, values, state, null, body, place, null, kept, null, null, 0);
      if (isNew || isLink(entity)) return;
      const other = select.get(entity, key);
      if (other?.source !== source) return;
      keepOther(entity, key, other);
      keep(entity, JSON.parse(place) as Place, raw ?? []);
      spoil.run(place, entity, key);
    },
    stageGone: sqlite.transaction((entity: Entity, rows: readonly GoneRow[]) => {
      for (const { key, place } of rows)
        insert.run(entity, key, place.source, 'gone', null, null, JSON.stringify(place), null, null, null, null, 0);
    }),
    duplicates: (entity) =>
      duplicates.all(entity).map(({ key, place }) => ({ key, places: JSON.parse(`[${place}]`) as Place[] })),
    isStaged: (entity, key) => (select.get(entity, key)?.state ?? 'gone') !== 'gone',
    stagedByKey(entity, key) {
      const row = select.get(entity, key);
      if (row === undefined) return null;
      const { state, body } = row;
      const used = body !== null && state !== 'duplicate';
      return { state, desired: used ? toDesired(entity, { ...row, body }) : null };
    },
    findStaged: (entity, words) => find.all(entity, words),
    standsForLinked(entity, cells) {
      const names = JSON.stringify(identityFields(entity));
      return cells.some(
        (cell) => linkedUnusable.get({ entity, cell: cell.trim(), folded: foldKey(cell), names }) === 1,
      );
    },
    candidates: (entity, contextHash, afterRow, limit) =>
      readPage(entity, candidates.iterate(entity, afterRow, contextHash, limit)),
    unlinked: (entity, afterRow, limit) => readPage(entity, unlinked.iterate(entity, afterRow, limit)),
    unmirrored: (entity, afterRow, limit) => readPage(entity, unmirrored.iterate(entity, afterRow, limit)),
    missing: (entity, afterKey, limit) => missing.all(entity, afterKey, limit),
    outsiders: (entity, afterRow, limit) =>
      outsiders
        .all(entity, afterRow, limit)
        .map(({ row, key, body }) => ({ row, key, values: JSON.parse(body) as Values })),
    unreadableUnlinked: (entity) => unreadable.get(entity) ?? 0,
    outOfScope: (entity, afterKey, limit) => linksIn(entity, 'out', afterKey, limit),
    gone: (entity, afterKey, limit) => linksIn(entity, 'gone', afterKey, limit),
    replacedPeople: (source) => replacedPeople.get(source) ?? 0,
    linkedPresent: (entity, source) => linkedPresent.get(entity, source) ?? 0,
    unstage(entity) {
      for (const statement of unstage) statement.run(entity);
    },
    linkedActive: (entity) => linkedActive.get(entity) ?? 0,
    freshKeys: (entity, source) => eachKey((after, limit) => freshKeys.all(entity, source, after, limit)),
    lostKeys: (entity) => eachKey((after, limit) => lostKeys.all(entity, after, limit)),
    stageMerged(entity, rows) {
      for (const { from, into } of rows) insertMerged.run(entity, from, into);
    },
    merges: (entity) => merges.all({ entity }),
    keyCounts: (entity) => keyCounts.get(entity) ?? { all: 0, fresh: 0 },
    desiredAfter: (entity, key, limit) => desiredAfter.all(entity, key, limit).map((row) => toDesired(entity, row)),
  };
}
