import type { UntakenFields } from '../../model/desired.js';
import type { Entity } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import type { Sqlite } from '../sqlite.js';

export interface Link {
  readonly entity: Entity;
  readonly sourceKey: string;
  readonly serviceId: string;
  readonly origin: 'created' | 'adopted';
  readonly run: string;
  readonly at: string;
  readonly base: Values | null;
  readonly written: Values | null;
  readonly untaken: UntakenFields;
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

export interface LinkStore {
  find(entity: Entity, sourceKey: string): Link | null;
  findByServiceId(entity: Entity, serviceId: string): Link | null;
  count(entity: Entity): number;
  /** Idempotent: the same pair again changes nothing. A service id linked to another key is a defect and throws. */
  link(link: Omit<Link, 'base' | 'written' | 'untaken'>): void;
  agree(entity: Entity, sourceKey: string, agreement: Agreement): void;
  /** Remembers what was written to fields that the service never shows, without claiming that all the rest agrees. */
  remember(entity: Entity, sourceKey: string, written: Values): void;
  /** Remembers which fields would not stay; an empty object forgets. */
  rememberUntaken(entity: Entity, sourceKey: string, untaken: UntakenFields): void;
  /** The records of which some field would not stay. */
  frozen(entity: Entity): readonly { readonly key: string; readonly untaken: UntakenFields }[];
  /** The object is another key's from now on: what is remembered of the pair goes along, and is looked at anew. */
  move(entity: Entity, from: string, to: string, by: { readonly run: string; readonly at: string }): void;
  /** The object is gone, by our own doing: its record has no link any more. */
  unlink(entity: Entity, sourceKey: string): void;
  /** What an undo has put back is what both sides agree on from then on, although the source wants otherwise. */
  restore(entity: Entity, sourceKey: string, base: Values): void;
  /** The pair is equal no longer, by our own doing: a leaver who returns must not look like drift. */
  disagree(entity: Entity, sourceKey: string): void;
}

interface LinkRow {
  entity: string;
  source_key: string;
  service_id: string;
  origin: string;
  run: string;
  at: string;
  agreed: string | null;
  written: string | null;
  untaken: string | null;
}

function toLink(row: LinkRow): Link {
  return {
    entity: row.entity as Entity,
    sourceKey: row.source_key,
    serviceId: row.service_id,
    origin: row.origin === 'created' ? 'created' : 'adopted',
    run: row.run,
    at: row.at,
    base: row.agreed === null ? null : (JSON.parse(row.agreed) as Values),
    written: row.written === null ? null : (JSON.parse(row.written) as Values),
    untaken: row.untaken === null ? {} : (JSON.parse(row.untaken) as UntakenFields),
  };
}

export function createLinkStore(sqlite: Sqlite): LinkStore {
  const byKey = sqlite.prepare<[string, string], LinkRow>('SELECT * FROM links WHERE entity = ? AND source_key = ?');
  const byId = sqlite.prepare<[string, string], LinkRow>('SELECT * FROM links WHERE entity = ? AND service_id = ?');
  const counted = sqlite.prepare<[string], number>('SELECT count(*) FROM links WHERE entity = ?').pluck();
  const insert = sqlite.prepare(
    `INSERT INTO links (entity, source_key, service_id, origin, run, at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (entity, source_key) DO UPDATE SET service_id = excluded.service_id, origin = excluded.origin,
       run = excluded.run, at = excluded.at, agreed = NULL, written = NULL, untaken = NULL, desired_hash = NULL, observed_hash = NULL
     WHERE service_id <> excluded.service_id`,
  );
  const agree = sqlite.prepare(
    `UPDATE links SET agreed = ?, written = ?, desired_hash = ?, observed_hash = ?, context_hash = ?
     WHERE entity = ? AND source_key = ?`,
  );
  const remember = sqlite.prepare('UPDATE links SET written = ? WHERE entity = ? AND source_key = ?');
  const rememberUntaken = sqlite.prepare('UPDATE links SET untaken = ? WHERE entity = ? AND source_key = ?');
  const frozen = sqlite.prepare<[string], { key: string; untaken: string }>(
    'SELECT source_key AS key, untaken FROM links WHERE entity = ? AND untaken IS NOT NULL ORDER BY source_key',
  );
  const unlink = sqlite.prepare('DELETE FROM links WHERE entity = ? AND source_key = ?');
  const disagree = sqlite.prepare(
    'UPDATE links SET desired_hash = NULL, observed_hash = NULL WHERE entity = ? AND source_key = ?',
  );
  const move = sqlite.prepare(
    `UPDATE links SET source_key = @to, run = @run, at = @at, desired_hash = NULL, observed_hash = NULL, settled = NULL
     WHERE entity = @entity AND source_key = @from`,
  );
  const goAlong = ['pins', 'sightings'].map((table) =>
    sqlite.prepare(`UPDATE OR REPLACE ${table} SET source_key = @to WHERE entity = @entity AND source_key = @from`),
  );
  const stayBehind = ['absences', 'departures'].map((table) =>
    sqlite.prepare(`DELETE FROM ${table} WHERE entity = @entity AND source_key = @from`),
  );
  const forgetRefusal = sqlite.prepare('DELETE FROM refusals WHERE entity = @entity AND key = @from');
  const restore = sqlite.prepare(
    'UPDATE links SET agreed = ?, desired_hash = NULL, observed_hash = NULL WHERE entity = ? AND source_key = ?',
  );
  return {
    find(entity, sourceKey) {
      const row = byKey.get(entity, sourceKey);
      return row === undefined ? null : toLink(row);
    },
    findByServiceId(entity, serviceId) {
      const row = byId.get(entity, serviceId);
      return row === undefined ? null : toLink(row);
    },
    count: (entity) => counted.get(entity) ?? 0,
    link: (l) => void insert.run(l.entity, l.sourceKey, l.serviceId, l.origin, l.run, l.at),
    agree: (entity, key, a) =>
      void agree.run(
        JSON.stringify(a.base),
        JSON.stringify(a.written),
        a.desiredHash,
        a.observedHash,
        a.contextHash,
        entity,
        key,
      ),
    remember: (entity, key, written) => void remember.run(JSON.stringify(written), entity, key),
    rememberUntaken: (entity, key, untaken) => {
      const text = Object.keys(untaken).length === 0 ? null : JSON.stringify(untaken);
      rememberUntaken.run(text, entity, key);
    },
    frozen: (entity) =>
      frozen.all(entity).map(({ key, untaken }) => ({ key, untaken: JSON.parse(untaken) as UntakenFields })),
    move(entity, from, to, { run, at }) {
      move.run({ entity, from, to, run, at });
      for (const statement of [...goAlong, ...stayBehind, forgetRefusal]) statement.run({ entity, from, to });
    },
    unlink: (entity, key) => void unlink.run(entity, key),
    restore: (entity, key, base) => void restore.run(JSON.stringify(base), entity, key),
    disagree: (entity, key) => void disagree.run(entity, key),
  };
}
