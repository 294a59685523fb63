import * as z from 'zod';
import { isJsonObject } from '../model/json.js';

/*
 * The service's values as they come over the wire, checked where they enter.
 * A field that is not in the answer stays absent, which says "not shown"; one that is null is empty. The two must not be
 * mixed up: what was not shown is not to be written over.
 * Tolerant where the spec leaves a shape open ("not shown"), strict where a wrong value would be synchronised.
 */

/** Every record has a dozen, and a union tries each of its members with an object of its own. */
const textOrNumber = z.transform((value: unknown, context): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  context.issues.push({ code: 'invalid_type', expected: 'string', input: value });
  return z.NEVER;
});

/** Amounts come as numbers or as text (`42.0`). */
export const text = textOrNumber.nullish();
/** An identifier from another system; unset is null or empty (spec, Custom tag category). */
export const externalId = textOrNumber.transform((value) => (value === '' ? null : value)).nullish();
export const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);
export const count = z.number().nullish();
export const names = z
  .array(z.string())
  .nullable()
  .transform((value) => value ?? [])
  .optional();
export const integer = z
  .union([z.number(), z.string()])
  .transform((value) => {
    const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
    return Number.isInteger(number) ? number : null;
  })
  .nullish();
/**
 * Language code → text; a language without text is the same as none, and so is null. Every record has several, and
 * `z.record` takes eight times as long.
 */
export const multilingual = z
  .transform((value: unknown, context): Readonly<Record<string, string>> => {
    const texts: Record<string, string> = {};
    if (value === null) return texts;
    if (!isJsonObject(value)) {
      context.issues.push({ code: 'invalid_type', expected: 'record', input: value });
      return z.NEVER;
    }
    for (const [language, words] of Object.entries(value)) {
      if (typeof words === 'string') texts[language] = words;
      else if (!isNone(words))
        context.issues.push({ code: 'invalid_type', expected: 'string', input: words, path: [language] });
    }
    return texts;
  })
  .optional();
/** One text, or one a language: both are named (spec, User). */
export const textOrMultilingual = z.union([z.string(), multilingual]).nullish();
/** `false` while active, a timestamp once deactivated (spec, User). */
export const deactivatedAt = z
  .union([z.boolean(), z.string()])
  .nullable()
  .transform((value): string | false => (typeof value === 'string' && value !== '' ? value : false))
  .optional();

function isNone(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Identifiers are `id` here and `_id` there (spec, User; Country and office). */
export function readId(value: unknown): unknown {
  return isJsonObject(value) && isNone(value.id) ? { ...value, id: value._id } : value;
}

/** On users it is `user_id` too: both carry the same value. Elsewhere `user_id` is somebody the record belongs to. */
export function readUserId(value: unknown): unknown {
  return isJsonObject(value) && isNone(value.id) ? { ...value, id: value._id ?? value.user_id } : value;
}

/** A record that comes in its wrapper is taken out of it. */
export function readWrapped(wrapper: string, read = readId): (value: unknown) => unknown {
  return (value) => {
    const inner = isJsonObject(value) ? value[wrapper] : undefined;
    return read(isJsonObject(inner) ? inner : value);
  };
}

/** A list that comes plain, under one of these names, or as the only list of an object. */
export function findList(value: unknown, wrappers: readonly string[]): unknown {
  if (!isJsonObject(value)) return value;
  for (const wrapper of wrappers) if (Object.hasOwn(value, wrapper)) return value[wrapper];
  const lists = Object.values(value).filter(Array.isArray);
  return lists.length === 1 ? lists[0] : value;
}

export const identifier = z.string().min(1);

/** Entries whose fields the spec does not show: as they come. */
export const unshownEntry = z.unknown();

/** A list that an answer may leave out (absent), or give as null (empty). */
export function optionalList<T extends z.ZodType>(row: T) {
  return z
    .array(row)
    .nullable()
    .transform((rows) => rows ?? [])
    .optional();
}

/** A list that is empty where an answer leaves it out. */
export function listOrNone<T extends z.ZodType>(row: T) {
  return z
    .array(row)
    .nullish()
    .transform((rows) => rows ?? []);
}

const link = z.object({ url: z.string().nullish() }).nullish();
/** A picture in its sizes; the addresses are signed and expire: after about 20 minutes for users (spec, User). */
export const picture = z
  .object({ url: z.string().nullish(), thumb: link, fit_thumb: link, large: link, small_thumb: link })
  .nullish();
