import { ENTITIES, type Entity, TRAITS } from '../../model/entity.js';
import { labelOf } from '../../model/label.js';
import type { Observed } from '../../model/observed.js';
import { hashObserved } from '../hash-observed.js';
import { createNamedValues } from '../named-values.js';
import { createValuePacker, packedValue, type ValuePacker } from '../packed-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, eachRow, type RowOf } from '../statements.js';
import type { objects } from './mirror-schema.js';
import { createObjectKeys } from './object-keys.js';

/** The mirror's objects, the keys to match them by, and the marks (cursors, counters). */
export type MirrorStore = ReturnType<typeof createMirrorStore>;

export type ObjectRow = RowOf<typeof objects>;

const OF_OBJECT = 'entity = $entity AND id = $id';

export function createMirrorStore(sqlite: Sqlite) {
  const marks = createNamedValues(sqlite, 'marks');
  const packer = createValuePacker(sqlite);
  const keys = createObjectKeys(sqlite, packer);
  const reading = createReading(sqlite, packer);
  return {
    ...reading,
    findIds: keys.find,
    sharedKeys: keys.shared,
    /** Folded names, each with the number of objects that have it. */
    names: (entity: Entity) => keys.counted(entity, 'name'),
    ...createSaving(sqlite, { packer, keys }),
    ...createForgetting(sqlite, reading, { packer, keys }),
    mark: marks.find,
    setMark: marks.set,
  };
}

function createReading(sqlite: Sqlite, packer: ValuePacker) {
  const { all, one, value } = createStatements(sqlite);
  const get = one<ObjectRow>(`SELECT * FROM objects WHERE ${OF_OBJECT}`);
  const page = all<ObjectRow>('SELECT * FROM objects WHERE entity = $entity AND id > $id ORDER BY id LIMIT 500');
  const peopleIn = all<ObjectRow>(
    `SELECT * FROM objects WHERE entity = 'users' AND id > $id AND ${packedValue('body', 'office_id')} = $officeId
     ORDER BY id LIMIT 500`,
  );
  const seen = value<number>(`SELECT seen FROM objects WHERE ${OF_OBJECT}`);
  const unseen = all<ObjectRow>(
    'SELECT * FROM objects WHERE entity = $entity AND seen < $seen ORDER BY id LIMIT $limit',
  );
  const counts = one<{ all: number; active: number }>(
    `SELECT n AS "all", n - (SELECT count(*) FROM objects WHERE entity = $entity AND active = 0) AS active
     FROM (SELECT count(*) AS n FROM objects WHERE entity = $entity)`,
  );
  return {
    get(entity: Entity, id: string): Observed | null {
      const row = get({ entity, id });
      return row === null ? null : toObserved(row, packer);
    },
    *all(entity: Entity): Iterable<Observed> {
      for (const row of eachRow(({ id }) => page({ entity, id }), { id: '' })) yield toObserved(row, packer);
    },
    /** Yields the people of an office. This scans without an index, because it only happens before an office is deleted. */
    *peopleIn(officeId: string): Iterable<Observed> {
      for (const row of eachRow(({ id }) => peopleIn({ officeId, id }), { id: '' })) yield toObserved(row, packer);
    },
    /** Number of the last read that saw an object; -1 if there is none. */
    seen: (entity: Entity, id: string) => seen({ entity, id }) ?? -1,
    /** Objects that the full read with this number did not see. */
    unseen: (entity: Entity, round: number, limit: number) =>
      unseen({ entity, seen: round, limit }).map((row) => toObserved(row, packer)),
    counts: (entity: Entity) => counts({ entity }) ?? { all: 0, active: 0 },
  };
}

/** Data shared while several objects are saved together. */
interface SavedTogether {
  /** The existing objects, by entity and id. */
  readonly there: Map<string, Pick<ObjectRow, 'seq' | 'hash'>>;
  readonly newKeys: ReturnType<Saved['keys']['begin']>;
}

interface Saved {
  readonly packer: ValuePacker;
  readonly keys: ReturnType<typeof createObjectKeys>;
}

function createSaving(sqlite: Sqlite, { packer, keys }: Saved) {
  const { added, all, atOnce, one, run } = createStatements(sqlite);
  const find = one<ObjectRow>(`SELECT * FROM objects WHERE ${OF_OBJECT}`);
  const lookAtAll = all<Pick<ObjectRow, 'entity' | 'id' | 'seq' | 'hash'>>(
    `SELECT o.entity, o.id, o.seq, o.hash FROM json_each($refs) r
     CROSS JOIN objects o ON o.entity = r.value ->> 0 AND o.id = r.value ->> 1`,
  );
  const touchAll = run('UPDATE objects SET seen = $seen WHERE seq IN (SELECT value FROM json_each($seqs))');
  const put = added(
    `INSERT INTO objects (entity, id, active, label, body, hash, seen)
     VALUES ($entity, $id, $active, $label, $body, $hash, $seen)
     ON CONFLICT DO UPDATE SET active = excluded.active, label = excluded.label, body = excluded.body,
       hash = excluded.hash, seen = excluded.seen`,
  );
  const drop = run('DELETE FROM objects WHERE seq = $seq');

  function known(entity: Entity, id: string): { readonly seq: number; readonly object: Observed } | null {
    const row = find({ entity, id });
    return row === null ? null : { seq: row.seq, object: toObserved(row, packer) };
  }

  function removeOne(entity: Entity, id: string): void {
    const gone = known(entity, id);
    if (gone === null) return;
    keys.remove(gone.seq, gone.object);
    drop(gone);
  }

  /** Saves one object. Returns the object's number if it was unchanged; otherwise null. */
  function saveOne(shown: Observed, seen: number, { there, newKeys }: SavedTogether): number | null {
    const { entity, id } = shown;
    const row = there.get(`${entity} ${id}`);
    if (row?.hash === shown.hash) return row.seq;
    const before = row === undefined ? null : (known(entity, id)?.object ?? null);
    const object = completeFrom(before, shown);
    const { hash } = object;
    if (row?.hash === hash) return row.seq;
    const label = shown.label === labelOf(entity, id, shown.values) ? null : shown.label;
    const active = object.active ? 1 : 0;
    const written = put({ entity, id, active, label, body: packer.pack(object.values), hash, seen });
    const seq = row?.seq ?? written;
    newKeys.replace(seq, before, object);
    there.set(`${entity} ${id}`, { seq, hash });
    return null;
  }

  const saveAll = atOnce((shown: readonly Observed[], seen: number) => {
    const refs = JSON.stringify(shown.map(({ entity, id }) => [entity, id]));
    const there = new Map(lookAtAll({ refs }).map((row) => [`${row.entity} ${row.id}`, row]));
    const together: SavedTogether = { there, newKeys: keys.begin() };
    const same = shown.map((object) => saveOne(object, seen, together)).filter((seq) => seq !== null);
    if (same.length > 0) touchAll({ seen, seqs: JSON.stringify(same) });
    together.newKeys.flush();
  });

  return {
    /** Inserts or replaces objects in one transaction. For an object with the same hash, only `seen` is updated. */
    save(shown: readonly Observed[], seen: number): void {
      packer.catchUp();
      saveAll(shown, seen);
    },
    /** Completes the object with known values that the answer omits. */
    complete: (shown: Observed): Observed => completeFrom(known(shown.entity, shown.id)?.object ?? null, shown),
    /** Removes objects with everything that belongs to them, such as a person's CV contents or a customer's projects. */
    remove: atOnce((entity: Entity, ids: readonly string[]) => {
      const { owns } = TRAITS[entity];
      const owned = ENTITIES.filter((one) => owns !== undefined && TRAITS[one].parent === owns);
      for (const id of ids) {
        for (const one of owned) for (const lost of keys.find(one, owns ?? '', id)) removeOne(one, lost);
        removeOne(entity, id);
      }
    }),
  };
}

function createForgetting(sqlite: Sqlite, known: ReturnType<typeof createReading>, { packer, keys }: Saved) {
  const { atOnce, run, value } = createStatements(sqlite);
  const seqOf = value<number>(`SELECT seq FROM objects WHERE ${OF_OBJECT}`);
  const rewrite = run(`UPDATE objects SET body = $body, hash = $hash WHERE ${OF_OBJECT}`);

  function* allOrOne(entity: Entity, id: string | undefined): Iterable<Observed> {
    if (id === undefined) return yield* known.all(entity);
    const object = known.get(entity, id);
    if (object !== null) yield object;
  }

  return {
    /** Makes a field's values unknown, for all objects or for one, in one transaction. */
    forget: atOnce((entity: Entity, name: string, only?: string) => {
      const newKeys = keys.begin();
      for (const before of allOrOne(entity, only)) {
        const { id, active, values } = before;
        if (values[name] === undefined) continue;
        const { [name]: _, ...others } = values;
        newKeys.replace(seqOf({ entity, id }) ?? 0, before, { ...before, values: others });
        rewrite({ entity, id, body: packer.pack(others), hash: hashObserved(active, others) });
      }
      newKeys.flush();
    }),
  };
}

export function toObserved({ entity, id, active, label, body, hash }: ObjectRow, { unpack }: ValuePacker): Observed {
  const values = unpack(body);
  return { entity, id, active: active === 1, label: label ?? labelOf(entity, id, values), values, hash };
}

/** A field that an answer omits is unknown, not deleted. It keeps its value from an earlier answer. */
function completeFrom(known: Observed | null, shown: Observed): Observed {
  const before = known?.values ?? {};
  if (Object.keys(before).every((name) => shown.values[name] !== undefined)) return shown;
  const values = { ...before, ...shown.values };
  return { ...shown, values, hash: hashObserved(shown.active, values) };
}
