import * as z from 'zod';

/** Texts in a fixture have ISO 639-1 codes as keys, whatever code mode clients use later. */
export const texts = z.record(z.string(), z.string());
export const officeReference = z.strictObject({ country: z.string(), name: z.string() });

/** A PNG or JPEG picture in base64. */
export const picture = z.string().min(1);

export const ImportSetting = z.strictObject({
  missing: z.enum(['keep', 'deactivate', 'remove']).default('keep'),
  default_country: z.string().optional(),
  default_office: z.string().optional(),
  default_role: z.string().default('consultant'),
  /** Column title → external id of the custom tag category that contains the tags in its cells. */
  tag_columns: z.record(z.string(), z.string()).default({}),
  /** Milliseconds from the response to the processing of the file. */
  delay_ms: z.int().min(0).default(50),
});
export type ImportSetting = z.output<typeof ImportSetting>;

const TemplateSettings = z.strictObject({
  id: z.string().min(1),
  /** Colour of headings and lines: `#1f4e79`. */
  accent: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i)
    .default('#1f4e79'),
  page: z.enum(['a4', 'letter']).default('a4'),
  /** Company name, which appears at the foot of each page. */
  company: z.string().default(''),
  footer: texts.default({}),
  logo: picture.optional(),
  /** Personal details that documents omit. */
  hide: z.array(z.enum(['born_year', 'email', 'telephone'])).default([]),
});
export type TemplateSettings = z.output<typeof TemplateSettings>;

export const AccountSettings = z.strictObject({
  subdomain: z.string().default('acme'),
  languages: z.array(z.string()).min(1).default(['en', 'no', 'sv']),
  whitelisted_domains: z.array(z.string()).default(['example.com']),
  features: z
    .strictObject({ hard_linking: z.boolean().default(true), custom_fields: z.boolean().default(true) })
    .prefault({}),
  rate_limit: z
    .strictObject({ requests: z.int().min(1).max(1_000_000), per_seconds: z.number().positive() })
    .optional(),
  imports: z.record(z.string(), ImportSetting).default({}),
  /** Milliseconds that a report takes. Half of them pass before the work and half after it. */
  reports: z.strictObject({ delay_ms: z.int().min(0).default(50) }).prefault({}),
  templates: z.array(TemplateSettings).default([]),
  /** The template for documents if neither the office nor the country has one. */
  default_template_id: z.string().optional(),
  /** True if a master CV also shows the tags of its user. */
  user_tags_on_cvs: z.boolean().default(true),
  /** `exclude` omits only the user with this id; `keyset` omits all users up to and including it. */
  after_id: z.enum(['exclude', 'keyset']).default('exclude'),
  /** Form of the customer list: `{ customers, total }`, as existing clients expect, or an array as in most other lists. */
  customer_lists: z.enum(['wrapped', 'bare']).default('wrapped'),
  /**
   * `scoped`: users in lists and in `find` include the scope of a departmentmanager, as existing clients expect. `plain`: they
   * do not.
   */
  user_lists: z.enum(['scoped', 'plain']).default('scoped'),
  /** Picture addresses of people without a picture: null, or the addresses of a neutral picture, as some accounts return. */
  missing_pictures: z.enum(['null', 'neutral']).default('null'),
  /** Suffix of timestamps. Both forms are ISO 8601; `+00:00` reveals clients that do not percent-encode. */
  stamp_suffix: z.enum(['Z', '+00:00']).default('Z'),
});
export type AccountSettings = z.output<typeof AccountSettings>;

export const KeySettings = z.strictObject({
  key: z.string().min(1),
  name: z.string().min(1),
  role: z.enum([
    'internationalmanager',
    'readonly_internationalmanager',
    'countrymanager',
    'referencemanager',
    'departmentmanager',
    'bidmanager',
    'consultant',
    'limited_access',
    'external',
    'readonly_proposal',
  ]),
  /** E-mail of the user whom the key acts for, with their own CV, projects and proposals. Without it, the key is an API user. */
  user: z.string().optional(),
  /** The country that a countrymanager manages. */
  country: z.string().optional(),
  /** The default office of projects that are created with this key. */
  office: officeReference.optional(),
  /** The offices in the scope of a departmentmanager. */
  offices: z.array(officeReference).default([]),
  /** External ids of the custom tags in the scope of a departmentmanager. */
  tags: z.array(z.string()).default([]),
  disabled: z.boolean().default(false),
});
export type KeySettings = z.output<typeof KeySettings>;

export const CustomFieldSettings = z.strictObject({
  field_name: z.string(),
  field_type: z.enum(['numeric', 'year_month_range', 'currency_amount', 'single_select', 'quantity']),
  field_label: texts.default({}),
  field_tooltip: texts.default({}),
  options: z.array(z.strictObject({ external_unique_id: z.string(), name: texts })).default([]),
  /** The unit codes that a quantity may have. */
  units: z.array(z.string()).default(['m2', 'm3', 'm', 'km', 'kg', 't', 'pcs', 'mw', 'kw']),
});
export type CustomFieldSettings = z.output<typeof CustomFieldSettings>;
