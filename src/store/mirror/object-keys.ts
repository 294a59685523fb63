import type { Entity } from '../../model/entity.js';
import { correlationKeys, type Observed } from '../../model/observed.js';
import type { ValuePacker } from '../packed-values.js';
import type { Sqlite } from '../sqlite.js';
import { createStatements } from '../statements.js';

/** Under which text of `shared_texts` the keys of a field are kept. */
export function kindOf(entity: Entity, name: string): string {
  return `${entity}.${name}`;
}

/** By what objects are found: always those of the values that the mirror has of them. */
export function createObjectKeys(sqlite: Sqlite, { idOf }: Pick<ValuePacker, 'idOf'>) {
  const { any, run, values } = createStatements(sqlite);
  const kind = '(SELECT t.id FROM shared_texts t WHERE t.text = $kind)';
  const find = values<string>(
    `SELECT o.id FROM object_keys k JOIN objects o ON o.seq = k.object
     WHERE k.kind = ${kind} AND k.value = $value ORDER BY o.id`,
  );
  const has = any(`SELECT 1 FROM object_keys WHERE kind = ${kind} AND value = $value AND object = $object`);
  const add = run('INSERT OR IGNORE INTO object_keys (kind, value, object) VALUES ($kind, $value, $object)');
  const drop = run(`DELETE FROM object_keys WHERE kind = ${kind} AND value = $value AND object = $object`);

  function keysOf(observed: Observed | null): ReadonlyMap<string, { readonly kind: string; readonly value: string }> {
    const keys = observed === null ? [] : correlationKeys(observed);
    return new Map(
      keys.map(({ name, value }) => [`${name} ${value}`, { kind: kindOf(observed?.entity ?? 'users', name), value }]),
    );
  }

  return {
    find: (entity: Entity, name: string, value: string) => find({ kind: kindOf(entity, name), value }),
    /** The object is another one from now on: null before it came, or after it went. */
    replace(object: number, before: Observed | null, after: Observed | null): void {
      const [old, now] = [keysOf(before), keysOf(after)];
      for (const [text, key] of old) if (!now.has(text)) drop({ ...key, object });
      for (const [text, { kind, value }] of now) if (!old.has(text)) add({ kind: idOf(kind), value, object });
    },
    /** How many keys an object should have; null when one of them is not there. */
    countOf(object: number, observed: Observed): number | null {
      const keys = [...keysOf(observed).values()];
      return keys.every((key) => has({ ...key, object })) ? keys.length : null;
    },
  };
}
