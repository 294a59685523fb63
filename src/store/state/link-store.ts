import type { UntakenFields } from '../../model/desired.js';
import type { Entity } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import { createValuePacker, unpackOrNull, type ValuePacker } from '../packed-values.js';
import type { Sqlite } from '../sqlite.js';
import { columnsOf, createStatements, parseOrNull, type RowOf } from '../statements.js';
import { links } from './state-schema.js';

/** Which pair a link is of, and where it comes from. */
type LinkColumns = Pick<RowOf<typeof links>, 'entity' | 'sourceKey' | 'serviceId' | 'origin' | 'run' | 'at'>;

export interface Link extends LinkColumns {
  readonly base: Values | null;
  readonly written: Values | null;
  readonly untaken: UntakenFields;
  readonly was: FormerIdentity | null;
}

/** Who a person was, by the fields that tell it, until changes began to be carried out. */
export interface FormerIdentity {
  /** ISO 8601: of the first change. */
  readonly at: string;
  readonly values: Values;
}

/** The pair of hashes under which a linked pair was last found equal: while both stay, there is nothing to look at. */
export interface Agreement {
  readonly base: Values;
  readonly written: Values;
  readonly desiredHash: string;
  readonly observedHash: string;
  readonly contextHash: string;
}

/** Digest of all, besides the two values, under which a pair of an entity is found equal. */
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
/** Whatever was found of the pair is found out again. */
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
  // The last digits of an id are as good as drawn by lot, and the same each time.
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
    /** Links a record that has no link, as found equal; false where it has one. A service id linked to another key throws. */
    linkEqual: createLinkEqual(sqlite, linkPacker),
    find: (entity: Entity, sourceKey: string) => toLink(packer, byKey({ entity, sourceKey })),
    findByServiceId: (entity: Entity, serviceId: string) => toLink(packer, byId({ entity, serviceId })),
    /** The record that an object is linked to. */
    keyOf: (entity: Entity, serviceId: string) => keyOf({ entity, serviceId }),
    count: (entity: Entity) => countOf({ entity }),
    /** How many were linked since then (ISO 8601). */
    countSince: (entity: Entity, at: string) => countSince({ entity, at }),
    /** Some of the links of an entity. */
    sample: (entity: Entity, limit: number) => sample({ entity, limit }).flatMap((row) => toLink(packer, row) ?? []),
    /** Idempotent: the same pair again changes nothing. A service id linked to another key is a defect and throws. */
    link: (pair: LinkColumns) => void link(pair),
    /** The records of which some field would not stay. */
    frozen: (entity: Entity) =>
      frozen({ entity }).map(({ key, untaken }) => ({ key, untaken: JSON.parse(untaken) as UntakenFields })),
    /** The object is another key's from now on: what is remembered of the pair goes along, and is looked at again. */
    move: (entity: Entity, from: string, to: string, by: { readonly run: string; readonly at: string }) =>
      move({ ...by, entity, from, to }),
    /** Forgets some of the moves before that number; answers how many. */
    forgetMoves: (seq: number) => forgetMoves({ seq }),
    /** The object is gone, by our own doing: its record has no link any more. */
    unlink: (entity: Entity, sourceKey: string) => void unlink({ entity, sourceKey }),
  };
}

/** What both sides agree on, and what is remembered of a pair beside it. */
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
    /** Remembers what was written to fields that the service never shows, without claiming that all the rest agrees. */
    remember: (entity: Entity, sourceKey: string, written: Values) =>
      void remember({ entity, sourceKey, written: packAny(written) }),
    /** Remembers which fields would not stay; an empty object forgets. */
    rememberUntaken(entity: Entity, sourceKey: string, untaken: UntakenFields): void {
      const isAny = Object.keys(untaken).length > 0;
      rememberUntaken({ entity, sourceKey, untaken: isAny ? JSON.stringify(untaken) : null });
    },
    /** Remembers who a person was; null forgets it. */
    rememberWas: (entity: Entity, sourceKey: string, was: FormerIdentity | null) =>
      void rememberWas({ entity, sourceKey, was: was === null ? null : JSON.stringify(was) }),
    /** What an undo has put back is what both sides agree on from then on, although the source wants otherwise. */
    restore: (entity: Entity, sourceKey: string, base: Values) => void restore({ entity, sourceKey, base: pack(base) }),
    /** The pair is equal no longer, by our own doing: a leaver who returns must not look like drift. */
    disagree: (entity: Entity, sourceKey: string) => void disagree({ entity, sourceKey }),
  };
}

/** A new link of a pair that is equal, in one write. */
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

interface LinkPacker {
  readonly pack: ValuePacker['pack'];
  /** null for no values. */
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

/** Of what is remembered under the old key, some goes along; what was counted for the old record does not. */
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
