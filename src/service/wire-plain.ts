import { FIELDS, type FieldTable, isPlain, type PlainName } from '../model/fields.js';
import type { Multilingual } from '../model/json.js';
import { flag, integer, multilingual, text } from './wire-values.js';

/**
 * Plain fields have the same name and value in the model, in answers and in bodies. So the rows of `FIELDS` define the
 * schemas and types of all three.
 */
const SCHEMAS = { text, integer, flag, multilingual };

interface Given {
  readonly text: string | null;
  readonly integer: number | null;
  readonly flag: boolean;
  readonly multilingual: Multilingual;
}

type ShapeOf<E extends keyof FieldTable, F extends PlainName<E>> = FieldTable[E][F] extends {
  readonly shape: infer S extends keyof Given;
}
  ? S
  : never;

type PlainSchemas<E extends keyof FieldTable> = { readonly [F in PlainName<E>]: (typeof SCHEMAS)[ShapeOf<E, F>] };

/** The schemas of an entity's plain fields in answers. */
export function plainSchemas<E extends keyof FieldTable>(entity: E): PlainSchemas<E> {
  const plain = Object.entries(FIELDS[entity]).flatMap(([name, { shape }]) =>
    isPlain(shape) ? [[name, SCHEMAS[shape]] as const] : [],
  );
  return Object.fromEntries(plain) as PlainSchemas<E>;
}

/** The plain fields that a create accepts. */
export type PlainBody<E extends keyof FieldTable> = { readonly [F in PlainName<E>]?: Given[ShapeOf<E, F>] };

type CreateOnly<E extends keyof FieldTable> = {
  [F in PlainName<E>]: FieldTable[E][F] extends { readonly createOnly: true } ? F : never;
}[PlainName<E>];

/** The plain fields that an update accepts. */
export type PlainUpdate<E extends keyof FieldTable> = Omit<PlainBody<E>, CreateOnly<E>>;

/** The same type, except that the fields `F` cannot be emptied. */
export type NeverEmpty<T, F extends keyof T> = Omit<T, F> & { readonly [K in F]?: NonNullable<T[K]> };
