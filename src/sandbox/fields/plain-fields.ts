import * as z from 'zod';
import { type CodeMode, type Texts, toWireTexts } from './languages.js';
import { type Body, readBoolean, readString, readTexts, readYear } from './values.js';

/**
 * A field without special rules that has the same name in storage, requests, responses and fixtures. It only needs a row here.
 * The worker has a separate table, so that an error in one is not repeated in the other.
 */
interface PlainField {
  readonly kind: keyof Kinds;
  /** For a user field that the CV also contains: its name in CV updates; null if the CV only shows it. */
  readonly onCv?: string | null;
  /** Set if later calls treat the field as an unknown attribute. */
  readonly createOnly?: true;
}

type PlainFields = Readonly<Record<string, PlainField>>;

export const USER_FIELDS = {
  external_unique_id: { kind: 'string' },
  upn: { kind: 'string' },
  telephone: { kind: 'string', onCv: 'telefon' },
  landline: { kind: 'string', onCv: 'landline' },
  title: { kind: 'texts', onCv: 'title' },
  nationality: { kind: 'texts', onCv: null },
  born_year: { kind: 'year', onCv: 'born_year' },
} as const satisfies PlainFields;

type CvField = { [F in keyof typeof USER_FIELDS]: (typeof USER_FIELDS)[F] extends { onCv: unknown } ? F : never };
/** The user fields that a CV contains. */
export const CV_FIELDS = Object.fromEntries(
  Object.entries<PlainField>(USER_FIELDS).filter(([, { onCv }]) => onCv !== undefined),
) as Pick<typeof USER_FIELDS, CvField[keyof CvField]>;

export const COUNTRY_FIELDS = {
  cv_template_id: { kind: 'string' },
  cv_template_type: { kind: 'string' },
} as const satisfies PlainFields;

export const CUSTOMER_FIELDS = {
  external_unique_id: { kind: 'string' },
  customer_description: { kind: 'texts' },
  customer_url: { kind: 'string' },
} as const satisfies PlainFields;

export const CATEGORY_FIELDS = {
  external_unique_id: { kind: 'string' },
  can_be_used_for_cvs: { kind: 'on' },
  can_be_used_for_references: { kind: 'on' },
  can_be_used_for_customers: { kind: 'on' },
  allow_filtering: { kind: 'off', createOnly: true },
  lock_for_integrations: { kind: 'off', createOnly: true },
} as const satisfies PlainFields;

interface Kinds {
  readonly string: string | null;
  readonly year: number | null;
  readonly texts: Texts;
  /** Flags, by their default value. */
  readonly on: boolean;
  readonly off: boolean;
}

export type PlainValues<T extends PlainFields> = { readonly [F in keyof T]: Kinds[T[F]['kind']] };

const SCHEMAS = {
  string: z.string().nullable().default(null),
  year: z.int().nullable().default(null),
  texts: z.record(z.string(), z.string()).default({}),
  on: z.boolean().default(true),
  off: z.boolean().default(false),
} satisfies { readonly [K in keyof Kinds]: z.ZodDefault };

const EMPTY: Kinds = { string: null, year: null, texts: {}, on: true, off: false };

const READ: { readonly [K in keyof Kinds]: (body: Body, name: string, mode: CodeMode) => Kinds[K] | undefined } = {
  string: readString,
  year: readYear,
  texts: readTexts,
  on: readBoolean,
  off: readBoolean,
};

export function emptyFields<T extends PlainFields>(fields: T): PlainValues<T> {
  return mapFields(fields, (_, { kind }) => EMPTY[kind]) as PlainValues<T>;
}

/** Reads fields from a body. Fields that the body lacks keep their value, or are empty in a new object. */
export function readFields<T extends PlainFields>(
  fields: T,
  body: Body,
  mode: CodeMode,
  before: PlainValues<T> | undefined,
): PlainValues<T> {
  const known = before ?? emptyFields(fields);
  const read = (name: string, { kind, createOnly }: PlainField): unknown =>
    createOnly && before ? undefined : READ[kind](body, name, mode);
  return mapFields(fields, (name, field) => {
    const sent = read(name, field);
    return sent === undefined ? known[name] : sent;
  }) as PlainValues<T>;
}

/** Reads the user fields in a CV update, under the names that the CV uses. Only fields in the body are returned. */
export function readCvFields(body: Body, mode: CodeMode): Partial<PlainValues<typeof USER_FIELDS>> {
  const sent = Object.entries<PlainField>(USER_FIELDS).map(([name, { kind, onCv }]) => [
    name,
    onCv ? READ[kind](body, onCv, mode) : undefined,
  ]);
  return Object.fromEntries(sent.filter(([, value]) => value !== undefined));
}

export function pickFields<T extends PlainFields>(fields: T, object: PlainValues<T>): PlainValues<T> {
  return mapFields(fields, (name) => object[name]) as PlainValues<T>;
}

export function renderFields<T extends PlainFields>(
  fields: T,
  object: PlainValues<T>,
  mode: CodeMode,
): Readonly<Record<string, unknown>> {
  return mapFields(fields, (name, { kind }) =>
    kind === 'texts' ? toWireTexts(object[name] as Texts, mode) : object[name],
  );
}

export function fixtureFields<T extends PlainFields>(fields: T): { [F in keyof T]: (typeof SCHEMAS)[T[F]['kind']] } {
  return mapFields(fields, (_, { kind }) => SCHEMAS[kind]) as { [F in keyof T]: (typeof SCHEMAS)[T[F]['kind']] };
}

function mapFields<R>(fields: PlainFields, map: (name: string, field: PlainField) => R): Readonly<Record<string, R>> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, map(name, field)]));
}
