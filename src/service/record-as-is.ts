import * as z from 'zod';
import { isJsonObject } from '../model/json.js';
import { AS_IS, readWrapped } from './wire-values.js';

/** Returns the record; undefined if its schema must convert or reject it. */
type ReadAsIs = (value: unknown) => object | undefined;

const readers = new WeakMap<z.ZodType, ReadAsIs>();

/** How the schema of a record is built. */
interface RecordParts<F extends Readonly<Record<string, z.ZodType>>, R extends object> {
  /** The name under which the record may be wrapped. */
  readonly wrapper: string;
  /** Unwraps the record and finds its id; see `readWrapped`. */
  readonly readId: (value: unknown) => unknown;
  /** The fields, each of which `AS_IS` knows. */
  readonly fields: F;
  readonly finish: (record: z.output<z.ZodObject<F>>) => R;
}

/**
 * Builds the schema of a record that is read in large numbers, with a shortcut. Nearly all such records contain every
 * field in the form that the program uses. Copying one gives the same result as the schema, in a fraction of the time
 * and memory. Everything else is left to the schema: wrapped records, other forms, and anything invalid.
 */
export function recordWithShortcut<F extends Readonly<Record<string, z.ZodType>>, R extends object>({
  wrapper,
  readId,
  fields,
  finish,
}: RecordParts<F, R>) {
  const schema = z.preprocess(readWrapped(wrapper, readId), z.object(fields).transform(finish));
  const checks = Object.entries(fields).map(([name, field]) => {
    const check = AS_IS.get(field);
    if (check === undefined) throw new Error(`No check is known for the field ${name}.`);
    return { name, ...check };
  });
  readers.set(schema, (value) => {
    if (!isJsonObject(value) || isJsonObject(value[wrapper])) return undefined;
    const record: Record<string, unknown> = {};
    for (const { name, isAsIs, mayBeAbsent } of checks) {
      const field = value[name];
      if (field === undefined ? !mayBeAbsent : !isAsIs(field)) return undefined;
      if (field !== undefined) record[name] = field;
    }
    return finish(record as z.output<z.ZodObject<F>>);
  });
  return schema;
}

/** Reads a record without its schema; undefined if that is not possible. */
export function readAsIs<T extends z.ZodType>(schema: T): (value: unknown) => z.output<T> | undefined {
  return (readers.get(schema) ?? (() => undefined)) as (value: unknown) => z.output<T> | undefined;
}
