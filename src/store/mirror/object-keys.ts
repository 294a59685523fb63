import type { Entity } from '../../model/entity.js';
import { correlationKeys, type Observed } from '../../model/observed.js';
import type { ValuePacker } from '../packed-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';

/** The text in `shared_texts` that identifies a field's keys. */
export function kindOf(entity: Entity, name: string): string {
  return `${entity}.${name}`;
}

type KeysOfObject = ReadonlyMap<string, { readonly kind: string; readonly value: string }>;

/** The keys to look objects up by. They always match the mirror's values. */
export function createObjectKeys(sqlite: Sqlite, { idOf }: Pick<ValuePacker, 'idOf'>) {
  const { all, any, run, values } = createStatements(sqlite);
  const kind = '(SELECT t.id FROM shared_texts t WHERE t.text = $kind)';
  const find = values<string>(
    `SELECT o.id FROM object_keys k JOIN objects o ON o.seq = k.object
     WHERE k.kind = ${kind} AND k.value = $value ORDER BY o.id`,
  );
  const counted = all<{ value: string; count: number }>(
    `SELECT value, count(*) AS count FROM object_keys WHERE kind = ${kind} GROUP BY value`,
  );
  const shared = values<string>(
    `SELECT value FROM object_keys WHERE kind = ${kind} GROUP BY value HAVING count(*) > 1`,
  );
  const has = any(`SELECT 1 FROM object_keys WHERE kind = ${kind} AND value = $value AND object = $object`);
  const addAll = run(`INSERT OR IGNORE INTO object_keys (kind, value, object)
    SELECT $kind, value, CAST(key AS INTEGER) FROM json_each($values)`);
  const drop = run(`DELETE FROM object_keys WHERE kind = ${kind} AND value = $value AND object = $object`);

  function keysOf(observed: Observed): KeysOfObject {
    return new Map(
      correlationKeys(observed).map(({ name, value }) => [
        `${name} ${value}`,
        { kind: kindOf(observed.entity, name), value },
      ]),
    );
  }

  function dropGone(object: number, old: KeysOfObject, now: KeysOfObject): void {
    for (const [text, key] of old) if (!now.has(text)) drop({ ...key, object });
  }

  return {
    find: (entity: Entity, name: string, value: string) => find({ kind: kindOf(entity, name), value }),
    /** Each key value of a field, with the number of objects that have this value. */
    counted: (entity: Entity, name: string) => counted({ kind: kindOf(entity, name) }),
    /** Key values that several objects share. */
    shared: (entity: Entity, name: string) => shared({ kind: kindOf(entity, name) }),
    /** Removes the keys of a deleted object. */
    remove: (object: number, before: Observed) => dropGone(object, keysOf(before), new Map()),
    /** Collects key changes of several objects, because writing them in one batch is faster. */
    begin() {
      // Maps a kind to members of a JSON object, `"7":"jane@example.com"`: object and value. Both may occur repeatedly.
      const toAdd = new Map<string, string[]>();
      function add(kind: string, object: number, value: string): void {
        const members = toAdd.get(kind) ?? [];
        toAdd.set(kind, members);
        members.push(`"${object}":${JSON.stringify(value)}`);
      }
      function flush(): void {
        for (const [kind, members] of toAdd) addAll({ kind: idOf(kind), values: `{${members.join(',')}}` });
        toAdd.clear();
      }
      return {
        /** Replaces an object's keys. New keys are only written by `flush`. */
        replace(object: number, before: Observed | null, after: Observed): void {
          const old = before === null ? null : keysOf(before);
          if (old !== null) {
            flush();
            dropGone(object, old, keysOf(after));
          }
          for (const { name, value } of correlationKeys(after)) {
            if (!old?.has(`${name} ${value}`)) add(kindOf(after.entity, name), object, value);
          }
        },
        flush,
      };
    },
    /** Number of keys that an object must have; null if one of them is missing. */
    countOf(object: number, observed: Observed): number | null {
      const keys = [...keysOf(observed).values()];
      return keys.every((key) => has({ ...key, object })) ? keys.length : null;
    },
  };
}
