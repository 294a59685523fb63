import * as z from 'zod';
import { SyncError } from '../errors.js';
import { PROPOSAL_STATUSES } from './documents.js';
import { CATEGORY_FIELDS, CUSTOMER_FIELDS, fixtureFields, USER_FIELDS } from './plain-fields.js';
import { Refusal } from './route.js';
import { SECTION_TYPES } from './section-kinds.js';

/** Texts of a fixture are keyed by ISO 639-1 codes, whatever mode clients use later. */
const texts = z.record(z.string(), z.string());
const officeReference = z.strictObject({ country: z.string(), name: z.string() });
/** Category external id → tag external id. */
const tagReferences = z.record(z.string(), z.string());

const importSetting = z.strictObject({
  missing: z.enum(['keep', 'deactivate', 'remove']).default('keep'),
  default_country: z.string().optional(),
  default_office: z.string().optional(),
  default_role: z.string().default('consultant'),
  /** Column title → external id of the custom tag category that its cells name a tag of. */
  tag_columns: z.record(z.string(), z.string()).default({}),
  /** How long after the answer the file is processed. */
  delay_ms: z.int().min(0).default(50),
});

/** PNG or JPEG, in base64. */
const picture = z.string().min(1);
const images = z.array(z.strictObject({ image: picture, caption: texts.default({}) })).default([]);

/** What rendered documents look like. */
const template = z.strictObject({
  id: z.string().min(1),
  /** Colour of headings and rules: `#1f4e79`. */
  accent: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i)
    .default('#1f4e79'),
  page: z.enum(['a4', 'letter']).default('a4'),
  /** Name of the company, at the foot of each page. */
  company: z.string().default(''),
  footer: texts.default({}),
  logo: picture.optional(),
});

const account = z.strictObject({
  subdomain: z.string().default('acme'),
  languages: z.array(z.string()).min(1).default(['en', 'no', 'sv']),
  whitelisted_domains: z.array(z.string()).default(['example.com']),
  features: z
    .strictObject({ hard_linking: z.boolean().default(true), custom_fields: z.boolean().default(true) })
    .prefault({}),
  rate_limit: z
    .strictObject({ requests: z.int().min(1).max(1_000_000), per_seconds: z.number().positive() })
    .optional(),
  imports: z.record(z.string(), importSetting).default({}),
  /** How long a report takes, half of it before the work and half after. */
  reports: z.strictObject({ delay_ms: z.int().min(0).default(50) }).prefault({}),
  templates: z.array(template).default([]),
  /** The template of documents where neither office nor country has one. */
  default_template_id: z.string().optional(),
  /** Whether the tags of a user are those of the master CV too. */
  user_tags_on_cvs: z.boolean().default(true),
  /** `exclude` leaves out just the named user, `keyset` everything up to it. */
  after_id: z.enum(['exclude', 'keyset']).default('exclude'),
  /** The list of customers: `{ customers, total }`, as clients in use read it, or an array like most other lists. */
  customer_lists: z.enum(['wrapped', 'bare']).default('wrapped'),
  /** How time stamps end: both forms are ISO 8601, and `+00:00` finds clients that forget to percent-encode. */
  stamp_suffix: z.enum(['Z', '+00:00']).default('Z'),
});

const key = z.strictObject({
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
  /** E-mail of the user whose key it is: own CV, own projects, own proposals. Without it, the key is an API user. */
  user: z.string().optional(),
  /** A countrymanager's own country. */
  country: z.string().optional(),
  /** The default office that projects created with this key get. */
  office: officeReference.optional(),
  /** Scope of a departmentmanager. */
  offices: z.array(officeReference).default([]),
  /** The same by external ids of custom tags. */
  tags: z.array(z.string()).default([]),
  disabled: z.boolean().default(false),
});

const country = z.strictObject({
  code: z.string().regex(/^[a-z]{2}$/),
  native_language_code: z.string(),
  override_ui_language_code: z.string().optional(),
  cv_template_id: z.string().optional(),
  offices: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        override_language_code: z.string().optional(),
        cv_template_id: z.string().optional(),
      }),
    )
    .default([]),
});

const user = z.strictObject({
  country: z.string(),
  office: z.string(),
  email: z.string(),
  ...fixtureFields(USER_FIELDS),
  name: z.string().default(''),
  name_multilang: texts.default({}),
  place_of_residence: z.union([z.string(), texts]).nullable().default(null),
  twitter: z.string().nullable().default(null),
  override_language_code: z.string().nullable().default(null),
  roles: z.array(z.string()).default(['consultant']),
  role_allowed_offices: z.array(officeReference).default([]),
  role_allowed_tags: z.array(z.string()).default([]),
  tags: tagReferences.default({}),
  deactivated: z.boolean().default(false),
  image: picture.optional(),
  /** Section type → the bodies that its create would take; project experiences with `roles`, skills and `images` besides. */
  cv: z
    .strictObject({
      tags: tagReferences.default({}),
      sections: z.partialRecord(z.enum(SECTION_TYPES), z.array(z.record(z.string(), z.unknown()))).default({}),
    })
    .optional(),
  /** Moves the feed's stamp; otherwise the time of seeding. */
  profile_updated_at: z.iso.datetime({ offset: true }).optional(),
});

const tagCategory = z.strictObject({
  values: texts,
  ...fixtureFields(CATEGORY_FIELDS),
  custom_tags: z.array(z.strictObject({ values: texts, external_unique_id: z.string().optional() })).default([]),
});

const entry = z.strictObject({
  label: texts.default({}),
  value: texts.default({}),
  disabled: z.boolean().default(false),
});

const contact = z.strictObject({
  name: z.string().nullable().default(null),
  title: z.string().nullable().default(null),
  email: z.string().nullable().default(null),
  telephone: z.string().nullable().default(null),
  disabled: z.boolean().default(false),
});

/** A project takes the fields of the create body; owners by e-mail, offices and tags by their names. */
const project = z.looseObject({
  owners: z.array(z.string()).default([]),
  offices: z.array(officeReference).default([]),
  tags: tagReferences.default({}),
  workflow_stage: z.enum(['draft', 'ready_for_review', 'live']).default('draft'),
  project_challenges: z.array(entry).default([]),
  project_solutions: z.array(entry).default([]),
  customer_value_propositions: z.array(entry).default([]),
  customer_contacts: z.array(contact).default([]),
  project_links: z
    .array(z.strictObject({ label: texts.default({}), url: z.string(), disabled: z.boolean().default(false) }))
    .default([]),
  project_introduction_images: images,
  project_challenges_images: images,
  project_solutions_images: images,
  customer_value_propositions_images: images,
  company_project_skills: z.array(z.strictObject({ tags: texts, disabled: z.boolean().default(false) })).default([]),
});

const customer = z.strictObject({
  ...fixtureFields(CUSTOMER_FIELDS),
  customer_name: texts,
  /** External id of an industry. */
  industry: z.string().optional(),
  tags: tagReferences.default({}),
  projects: z.array(project).default([]),
});

/** People by e-mail, API users by the names of their keys, projects by external id. */
const proposal = z.strictObject({
  name: z.string().min(1),
  status: z.enum(PROPOSAL_STATUSES).default('initial'),
  archived: z.boolean().default(false),
  owner: z.string(),
  collaborators: z.array(z.string()).default([]),
  cvs: z.array(z.string()).default([]),
  references: z.array(z.string()).default([]),
});

const customField = z.strictObject({
  field_name: z.string(),
  field_type: z.enum(['numeric', 'year_month_range', 'currency_amount', 'single_select', 'quantity']),
  field_label: texts.default({}),
  field_tooltip: texts.default({}),
  options: z.array(z.strictObject({ external_unique_id: z.string(), name: texts })).default([]),
  /** Unit codes that a quantity takes. */
  units: z.array(z.string()).default(['m2', 'm3', 'm', 'km', 'kg', 't', 'pcs', 'mw', 'kw']),
});

/** What an account holds at first. Unknown keys are errors: a misspelled one would quietly make another account. */
export const Fixture = z.strictObject({
  $schema: z.string().optional(),
  account: account.prefault({}),
  keys: z.array(key).default([]),
  countries: z.array(country).default([]),
  industries: z
    .array(
      z.strictObject({ id: z.string().min(1).optional(), values: texts, external_unique_id: z.string().optional() }),
    )
    .default([]),
  custom_fields: z.array(customField).default([]),
  tag_categories: z.array(tagCategory).default([]),
  users: z.array(user).default([]),
  customers: z.array(customer).default([]),
  proposals: z.array(proposal).default([]),
});
export type Fixture = z.output<typeof Fixture>;
export type FixtureInput = z.input<typeof Fixture>;
export type AccountSettings = Fixture['account'];
export type TemplateSettings = z.output<typeof template>;
export type ImportSetting = z.output<typeof importSetting>;
export type KeySettings = z.output<typeof key>;
export type CustomFieldSettings = z.output<typeof customField>;
export type UserFixture = z.output<typeof user>;
export type CustomerFixture = z.output<typeof customer>;
export type CvFixture = NonNullable<UserFixture['cv']>;
export type ProposalFixture = z.output<typeof proposal>;
export type ProjectFixture = z.output<typeof project>;

/** What messages call it. */
export const FIXTURE_PLACE = 'sandbox fixture';

/** Records of the lists by themselves. */
export const FIXTURE_RECORDS = { users: user, customers: customer, proposals: proposal };

/** Throws SYNC_CONFIG_INVALID with every problem of the fixture at once. */
export function parseFixture(value: unknown, place: string): Fixture {
  const result = Fixture.safeParse(value);
  if (result.success) return result.data;
  throw refuseProblems(listProblems(result.error, ''), place);
}

/** @param path of what was checked, within the fixture */
export function listProblems({ issues }: z.ZodError, path: string): readonly FixtureProblem[] {
  return issues.map((issue) => ({ path: `${path}/${issue.path.join('/')}`, message: issue.message }));
}

export interface FixtureProblem {
  readonly path: string;
  readonly message: string;
}

export function refuseProblems(problems: readonly FixtureProblem[], place: string): SyncError {
  return new SyncError('SYNC_CONFIG_INVALID', {
    message: `The sandbox fixture is not valid (${problems.length} problems).`,
    place,
    remedy: 'Correct the fixture; docs/sandbox.md shows its form.',
    problems: problems.map(({ path, message }) => ({ place: `${place}: ${path}`, message })),
  });
}

/** A fixture that names what it does not define, or holds what the service would not take. */
export function refuseFixture(place: string, message: string): never {
  throw new SyncError('SYNC_CONFIG_INVALID', {
    message,
    place: `${FIXTURE_PLACE}: ${place}`,
    remedy: 'Define it in the fixture, or correct the reference; docs/sandbox.md shows the form.',
  });
}

/** What the service would refuse, a fixture may not hold either. */
export function readFixturePart<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) refuseFixture(place, error.message);
    throw error;
  }
}

/** For editors: JSON Schema of the fixture as written, before defaults. */
export function buildFixtureJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(Fixture, { io: 'input' }) };
}
