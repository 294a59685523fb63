import { z } from 'zod';
import { ACTIONS, ENTITIES, type Entity, SECTION_ENTITIES } from '../model/entity.js';
import { parseDuration } from './duration.js';
import { pushSchema } from './push-schema.js';
import { secretSchema } from './secret-schema.js';

/**
 * The configuration as it is written: names, types, defaults. Everything that needs more than one key to judge
 * (does the column exist? is the expression right?) is judged in `resolve-*.ts`.
 */
const text = z.string().min(1);
const duration = z
  .string()
  .regex(/^\d+(\.\d+)?(ms|s|m|h|d)$/, { error: 'expected a length of time such as 30s, 5m, 12h or 1d' })
  .describe('A length of time: 30s, 5m, 12h, 1d.');
const count = z.int().min(0);
const expression = text.describe('A CEL expression.');

const urlSchema = z.string().regex(/^https?:\/\/[^\s/@]+(\/[^\s?#]*)?$/, {
  error: 'expected an address such as https://acme.example.com, without user name, password or query',
});

const serviceSchema = z.strictObject({
  base_url: urlSchema.describe('Address of the talent service, such as https://acme.example.com.'),
  api_key: secretSchema.describe('The API key, as { env } or { file }.'),
  rate_limit: z
    .strictObject({
      requests_per_second: z.number().positive().optional(),
      per_minute: z.number().positive().optional(),
      concurrency: z.int().min(1).max(64).default(4),
    })
    .default({ concurrency: 4 })
    .describe('Upper bounds; the worker adapts downwards by itself.'),
  timeout: duration.default('30s').describe('How long one call may take.'),
});

export const COLUMN_TYPES = ['string', 'int', 'number', 'bool', 'date', 'datetime', 'list', 'map'] as const;
const columnType = z.enum(COLUMN_TYPES);
export const columnSchema = z.union([
  columnType,
  z.strictObject({
    type: columnType,
    optional: z.boolean().default(false).describe('An empty cell is absent: expressions read it as record.?name.'),
    format: text.optional().describe('Dates: dd.MM.yyyy, yyyy-MM-dd HH:mm; ISO 8601 without one.'),
    true: z
      .array(z.union([z.string(), z.number(), z.boolean()]))
      .min(1)
      .optional()
      .describe('The cells of a bool column that mean true.'),
    separator: text.optional().describe('What separates the items in a cell of a list column; ; without one.'),
  }),
]);
export type ColumnInput = z.infer<typeof columnSchema>;
const columns = z
  .record(text, columnSchema)
  .refine((all) => Object.keys(all).length > 0, { error: 'no column is declared' })
  .describe('The columns expressions may use, with their types.');

const drop = text.describe('Folder the files are delivered to.');
const pattern = text
  .refine((value) => !/[/\\]/.test(value), { error: 'a pattern matches file names, without a folder' })
  .describe('File names, with * and ?.');
const settle = duration.default('60s').describe('How old an unchanged file must be to count as whole.');
const separator = z.string().length(1).describe('Column separator; found out without one.');
const encoding = text.describe('UTF-8 without one; windows-1252 and others when named.');
const prefer = expression.describe('Ranks several rows of one key: the greatest wins. Without it all are held.');

const csvSchema = z.strictObject({
  type: z.literal('csv'),
  drop,
  pattern,
  key: text.describe('Column that identifies a record for good.'),
  columns,
  separator: separator.optional(),
  encoding: encoding.optional(),
  settle,
  prefer: prefer.optional(),
});

const authSchema = z
  .strictObject({
    bearer: secretSchema.optional(),
    basic: z.strictObject({ username: text, password: secretSchema }).optional(),
  })
  .refine((auth) => (auth.bearer === undefined) !== (auth.basic === undefined), {
    error: 'auth is exactly one of bearer and basic',
  });

const scimSchema = z.strictObject({
  type: z.literal('scim'),
  base_url: urlSchema.describe('SCIM 2.0 address, up to /v2.'),
  auth: authSchema.optional(),
  page_size: z.int().min(1).max(1000).default(100),
  key: text.default('id').describe('Column that identifies a record for good.'),
  prefer: prefer.optional(),
});

const streamSchema = z.strictObject({
  pattern,
  rows: z
    .string()
    .regex(/^(\/.*)?$/, { error: 'expected a JSON pointer such as /results' })
    .default('')
    .describe('JSON pointer of the list of rows; empty for the document itself.'),
  key: text,
  columns,
  separator: separator.optional(),
  encoding: encoding.optional(),
  settle,
  prefer: prefer.optional(),
});

const crmSchema = z.strictObject({
  type: z.literal('crm'),
  drop,
  streams: z.record(text, streamSchema).refine((all) => Object.keys(all).length > 0, { error: 'no stream is named' }),
});

export const sourceSchema = z.discriminatedUnion('type', [csvSchema, scimSchema, pushSchema, crmSchema]);
export type SourceInput = z.infer<typeof sourceSchema>;

/** `fields` is read by `resolve-fields.ts`, whose messages know the fields; the editor's schema gets them by this mark. */
function fieldsOf(entity: Entity) {
  return z
    .record(text, z.unknown())
    .meta({ fieldsOf: entity, description: 'Field of the service → CEL expression. Only what is named is managed.' });
}

const match = z
  .array(z.union([text, z.array(text).min(1)]))
  .min(1)
  .describe('Fields tried in order to find a record in the service; a list of fields must match together.');
const scope = expression.describe('Which records are synchronised; all without it.');

const bulkLoadSchema = z.strictObject({
  setting: text.default('default').describe('The import setting of the service that takes the file.'),
  missing: z
    .enum(['keep', 'deactivate', 'remove'])
    .describe('What that setting does with people who are not in the file. Must be said.'),
  from: count.default(200).describe('So many people to create in one plan go by one import; 0 for never.'),
  language: z
    .string()
    .regex(/^([a-z]{2}|native)$/, { error: 'expected a language such as `en`, or `native`' })
    .optional()
    .describe(
      "The language under which the setting files title and nationality; `native` is that of the person's country.",
    ),
  tag_columns: z
    .record(text, text)
    .default({})
    .describe('Category external id → title of the column that the setting maps to it.'),
  separator: z.enum([',', ';']).default(',').describe('Column separator of the file.'),
  confirm_within: duration.default('15m').describe('How long the imported people may take to appear.'),
});
export type BulkLoadInput = z.infer<typeof bulkLoadSchema>;

const usersSchema = z.strictObject({
  existence: text.describe('The source that decides who exists.'),
  enrich: z
    .record(text, z.strictObject({ join: expression.describe('idp.externalId == hr.employee_id') }))
    .default({})
    .describe('Sources that add to it.'),
  scope: scope.optional(),
  out_of_scope: z
    .enum(['keep', 'deactivate'])
    .default('keep')
    .describe('What becomes of people who are in the source, but not in scope any more.'),
  unowned: z
    .enum(['keep', 'report', 'deactivate'])
    .default('keep')
    .describe('What becomes of active accounts that nobody created or adopted and no record matches.'),
  match: match.optional(),
  leaver: z
    .strictObject({
      when: expression.optional().describe('True when the source says that the person has left.'),
      after_missing_reads: count
        .default(3)
        .describe('Complete reads without a person that make a leaver; 0 for never.'),
      missing_interval: duration.default('12h').describe('How far apart such reads of a live source must be.'),
      grace: duration.default('0d').describe('How long to wait before acting.'),
      action: z.literal('deactivate').default('deactivate'),
    })
    .prefault({}),
  joiner: z
    .strictObject({
      start: expression.describe('The first day of work, a date; nobody is created or reactivated before it.'),
      lead: duration.default('0d').describe('How long before that day the account is made.'),
    })
    .optional()
    .describe('From when on a new colleague gets an account; at once without it.'),
  parking_email: z
    .string()
    .regex(/^[^\s@]*\{id\}[^\s@]*@[^\s@]+$/, {
      error: 'expected an address with {id} in it, such as parked-{id}@example.com',
    })
    .optional()
    .describe('The address that one of several people gets for a moment when they swap theirs in a circle.'),
  fields: fieldsOf('users'),
  protect: z.array(expression).default([]).describe('CEL over `user`: accounts that are never deactivated.'),
  bulk_load: bulkLoadSchema.optional().describe('First loads as one file, by the import of the service.'),
});
export type UsersInput = z.infer<typeof usersSchema>;

const from = z.array(text).min(1).describe('Streams, such as crm.companies; the first that has a key wins.');

function feedSchema(entity: Entity) {
  return z.strictObject({ from, match: match.optional(), scope: scope.optional(), fields: fieldsOf(entity) });
}

/** Only what is asked for is ever deleted: by an expression, by absence from so many complete reads, or by both. */
const remove = z
  .strictObject({
    when: expression.optional().describe('True when the source says that it is gone.'),
    after_missing_reads: count.default(0).describe('Complete reads without it after which it is deleted; 0 for never.'),
    missing_interval: duration.default('12h').describe('How far apart such reads of a live source must be.'),
    grace: duration.default('0d').describe('How long to wait before acting.'),
  })
  .refine((rule) => rule.when !== undefined || rule.after_missing_reads > 0, {
    error: '`remove` needs `when`, `after_missing_reads` or both',
  })
  .optional()
  .describe('When an object is deleted in the service; never without it.');

function removableSchema(entity: Entity) {
  return feedSchema(entity).extend({ remove });
}
export type FeedInput = z.infer<ReturnType<typeof removableSchema>>;

const sections = Object.fromEntries(
  SECTION_ENTITIES.map((entity) => [entity, removableSchema(entity).optional()] as const),
);

const guard = z
  .union([
    z.literal('off'),
    z
      .strictObject({
        max: count.optional().describe('At most so many.'),
        percent: z
          .number()
          .min(0)
          .max(100)
          .optional()
          .describe('At most so many percent of the linked active objects.'),
        min: count.optional().describe('So many are always allowed, whatever the percentage.'),
      })
      .refine(({ max, percent }) => max !== undefined || percent !== undefined, {
        error: 'a guard needs max, percent or both',
      }),
  ])
  .optional();
const fieldGuards = z
  .record(text, guard)
  .optional()
  .describe('Updates that touch one field, by its name; `*` is every field that is not named.');
const guarded = z
  .strictObject({ ...Object.fromEntries(ACTIONS.map((action) => [action, guard] as const)), fields: fieldGuards })
  .optional();
const guardsSchema = z
  .strictObject(Object.fromEntries(ENTITIES.map((entity) => [entity, guarded] as const)))
  .default({})
  .describe('Limits that hold a run’s changes for an approval; `off` turns one off.');
export type GuardsInput = z.infer<typeof guardsSchema>;

export const configSchema = z.strictObject({
  service: serviceSchema.describe('The talent service.'),
  state: text.describe('Folder of state.db, mirror.db, plans/ and reports/.'),
  policy: z
    .enum(['sync', 'upsert-only', 'create-only'])
    .describe('sync also deactivates; upsert-only never does; create-only only creates. Must be chosen.'),
  sources: z.record(text, sourceSchema).describe('Where records come from.'),
  users: usersSchema.optional(),
  countries: feedSchema('countries').optional(),
  offices: removableSchema('offices').optional(),
  tag_categories: feedSchema('tag_categories').optional(),
  tags: removableSchema('tags')
    .partial()
    .extend({
      create_missing: z.boolean().default(false).describe('Create tags and categories that are mapped but missing.'),
    })
    .prefault({}),
  cv_sections: z.strictObject(sections).optional().describe('Kind of section → its feed.'),
  customers: feedSchema('customers')
    .extend({ industries: z.record(text, text).default({}).describe('Name or external id of an industry → its id.') })
    .optional(),
  projects: feedSchema('projects').optional(),
  staffing: feedSchema('staffing').optional(),
  proposals: feedSchema('proposals').optional(),
  conflicts: z
    .enum(['hold', 'source', 'service'])
    .default('source')
    .describe('Who wins when both sides changed a field since they last agreed; `hold` lets a person decide.'),
  drift: z.enum(['correct', 'report']).default('correct').describe('What to do about changes made in the service.'),
  notify_people: z
    .strictObject({
      create: z.boolean().default(false),
      reactivate: z.boolean().default(false),
      staffing: z.boolean().default(false),
    })
    .prefault({})
    .describe('Whether the service e-mails the people concerned.'),
  guards: guardsSchema,
  call_budget: z.int().min(1).optional().describe('Calls a run may send at most.'),
  quiet_hours: z
    .array(text)
    .default([])
    .describe('Stretches in which nothing is written: 22:00-06:00, Sat-Sun 00:00-24:00.'),
  plan: z.strictObject({ expires: duration.default('24h') }).prefault({}),
  audit: z
    .strictObject({
      keep: duration
        .refine((text) => parseDuration(text) >= 86_400_000, { error: 'expected at least 1d' })
        .optional()
        .describe('How long audit entries are kept; for ever without it.'),
      pseudonymise: z.boolean().default(false).describe('Replace what tells who somebody is in new audit entries.'),
    })
    .prefault({}),
  schedule: z
    .strictObject({
      every: text.optional().describe('When a run starts: a cron expression of five fields.'),
      full_read: text.default('0 3 * * *').describe('When the whole account is read again: a cron expression.'),
      timezone: text.optional(),
    })
    .prefault({}),
  timezone: text.default('UTC').describe('IANA zone of dates without one.'),
});
export type ConfigInput = z.infer<typeof configSchema>;
