import * as z from 'zod';
import type { TextFields } from '../../fields/text-fields.js';

/* Building blocks of schemas for responses and bodies. */

export const Texts = z.record(z.string(), z.string()).meta({ description: 'Language code → text.' });
export const text = z.string().nullable();
export const id = z.string();
export const stamp = z.string().meta({ description: 'ISO 8601. Send it back unchanged.' });
export const stampOrNull = stamp.nullable();
export const count = z.int();

const link = z.looseObject({ url: text });
export const Picture = z.looseObject({ url: text, thumb: link, fit_thumb: link, large: link, small_thumb: link });

export type Shape = Readonly<Record<string, z.ZodType>>;

/** Gives several names the same schema: `shapeOf(text, 'upn', 'telephone')`. */
export function shapeOf<T extends z.ZodType>(schema: T, ...names: readonly string[]): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, schema]));
}

/** Returns the text fields of a table as they appear in a response, where all of them are present. */
export function showTextFields({ texts, strings }: TextFields): Shape {
  return { ...shapeOf(Texts, ...texts), ...shapeOf(text, ...strings) };
}

const KINDS = { string: text, year: count.nullable(), texts: Texts, on: z.boolean(), off: z.boolean() } as const;

/** Does the same for the rows of plain-fields.ts. */
export function showPlainFields(fields: Readonly<Record<string, { readonly kind: keyof typeof KINDS }>>): Shape {
  return Object.fromEntries(Object.entries(fields).map(([name, { kind }]) => [name, KINDS[kind]]));
}

/** Returns the schema of a request body, in which each field may be omitted, or null to clear it. */
export function take(shape: Shape): z.ZodType {
  return z.looseObject(mapShape(shape, (schema) => schema.nullish()));
}

export function wrap(name: string, inner: z.ZodType): z.ZodType {
  return z.looseObject({ [name]: inner });
}

export function show(shape: Shape): z.ZodObject {
  return z.looseObject(shape);
}

function mapShape(shape: Shape, map: (schema: z.ZodType) => z.ZodType): Shape {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, map(schema)]));
}
