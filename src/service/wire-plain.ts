import { FIELDS, type FieldTable, isPlain, type PlainName } from '../model/fields.js';
import type { Multilingual } from '../model/json.js';
import { flag, integer, multilingual, text } from './wire-values.js';

/**
 * Plain fields have one name and one value in the model, in answers and in bodies, so the schemas and types of all three
 * are made of the rows of `FIELDS`: there is nothing else to write, or to forget.
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

/** What answers show of them. */
export function plainSchemas<E extends keyof FieldTable>(entity: E): PlainSchemas<E> {
  const plain = Object.entries(FIELDS[entity]).flatMap(([name, { shape }]) =>
    isPlain(shape) ? [[name, SCHEMAS[shape]] as const] : [],
  );
  return Object.fromEntries(plain) as PlainSchemas<E>;
}

/** What a create takes of them. */
export type PlainBody<E extends keyof FieldTable> = { readonly [F in PlainName<E>]?: Given[ShapeOf<E, F>] };

type CreateOnly<E extends keyof FieldTable> = {
  [F in PlainName<E>]: FieldTable[E][F] extends { readonly createOnly: true } ? F : never;
}[PlainName<E>];

/** What an update takes of them. */
export type PlainUpdate<E extends keyof FieldTable> = Omit<PlainBody<E>, CreateOnly<E>>;

/** The same with some that cannot be emptied. */
export type NeverEmpty<T, F extends keyof T> = Omit<T, F> & { readonly [K in F]?: NonNullable<T[K]> };
