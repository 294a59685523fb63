import type { UntakenFields } from '../../model/desired.js';
import type { Entity } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import { createValuePacker, unpackOrNull, type ValuePacker } from '../packed-values.js';
import type { Sqlite } from '../sqlite.js';
import { columnsOf, createStatements, parseOrNull, type RowOf } from '../statements.js';
import type { EqualPairs } from '../work/equal-pairs.js';
import { links } from './state-schema.js';

/** The pair connected by a link, and its origin. */
type LinkColumns = Pick<RowOf<typeof links>, 'entity' | 'sourceKey' | 'serviceId' | 'origin' | 'run' | 'at'>;

export interface Link extends LinkColumns {
  readonly base: Values | null;
  readonly written: Values | null;
  readonly untaken: UntakenFields;
  readonly was: FormerIdentity | null;
}

/** A person's identifying values before they began to change. */
export interface FormerIdentity {
  /** ISO 8601: time of the first change. */
  readonly at: string;
  readonly values: Values;
}

/** The hashes with which a linked pair was last found equal. While both are the same, nothing needs comparing. */
export interface Agreement {
  readonly base: Values;
  readonly written: Values;
  readonly desiredHash: string;
  readonly observedHash: string;
  readonly contextHash: string;
}

/** Returns a digest of everything, except the two values, that affects if pairs of an entity are equal. */
export type ContextOf = (entity: Entity) => string;

function toLink(packer: ValuePacker, row: RowOf<typeof links> | null): Link | null {
  if (row === null) return null;
  const { entity, sourceKey, serviceId, origin, run, at, agreed, written, untaken, was } = row;
  return {
    entity,
    sourceKey,
    serviceId,
    origin,
    run,
    at,
    base: unpackOrNull(packer, agreed),
    written: unpackOrNull(packer, written),
    untaken: parseOrNull<UntakenFields>(untaken) ?? {},
    was: parseOrNull<FormerIdentity>(was),
  };
}

const OF_RECORD = 'entity = $entity AND source_key = $sourceKey';
/** Makes the next run compare the pair again. */
const UNSETTLED = 'desired_hash = NULL, observed_hash = NULL';

export function createLinkStore(sqlite: Sqlite) {
  const { all, count, one, run, value } = createStatements(sqlite);
  const packer = createValuePacker(sqlite);
  const linkPacker = createLinkPacker(packer);
  const select = `SELECT ${columnsOf(links)} FROM links`;
  const byKey = one<RowOf<typeof links>>(`${select} WHERE ${OF_RECORD}`);
  const byId = one<RowOf<typeof links>>(`${select} WHERE entity = $entity AND service_id = $serviceId`);
  const keyOf = value<string>('SELECT source_key FROM links WHERE entity = $entity AND service_id = $serviceId');
  const countOf = count('SELECT count(*) FROM links WHERE entity = $entity');
  const countSince = count('SELECT count(*) FROM links WHERE entity = $entity AND at >= $at');
  const link = run(
    `INSERT INTO links (entity, source_key, service_id, origin, run, at)
     VALUES ($entity, $sourceKey, $serviceId, $origin, $run, $at)
     ON CONFLICT (entity, source_key) DO UPDATE SET service_id = excluded.service_id, origin = excluded.origin,
       run = excluded.run, at = excluded.at, agreed = NULL, written = NULL, untaken = NULL, was = NULL, ${UNSETTLED}
     WHERE service_id <> excluded.service_id`,
  );
  // The last digits of an id are practically random, but always give the same sample.
  const sample = all<RowOf<typeof links>>(
    `${select} WHERE entity = $entity ORDER BY substr(service_id, -4), service_id LIMIT $limit`,
  );
  const frozen = all<{ key: string; untaken: string }>(
    'SELECT source_key AS key, untaken FROM links WHERE entity = $entity AND untaken IS NOT NULL ORDER BY source_key',
  );
  const unlink = run(`DELETE FROM links WHERE ${OF_RECORD}`);
  const forgetMoves = run('DELETE FROM link_moves WHERE seq < $seq AND seq < (SELECT min(seq) FROM link_moves) + 2000');
  const move = createMove(sqlite);
  return {
    ...createRemembering(sqlite, linkPacker),
    /**
     * Links a record as found equal. Returns false if it already has a link. Throws if the service id is linked to
     * another key.
     */
    linkEqual: createLinkEqual(sqlite, linkPacker),
    linkAllEqual: createLinkAllEqual(sqlite, packer),
    find: (entity: Entity, sourceKey: string) => toLink(packer, byKey({ entity, sourceKey })),
    findByServiceId: (entity: Entity, serviceId: string) => toLink(packer, byId({ entity, serviceId })),
    /** The key of the record that an object is linked to. */
    keyOf: (entity: Entity, serviceId: string) => keyOf({ entity, serviceId }),
    count: (entity: Entity) => countOf({ entity }),
    /** Number of links created since `at` (ISO 8601). */
    countSince: (entity: Entity, at: string) => countSince({ entity, at }),
    sample: (entity: Entity, limit: number) => sample({ entity, limit }).flatMap((row) => toLink(packer, row) ?? []),
    /**
     * Links a pair. Linking the same pair again changes nothing. Throws if the service id is linked to another key,
     * because that would be a bug.
     */
    link: (pair: LinkColumns) => void link(pair),
    /** The records that have frozen fields. */
    frozen: (entity: Entity) =>
      frozen({ entity }).map(({ key, untaken }) => ({ key, untaken: JSON.parse(untaken) as UntakenFields })),
    /** Moves an object to another key. Stored facts about the pair move too, and the pair is compared again. */
    move: (entity: Entity, from: string, to: string, by: { readonly run: string; readonly at: string }) =>
      move({ ...by, entity, from, to }),
    /** Deletes some of the moves before this number and returns how many were deleted. */
    forgetMoves: (seq: number) => forgetMoves({ seq }),
    /** Removes a record's link after this program deleted the object. */
    unlink: (entity: Entity, sourceKey: string) => void unlink({ entity, sourceKey }),
  };
}

/** Stores the base and other facts about a pair. */
function createRemembering(sqlite: Sqlite, { pack, packAny }: LinkPacker) {
  const { run } = createStatements(sqlite);
  const agree = run(
    `UPDATE links SET agreed = $base, written = $written, desired_hash = $desiredHash, observed_hash = $observedHash,
       context_hash = $contextHash WHERE ${OF_RECORD}`,
  );
  const remember = run(`UPDATE links SET written = $written WHERE ${OF_RECORD}`);
  const rememberUntaken = run(`UPDATE links SET untaken = $untaken WHERE ${OF_RECORD}`);
  const disagree = run(`UPDATE links SET ${UNSETTLED} WHERE ${OF_RECORD}`);
  const rememberWas = run(`UPDATE links SET was = $was WHERE ${OF_RECORD}`);
  const restore = run(`UPDATE links SET agreed = $base, ${UNSETTLED} WHERE ${OF_RECORD}`);
  return {
    agree(
      entity: Entity,
      sourceKey: string,
      { base, written, desiredHash, observedHash, contextHash }: Agreement,
    ): void {
      const values = { base: pack(base), written: packAny(written) };
      agree({ entity, sourceKey, ...values, desiredHash, observedHash, contextHash });
    },
    /** Stores values written to fields that the service never shows. The rest of the pair is not marked as equal. */
    remember: (entity: Entity, sourceKey: string, written: Values) =>
      void remember({ entity, sourceKey, written: packAny(written) }),
    /** Stores the frozen fields; an empty object clears them. */
    rememberUntaken(entity: Entity, sourceKey: string, untaken: UntakenFields): void {
      const isAny = Object.keys(untaken).length > 0;
      rememberUntaken({ entity, sourceKey, untaken: isAny ? JSON.stringify(untaken) : null });
    },
    /** Stores a person's former identity; null clears it. */
    rememberWas: (entity: Entity, sourceKey: string, was: FormerIdentity | null) =>
      void rememberWas({ entity, sourceKey, was: was === null ? null : JSON.stringify(was) }),
    /** Makes the values restored by an undo the new base, although the source asks for others. */
    restore: (entity: Entity, sourceKey: string, base: Values) => void restore({ entity, sourceKey, base: pack(base) }),
    /** Marks the pair as different because of our own change, so that a returning leaver does not look like drift. */
    disagree: (entity: Entity, sourceKey: string) => void disagree({ entity, sourceKey }),
  };
}

/** Creates the link of an equal pair in one write. */
function createLinkEqual(sqlite: Sqlite, { pack, packAny }: LinkPacker) {
  const { run } = createStatements(sqlite);
  const insert = run(
    `INSERT INTO links (entity, source_key, service_id, origin, run, at, agreed, written, desired_hash, observed_hash, context_hash)
     VALUES ($entity, $sourceKey, $serviceId, $origin, $run, $at, $base, $written, $desiredHash, $observedHash, $contextHash)
     ON CONFLICT (entity, source_key) DO NOTHING`,
  );
  return (pair: LinkColumns, agreed: Agreement): boolean => {
    const { entity, sourceKey, serviceId, origin, run: by, at } = pair;
    const { desiredHash, observedHash, contextHash } = agreed;
    const [base, written] = [pack(agreed.base), packAny(agreed.written)];
    const row = {
      entity,
      sourceKey,
      serviceId,
      origin,
      run: by,
      at,
      base,
      written,
      desiredHash,
      observedHash,
      contextHash,
    };
    return insert(row) === 1;
  };
}

/**
 * Links all pairs that have no link yet, in one write, as adopted and equal. Throws if a service id is linked to
 * another key.
 */
function createLinkAllEqual(sqlite: Sqlite, { idOf }: ValuePacker) {
  const { run } = createStatements(sqlite);
  const insert = run(
    `INSERT INTO links (entity, source_key, service_id, origin, run, at, agreed, desired_hash, observed_hash, context_hash)
     SELECT $entity, p.value ->> 0, p.value ->> 1, 'adopted', $run, $at,
       '[' || ($names ->> (p.value ->> 2)) || (p.value ->> 3), p.value ->> 4, p.value ->> 5, $contextHash
     FROM json_each($pairs) p WHERE true ON CONFLICT (entity, source_key) DO NOTHING`,
  );
  return (
    { names, ...equal }: EqualPairs,
    by: Pick<LinkColumns, 'run' | 'at'> & Pick<Agreement, 'contextHash'>,
  ): void => void insert({ ...equal, ...by, names: JSON.stringify(names.map((list) => idOf(JSON.stringify(list)))) });
}

interface LinkPacker {
  readonly pack: ValuePacker['pack'];
  /** Returns null if there are no values. */
  packAny(values: Values): string | null;
}

function createLinkPacker({ pack }: ValuePacker): LinkPacker {
  return { pack, packAny: (values) => (Object.keys(values).length === 0 ? null : pack(values)) };
}

interface MovedKey {
  readonly entity: Entity;
  readonly from: string;
  readonly to: string;
  readonly run: string;
  readonly at: string;
}

/**
 * Moves an object to another key, with some of the facts stored under the old key. The old record's counters do not
 * move.
 */
function createMove(sqlite: Sqlite): (move: MovedKey) => void {
  const { run } = createStatements(sqlite);
  const ofOld = 'entity = $entity AND source_key = $from';
  const statements = [
    run(`UPDATE links SET source_key = $to, run = $run, at = $at, ${UNSETTLED}, settled = NULL WHERE ${ofOld}`),
    ...['pins', 'sightings'].map((table) => run(`UPDATE OR REPLACE ${table} SET source_key = $to WHERE ${ofOld}`)),
    run('UPDATE OR REPLACE declines SET key = $to WHERE scope = $entity AND key = $from'),
    ...['absences', 'departures'].map((table) => run(`DELETE FROM ${table} WHERE ${ofOld}`)),
    run('DELETE FROM refusals WHERE entity = $entity AND key = $from'),
  ];
  return (move) => {
    for (const statement of statements) statement(move);
  };
}
