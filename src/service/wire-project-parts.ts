import * as z from 'zod';
import { count, externalId, flag, identifier, multilingual, readId, readUserId, text } from './wire-values.js';

export const WireOwner = z.preprocess(
  readUserId,
  z.object({
    id: identifier,
    email: text,
    external_unique_id: externalId,
    name: text,
    office_id: text,
    office_name: text,
    role: text,
    title: multilingual,
    deactivated: flag,
  }),
);
export type WireOwner = z.infer<typeof WireOwner>;

/** A challenge, a solution or a value proposition of a project (spec, Sub-resource entries). */
export const WireProjectEntry = z.preprocess(
  readId,
  z.object({
    id: identifier,
    reference_project_id: text,
    label: multilingual,
    value: multilingual,
    /** True keeps the entry out of published references. */
    disabled: flag,
    version: count,
  }),
);
export type WireProjectEntry = z.infer<typeof WireProjectEntry>;

export const WireProjectLink = z.preprocess(
  readId,
  z.object({ id: identifier, label: multilingual, url: text, disabled: flag, version: count }),
);
export type WireProjectLink = z.infer<typeof WireProjectLink>;

/** Read-only; the addresses are valid for about 10 minutes (spec, Reference project). */
export const WireProjectImage = z.preprocess(
  readId,
  z.object({
    id: identifier,
    image_id: text,
    caption: multilingual,
    image: z.object({ id: text, url: text }).nullish(),
  }),
);
export type WireProjectImage = z.infer<typeof WireProjectImage>;

/** `type` decides which fields are filled; amounts are decimal text (`42.0`), unset fields null (spec, Custom fields). */
export const WireCustomFieldValue = z.looseObject({
  name: z.string(),
  type: text,
  value: z
    .union([
      z.string(),
      z.number().transform(String),
      z.looseObject({ id: text, external_unique_id: externalId, name: multilingual }),
    ])
    .nullish(),
  amount: text,
  currency: text,
  unit: text,
  from: text,
  to: text,
  sensitivity: text,
  /** The replacement text if the value is sensitive. */
  anonymized: multilingual,
});
export type WireCustomFieldValue = z.infer<typeof WireCustomFieldValue>;

/** The spec does not show the entries of `offices`: an identifier, or an object with one. */
export const officeIds = z
  .array(z.union([z.string(), z.preprocess(readId, z.object({ id: identifier })).transform((office) => office.id)]))
  .nullable()
  .transform((ids) => ids ?? [])
  .optional();
