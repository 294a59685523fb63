import type { Json, Values } from '../model/json.js';
import type { Sqlite } from './sqlite.js';
import { createStatements } from './statements.js';

/** The attached database that contains the rows. */
type SchemaName = 'main' | 'state';

/**
 * Values without their field names, as `[7, "E10", null]`. Here, 7 is the id of `["email","upn"]` in `shared_texts`.
 * The names took up a third of each database.
 */
export type PackedText = string;

/** Columns with packed values, by table. */
export const PACKED_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  links: ['agreed', 'written'],
  objects: ['body'],
  staged_rows: ['body'],
};

export type ValuePacker = ReturnType<typeof makeValuePacker>;

const packers = new WeakMap<Sqlite, Map<SchemaName, ValuePacker>>();

/** Returns the packer that all users of a connection and schema share, with the texts that it has learnt. */
export function createValuePacker(sqlite: Sqlite, schema: SchemaName = 'main'): ValuePacker {
  const known = packers.get(sqlite) ?? new Map<SchemaName, ValuePacker>();
  const packer = known.get(schema) ?? makeValuePacker(sqlite, schema);
  packers.set(sqlite, known.set(schema, packer));
  return packer;
}

/** Call it before a long transaction, because texts cannot be learnt inside one. */
export function learnTexts(sqlite: Sqlite): void {
  for (const packer of packers.get(sqlite)?.values() ?? []) packer.catchUp();
}

function makeValuePacker(sqlite: Sqlite, schema: SchemaName) {
  const { run, value } = createStatements(sqlite);
  const findId = value<number>(`SELECT id FROM ${schema}.shared_texts WHERE text = $text`);
  const findText = value<string>(`SELECT text FROM ${schema}.shared_texts WHERE id = $id`);
  const add = run(`INSERT INTO ${schema}.shared_texts (text) VALUES ($text)`);
  const newest = value<number>(`SELECT max(id) FROM ${schema}.shared_texts`);
  const [ids, lists] = [new Map<string, number>(), new Map<number, readonly string[]>()];
  /** The names packed last, because most of the values that follow have the same names. */
  let usual: { readonly id: number | null; readonly names: readonly string[] } = { id: null, names: [] };
  /** Texts up to this id are committed. An uncommitted text may be rolled back, and another text may then get its id. */
  let committed = 0;
  let isBehind = true;

  /** Outside a transaction, marks all stored texts as committed, so that they can be cached. */
  function catchUp(): void {
    if (!isBehind || sqlite.inTransaction) return;
    committed = newest() ?? 0;
    isBehind = false;
  }

  function remember<K, V>(known: Map<K, V>, id: number, key: K, found: V): void {
    catchUp();
    if (id <= committed) known.set(key, found);
    else isBehind = true;
  }

  function findOrAdd(text: string): number | null {
    const id = findId({ text });
    if (id !== null) return id;
    add({ text });
    return findId({ text });
  }

  function idOf(text: string): number | null {
    const known = ids.get(text);
    if (known !== undefined) return known;
    const id = findOrAdd(text);
    if (id !== null) remember(ids, id, text, id);
    return id;
  }

  function namesOf(id: number): readonly string[] {
    const known = lists.get(id);
    if (known !== undefined) return known;
    const names = JSON.parse(findText({ id }) ?? '[]') as readonly string[];
    remember(lists, id, id, names);
    return names;
  }

  function learnNames(values: Values): number | null {
    const names = namesIn(values);
    const text = JSON.stringify(names);
    const id = idOf(text);
    if (id !== null && ids.has(text)) usual = { id, names };
    return id;
  }

  return {
    pack(values: Values): PackedText {
      const packed: unknown[] = [null];
      let isUsual = usual.id !== null;
      for (const name of Object.keys(values)) {
        const value = values[name];
        if (value === undefined) continue;
        isUsual &&= usual.names[packed.length - 1] === name;
        packed.push(value);
      }
      packed[0] = isUsual && packed.length - 1 === usual.names.length ? usual.id : learnNames(values);
      return JSON.stringify(packed);
    },
    /** @throws Error if names are missing because the file is damaged */
    unpack(text: PackedText): Values {
      const contents = JSON.parse(text) as readonly [number, ...Json[]];
      const names = namesOf(contents[0]);
      const count = contents.length - 1;
      if (names.length !== count) throw new Error(`The names of ${count} values are missing.`);
      const values: Record<string, Json> = {};
      for (let at = 0; at < count; at += 1) values[names[at] ?? ''] = contents[at + 1] ?? null;
      return values;
    },
    /** Returns the id of a text, and stores new texts. */
    idOf,
    catchUp,
  };
}

function namesIn(values: Values): readonly string[] {
  return Object.keys(values).filter((name) => values[name] !== undefined);
}

export function unpackOrNull({ unpack }: Pick<ValuePacker, 'unpack'>, text: PackedText | null): Values | null {
  return text === null ? null : unpack(text);
}

/**
 * SQL for one value in a column. Texts and numbers stay unchanged; anything else becomes JSON. NULL if there is no
 * value.
 *
 * @param name the value's name, or the parameter that contains it: `$field`
 */
export function packedValue(column: string, name: string, schema: SchemaName = 'main'): string {
  return `(SELECT ${column} ->> ${indexOf(column, name, schema)})`;
}

/** SQL for the same value as JSON, so texts are quoted. */
export function packedJson(column: string, name: string, schema: SchemaName = 'main'): string {
  return `(SELECT ${column} -> ${indexOf(column, name, schema)})`;
}

function indexOf(column: string, name: string, schema: SchemaName): string {
  const wanted = name.startsWith('$') ? name : `'${name}'`;
  return `(n.key + 1) FROM ${schema}.shared_texts t, json_each(t.text) n
    WHERE t.id = ${column} ->> 0 AND n.value = ${wanted}`;
}
