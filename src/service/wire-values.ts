import * as z from 'zod';
import { isJsonObject } from '../model/json.js';

/*
 * The schemas of the service's values, which check each value as it arrives. A field that is missing from the answer
 * stays absent, which means "not shown"; a null field is empty. The two must not be confused, because a field that was
 * not shown must not be overwritten. The schemas are tolerant where the spec leaves a shape open ("not shown"), and
 * strict where a wrong value would be synchronised.
 */

/** Not a union, because a union tries each member with an object of its own, and every record has a dozen such fields. */
const textOrNumber = z.transform((value: unknown, context): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  context.issues.push({ code: 'invalid_type', expected: 'string', input: value });
  return z.NEVER;
});

/** Amounts come as numbers or as text (`42.0`). */
export const text = textOrNumber.nullish();
/** An identifier from another system; an unset one is null or empty (spec, Custom tag category). */
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
 * Language code → text. A language without text counts as missing, and so does null. Every record has several of these
 * values, and `z.record` takes eight times as long.
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
/** One text, or one per language: the spec names both (spec, User). */
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

/** Identifiers are `id` in some answers and `_id` in others (spec, User; Country and office). */
export function readId(value: unknown): unknown {
  return isJsonObject(value) && isNone(value.id) ? { ...value, id: value._id } : value;
}

/** On users, `user_id` has the same value as the id. On other records, `user_id` names a user that the record belongs to. */
export function readUserId(value: unknown): unknown {
  return isJsonObject(value) && isNone(value.id) ? { ...value, id: value._id ?? value.user_id } : value;
}

/** Unwraps a record if it has a wrapper. */
export function readWrapped(wrapper: string, read = readId): (value: unknown) => unknown {
  return (value) => {
    const inner = isJsonObject(value) ? value[wrapper] : undefined;
    return read(isJsonObject(inner) ? inner : value);
  };
}

/** Finds a list that is the answer itself, is under one of these names, or is the only list of an object. */
export function findList(value: unknown, wrappers: readonly string[]): unknown {
  if (!isJsonObject(value)) return value;
  for (const wrapper of wrappers) if (Object.hasOwn(value, wrapper)) return value[wrapper];
  const lists = Object.values(value).filter(Array.isArray);
  return lists.length === 1 ? lists[0] : value;
}

export const identifier = z.string().min(1);
/** Like `flag`, but not shown differs from off. */
export const shownFlag = z.boolean().nullish();

/** Entries whose fields the spec does not show; they are kept verbatim. */
export const unshownEntry = z.unknown();

/** A list that an answer may leave out (absent), or return as null (empty). */
export function optionalList<T extends z.ZodType>(row: T) {
  return z
    .array(row)
    .nullable()
    .transform((rows) => rows ?? [])
    .optional();
}

/** A list that is empty if an answer leaves it out. */
export function listOrNone<T extends z.ZodType>(row: T) {
  return z
    .array(row)
    .nullish()
    .transform((rows) => rows ?? []);
}

const link = z.object({ url: z.string().nullish() }).nullish();
/** A picture in several sizes. The addresses are signed and expire; those of users expire after about 20 minutes (spec, User). */
export const picture = z
  .object({ url: z.string().nullish(), thumb: link, fit_thumb: link, large: link, small_thumb: link })
  .nullish();
const PICTURE_SIZES: ReadonlySet<string> = new Set(['thumb', 'fit_thumb', 'large', 'small_thumb']);
const NO_SIZES: ReadonlySet<string> = new Set();

/** Recognises values that the schema of a field returns unchanged. */
interface AsIs {
  /** Not called for a missing value. */
  readonly isAsIs: (value: unknown) => boolean;
  /** True if a field that is missing stays missing. */
  readonly mayBeAbsent: boolean;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrNull = (value: unknown): boolean => typeof value === 'string' || value === null;
const isFilled = (value: unknown): boolean => typeof value === 'string' && value !== '';
const hasTexts = (value: unknown): boolean => isJsonObject(value) && Object.values(value).every(isText);

/** True if the value is null, or has only an address and pictures in other sizes. */
function isPicture(value: unknown, sizes: ReadonlySet<string> = PICTURE_SIZES): boolean {
  if (value === null) return true;
  if (!isJsonObject(value)) return false;
  for (const name in value) {
    const one = value[name];
    if (name === 'url' ? !isTextOrNull(one) : !sizes.has(name) || !isPicture(one, NO_SIZES)) return false;
  }
  return true;
}

const optional = (isAsIs: AsIs['isAsIs']): AsIs => ({ isAsIs, mayBeAbsent: true });

export const AS_IS: ReadonlyMap<z.ZodType, AsIs> = new Map<z.ZodType, AsIs>([
  [identifier, { isAsIs: isFilled, mayBeAbsent: false }],
  [text, optional(isTextOrNull)],
  [externalId, optional((value) => value === null || isFilled(value))],
  [integer, optional((value) => value === null || Number.isInteger(value))],
  [multilingual, optional(hasTexts)],
  [textOrMultilingual, optional((value) => isTextOrNull(value) || hasTexts(value))],
  [names, optional((value) => Array.isArray(value) && value.every(isText))],
  [shownFlag, optional((value) => value === null || typeof value === 'boolean')],
  [deactivatedAt, optional((value) => value === false || isFilled(value))],
  [picture, optional((value) => isPicture(value))],
]);
