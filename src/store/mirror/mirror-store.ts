import type { Values } from '../../model/json.js';
import { correlationKeys, type Observed } from '../../model/observed.js';
import { hashObserved } from '../hash-observed.js';
import type { Sqlite } from '../sqlite.js';

/** The mirror's objects, their correlation keys, and the marks (cursors, counters). */
export interface MirrorStore {
  /** Inserts or replaces; unchanged objects (same hash) only have `seen` moved. One transaction. */
  save(objects: readonly Observed[], seen: number): void;
  /** What was seen of a field, no correlation key, is unknown from now on, of all or of one. One transaction. */
  forget(entity: Observed['entity'], name: string, id?: string): void;
  /** An object with what the answer leaves out as it is known here. */
  complete(shown: Observed): Observed;
  get(entity: Observed['entity'], id: string): Observed | null;
  findIds(entity: Observed['entity'], key: string, value: string): readonly string[];
  all(entity: Observed['entity']): Iterable<Observed>;
  /** The people of an office. They have no index: it is asked only of an office that is to be deleted. */
  peopleIn(officeId: string): Iterable<Observed>;
  /** The number of the read that saw an object last; -1 without one. */
  seen(entity: Observed['entity'], id: string): number;
  /** Objects that the full read numbered `seen` did not see. */
  unseen(entity: Observed['entity'], seen: number, limit: number): readonly Observed[];
  remove(entity: Observed['entity'], ids: readonly string[]): void;
  counts(entity: Observed['entity']): { readonly all: number; readonly active: number };
  mark(name: string): string | null;
  setMark(name: string, value: string): void;
}

interface ObjectRow {
  entity: string;
  id: string;
  active: number;
  label: string;
  body: string;
  hash: string;
}

/** A field that an answer leaves out is unknown, not gone: what an earlier answer showed of it stays. */
function completeFrom(known: ObjectRow | undefined, shown: Observed): Observed {
  if (known === undefined) return shown;
  const before = JSON.parse(known.body) as Values;
  if (Object.keys(before).every((name) => shown.values[name] !== undefined)) return shown;
  const values = { ...before, ...shown.values };
  return { ...shown, values, hash: hashObserved(shown.active, values) };
}

export function createMirrorStore(sqlite: Sqlite): MirrorStore {
  const touch = sqlite.prepare('UPDATE objects SET seen = ? WHERE entity = ? AND id = ? AND hash = ?');
  const upsert = sqlite.prepare(
    `INSERT INTO objects (entity, id, active, label, body, hash, seen) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (entity, id) DO UPDATE SET active = excluded.active, label = excluded.label, body = excluded.body,
       hash = excluded.hash, seen = excluded.seen`,
  );
  const rewrite = sqlite.prepare('UPDATE objects SET body = ?, hash = ? WHERE entity = ? AND id = ?');
  const dropKeys = sqlite.prepare('DELETE FROM object_keys WHERE entity = ? AND id = ?');
  const addKey = sqlite.prepare('INSERT OR IGNORE INTO object_keys (entity, name, value, id) VALUES (?, ?, ?, ?)');
  const get = sqlite.prepare<[string, string], ObjectRow>('SELECT * FROM objects WHERE entity = ? AND id = ?');
  const find = sqlite
    .prepare<[string, string, string], string>(
      'SELECT id FROM object_keys WHERE entity = ? AND name = ? AND value = ? ORDER BY id',
    )
    .pluck();
  const after = sqlite.prepare<[string, string], ObjectRow>(
    'SELECT * FROM objects WHERE entity = ? AND id > ? ORDER BY id LIMIT 500',
  );
  const peopleIn = sqlite.prepare<[string, string], ObjectRow>(
    `SELECT * FROM objects WHERE entity = 'users' AND id > ? AND json_extract(body, '$.office_id') = ? ORDER BY id LIMIT 500`,
  );
  const seenBy = sqlite
    .prepare<[string, string], number>('SELECT seen FROM objects WHERE entity = ? AND id = ?')
    .pluck();
  const unseen = sqlite.prepare<[string, number, number], ObjectRow>(
    'SELECT * FROM objects WHERE entity = ? AND seen < ? ORDER BY id LIMIT ?',
  );
  const removeObject = sqlite.prepare('DELETE FROM objects WHERE entity = ? AND id = ?');
  const counts = sqlite.prepare<[string], { all: number; active: number }>(
    'SELECT count(*) AS "all", coalesce(sum(active), 0) AS active FROM objects WHERE entity = ?',
  );
  const mark = sqlite.prepare<[string], string>('SELECT value FROM marks WHERE name = ?').pluck();
  const setMark = sqlite.prepare(
    'INSERT INTO marks VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  );

  function toObserved(row: ObjectRow): Observed {
    return {
      entity: row.entity as Observed['entity'],
      id: row.id,
      active: row.active === 1,
      label: row.label,
      values: JSON.parse(row.body) as Values,
      hash: row.hash,
    };
  }

  const save = sqlite.transaction((objects: readonly Observed[], seen: number) => {
    for (const shown of objects) {
      if (touch.run(seen, shown.entity, shown.id, shown.hash).changes === 1) continue;
      const o = completeFrom(get.get(shown.entity, shown.id), shown);
      if (o !== shown && touch.run(seen, o.entity, o.id, o.hash).changes === 1) continue;
      upsert.run(o.entity, o.id, o.active ? 1 : 0, o.label, JSON.stringify(o.values), o.hash, seen);
      dropKeys.run(o.entity, o.id);
      for (const { name, value } of correlationKeys(o)) addKey.run(o.entity, name, value, o.id);
    }
  });
  function* allOrOne(entity: Observed['entity'], id: string | undefined): Iterable<Observed> {
    if (id === undefined) return yield* all(entity);
    const row = get.get(entity, id);
    if (row !== undefined) yield toObserved(row);
  }
  const forget = sqlite.transaction((entity: Observed['entity'], name: string, only?: string) => {
    for (const { id, active, values } of allOrOne(entity, only)) {
      if (values[name] === undefined) continue;
      const { [name]: _, ...others } = values;
      rewrite.run(JSON.stringify(others), hashObserved(active, others), entity, id);
    }
  });
  const remove = sqlite.transaction((entity: Observed['entity'], ids: readonly string[]) => {
    for (const id of ids) {
      removeObject.run(entity, id);
      dropKeys.run(entity, id);
    }
  });

  function* all(entity: Observed['entity']): Iterable<Observed> {
    for (let last = ''; ; ) {
      const rows = after.all(entity, last);
      for (const row of rows) yield toObserved(row);
      const end = rows.at(-1);
      if (end === undefined) return;
      last = end.id;
    }
  }

  function* listPeopleIn(officeId: string): Iterable<Observed> {
    for (let last = ''; ; ) {
      const rows = peopleIn.all(last, officeId);
      for (const row of rows) yield toObserved(row);
      const end = rows.at(-1);
      if (end === undefined) return;
      last = end.id;
    }
  }

  return {
    save,
    forget,
    complete: (shown) => completeFrom(get.get(shown.entity, shown.id), shown),
    get(entity, id) {
      const row = get.get(entity, id);
      return row === undefined ? null : toObserved(row);
    },
    findIds: (entity, key, value) => find.all(entity, key, value),
    all,
    peopleIn: listPeopleIn,
    seen: (entity, id) => seenBy.get(entity, id) ?? -1,
    unseen: (entity, seen, limit) => unseen.all(entity, seen, limit).map(toObserved),
    remove,
    counts: (entity) => counts.get(entity) ?? { all: 0, active: 0 },
    mark: (name) => mark.get(name) ?? null,
    setMark: (name, value) => void setMark.run(name, value),
  };
}
