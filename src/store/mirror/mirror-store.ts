import type { Entity } from '../../model/entity.js';
import type { Values } from '../../model/json.js';
import { correlationKeys, type Observed } from '../../model/observed.js';
import { hashObserved } from '../hash-observed.js';
import { createNamedValues } from '../named-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements, eachRow, type RowOf } from '../statements.js';
import { objects } from './mirror-schema.js';

/** The mirror's objects, their correlation keys, and the marks (cursors, counters). */
export type MirrorStore = ReturnType<typeof createMirrorStore>;

type ObjectRow = RowOf<typeof objects>;

const OF_OBJECT = 'entity = $entity AND id = $id';

export function createMirrorStore(sqlite: Sqlite) {
  const marks = createNamedValues(sqlite, 'marks');
  const reading = createReading(sqlite);
  return {
    ...reading,
    ...createSaving(sqlite, reading),
    ...createForgetting(sqlite, reading),
    mark: marks.find,
    setMark: marks.set,
  };
}

function createReading(sqlite: Sqlite) {
  const { all, one, value, values } = createStatements(sqlite);
  const get = one<ObjectRow>(`SELECT * FROM objects WHERE ${OF_OBJECT}`);
  const findIds = values<string>(
    'SELECT id FROM object_keys WHERE entity = $entity AND name = $key AND value = $value ORDER BY id',
  );
  const page = all<ObjectRow>('SELECT * FROM objects WHERE entity = $entity AND id > $id ORDER BY id LIMIT 500');
  const peopleIn = all<ObjectRow>(
    `SELECT * FROM objects WHERE entity = 'users' AND id > $id AND json_extract(body, '$.office_id') = $officeId
     ORDER BY id LIMIT 500`,
  );
  const seen = value<number>(`SELECT seen FROM objects WHERE ${OF_OBJECT}`);
  const unseen = all<ObjectRow>(
    'SELECT * FROM objects WHERE entity = $entity AND seen < $seen ORDER BY id LIMIT $limit',
  );
  const counts = one<{ all: number; active: number }>(
    'SELECT count(*) AS "all", coalesce(sum(active), 0) AS active FROM objects WHERE entity = $entity',
  );
  return {
    get(entity: Entity, id: string): Observed | null {
      const row = get({ entity, id });
      return row === null ? null : toObserved(row);
    },
    findIds: (entity: Entity, key: string, word: string) => findIds({ entity, key, value: word }),
    *all(entity: Entity): Iterable<Observed> {
      for (const row of eachRow(({ id }) => page({ entity, id }), { id: '' })) yield toObserved(row);
    },
    /** The people of an office. They have no index: it is asked only of an office that is to be deleted. */
    *peopleIn(officeId: string): Iterable<Observed> {
      for (const row of eachRow(({ id }) => peopleIn({ officeId, id }), { id: '' })) yield toObserved(row);
    },
    /** The number of the read that saw an object last; -1 without one. */
    seen: (entity: Entity, id: string) => seen({ entity, id }) ?? -1,
    /** Objects that the full read numbered `seen` did not see. */
    unseen: (entity: Entity, round: number, limit: number) => unseen({ entity, seen: round, limit }).map(toObserved),
    counts: (entity: Entity) => counts({ entity }) ?? { all: 0, active: 0 },
  };
}

function createSaving(sqlite: Sqlite, known: ReturnType<typeof createReading>) {
  const { atOnce, run, upsert } = createStatements(sqlite);
  const touch = run(`UPDATE objects SET seen = $seen WHERE ${OF_OBJECT} AND hash = $hash`);
  const put = upsert(objects);
  const dropKeys = run(`DELETE FROM object_keys WHERE ${OF_OBJECT}`);
  const addKey = run(
    'INSERT OR IGNORE INTO object_keys (entity, name, value, id) VALUES ($entity, $name, $value, $id)',
  );
  const drop = run(`DELETE FROM objects WHERE ${OF_OBJECT}`);

  const complete = (shown: Observed): Observed => completeFrom(known.get(shown.entity, shown.id), shown);

  function saveOne(shown: Observed, seen: number): void {
    if (touch({ entity: shown.entity, id: shown.id, hash: shown.hash, seen }) === 1) return;
    const object = complete(shown);
    const { entity, id, label, hash } = object;
    if (object !== shown && touch({ entity, id, hash, seen }) === 1) return;
    put({ entity, id, active: object.active ? 1 : 0, label, body: JSON.stringify(object.values), hash, seen });
    dropKeys({ entity, id });
    for (const { name, value } of correlationKeys(object)) addKey({ entity, name, value, id });
  }

  return {
    /** Inserts or replaces; unchanged objects (same hash) only have `seen` moved. One transaction. */
    save: atOnce((shown: readonly Observed[], seen: number) => {
      for (const object of shown) saveOne(object, seen);
    }),
    /** An object with what the answer leaves out as it is known here. */
    complete,
    remove: atOnce((entity: Entity, ids: readonly string[]) => {
      for (const id of ids) {
        drop({ entity, id });
        dropKeys({ entity, id });
      }
    }),
  };
}

function createForgetting(sqlite: Sqlite, known: ReturnType<typeof createReading>) {
  const { atOnce, run } = createStatements(sqlite);
  const rewrite = run(`UPDATE objects SET body = $body, hash = $hash WHERE ${OF_OBJECT}`);

  function* allOrOne(entity: Entity, id: string | undefined): Iterable<Observed> {
    if (id === undefined) return yield* known.all(entity);
    const object = known.get(entity, id);
    if (object !== null) yield object;
  }

  return {
    /** What was seen of a field, no correlation key, is unknown from now on, of all or of one. One transaction. */
    forget: atOnce((entity: Entity, name: string, only?: string) => {
      for (const { id, active, values } of allOrOne(entity, only)) {
        if (values[name] === undefined) continue;
        const { [name]: _, ...others } = values;
        rewrite({ entity, id, body: JSON.stringify(others), hash: hashObserved(active, others) });
      }
    }),
  };
}

function toObserved({ entity, id, active, label, body, hash }: ObjectRow): Observed {
  return { entity, id, active: active === 1, label, values: JSON.parse(body) as Values, hash };
}

/** A field that an answer leaves out is unknown, not gone: what an earlier answer showed of it stays. */
function completeFrom(known: Observed | null, shown: Observed): Observed {
  const before = known?.values ?? {};
  if (Object.keys(before).every((name) => shown.values[name] !== undefined)) return shown;
  const values = { ...before, ...shown.values };
  return { ...shown, values, hash: hashObserved(shown.active, values) };
}
