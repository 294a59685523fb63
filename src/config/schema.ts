import * as z from 'zod';
import { parseDuration } from '../base/settings/duration.js';
import { proxySchema } from '../base/settings/proxy.js';
import { atLeastADay, bytes, milliseconds, orNull, secretSchema, text } from '../base/settings/schema-parts.js';
import { tlsSchema } from '../base/settings/tls.js';
import { trimSlash } from '../base/settings/trim-slash.js';
import { sourceSchema } from '../connectors/kinds.js';
import { deliveriesSchema } from './delivery-schema.js';
import { removableSchema, sections, streamMappingSchema, usersSchema } from './entities/entity-schema.js';
import { guardsSchema } from './entities/guard-schema.js';
import { notifySchema } from './notify-schema.js';
import { serviceUrlSchema } from './service-url.js';
import { webSchema } from './web-settings.js';

/**
 * The configuration as written: names, types, defaults. Checks that need more than one key (does the column exist? is the
 * expression valid?) are in `resolve-*.ts`.
 */
const serviceSchema = z
  .strictObject({
    base_url: serviceUrlSchema.describe('Address of the talent service, such as https://acme.example.com.'),
    api_key: secretSchema.describe('The API key, as { env } or { file }.'),
    rate_limit: z
      .strictObject({
        requests_per_second: orNull(z.number().positive()),
        per_minute: orNull(z.number().positive()),
        concurrency: z.int().min(1).max(64).default(4),
        give_up_after: milliseconds
          .prefault('15m')
          .describe('How long one call waits at the limit, from its first 429, before the run stops.'),
      })
      .prefault({})
      .describe('Upper bounds; the worker adapts downwards by itself.'),
    tls: tlsSchema.optional().describe('A private authority, and a certificate that is shown to the service.'),
    proxy: proxySchema.optional().describe('A proxy on the way to the service; HTTPS_PROXY is not used.'),
    timeout: milliseconds.prefault('30s').describe('How long one call may take.'),
    max_answer: orNull(bytes).describe(
      'How long one answer may be after decompression; 64MiB without it, 256MiB for a list that has no pages.',
    ),
  })
  .transform(({ base_url, api_key, rate_limit, tls, proxy, timeout, max_answer }) => ({
    baseUrl: trimSlash(base_url),
    apiKey: api_key,
    rateLimit: {
      requestsPerSecond: rate_limit.requests_per_second,
      perMinute: rate_limit.per_minute,
      concurrency: rate_limit.concurrency,
    },
    giveUpAfterMs: rate_limit.give_up_after,
    tls,
    proxy,
    timeoutMs: timeout,
    maxAnswerBytes: max_answer,
  }));

export const configSchema = z.strictObject({
  service: serviceSchema.describe('The talent service.'),
  state: text.describe('Folder of state.db, mirror.db, plans/ and reports/.'),
  network_state: z
    .enum(['refuse', 'allow'])
    .default('refuse')
    .describe('Whether a new state may be on NFS or SMB, where locks do not always hold.'),
  policy: z
    .enum(['sync', 'upsert-only', 'create-only'])
    .describe('sync also deactivates; upsert-only never does; create-only only creates. Must be chosen.'),
  sources: z.record(text, sourceSchema).describe('Where records come from.'),
  users: usersSchema.optional(),
  countries: streamMappingSchema('countries').optional(),
  offices: removableSchema('offices').optional(),
  tag_categories: streamMappingSchema('tag_categories').optional(),
  tags: removableSchema('tags')
    .partial()
    .extend({
      create_missing: z.boolean().default(false).describe('Create tags and categories that are mapped but missing.'),
    })
    .prefault({}),
  cv_sections: z.strictObject(sections).optional().describe('Kind of section → its mapping.'),
  customers: streamMappingSchema('customers')
    .extend({ industries: z.record(text, text).default({}).describe('Name or external id of an industry → its id.') })
    .optional(),
  projects: streamMappingSchema('projects').optional(),
  staffing: streamMappingSchema('staffing').optional(),
  proposals: streamMappingSchema('proposals').optional(),
  conflicts: z
    .enum(['owner', 'hold', 'source', 'service'])
    .default('owner')
    .describe(
      'Who wins when both sides changed a field since they last agreed: its `authority`, nobody until a person decides, a side.',
    ),
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
  call_budget: orNull(z.int().min(1)).describe('Calls a run may send at most.'),
  quiet_hours: z
    .array(text)
    .default([])
    .describe('Stretches in which nothing is written: 22:00-06:00, Sat-Sun 00:00-24:00.'),
  plan: z
    .strictObject({ expires: milliseconds.prefault('24h') })
    .prefault({})
    .transform(({ expires }) => ({ expiresMs: expires })),
  approvals: z
    .strictObject({
      four_eyes: z.boolean().default(false).describe('A second person confirms each approval.'),
      expires: milliseconds
        .prefault('7d')
        .describe('How long an approval holds; with a schedule at least until the next run that may write has ended.'),
    })
    .prefault({})
    .transform(({ four_eyes, expires }) => ({ fourEyes: four_eyes, expiresMs: expires }))
    .describe('Who may let pass what a guard holds.'),
  audit: z
    .strictObject({
      keep: atLeastADay.optional().describe('How long audit entries are kept; for ever without it.'),
      pseudonymise: z.boolean().default(false).describe('Replace what identifies people in new audit entries.'),
    })
    .prefault({})
    .transform(({ keep, pseudonymise }) => ({ keepMs: keep === undefined ? null : parseDuration(keep), pseudonymise })),
  schedule: z
    .strictObject({
      every: text.optional().describe('When a run starts: a cron expression of five fields.'),
      full_read: text.default('0 3 * * *').describe('When the whole account is read again: a cron expression.'),
      timezone: text.optional(),
      on_change: z
        .boolean()
        .default(false)
        .describe('A daemon also starts a run when a source signals a change, or after an approval.'),
      watch_service: milliseconds
        .optional()
        .describe('How often a daemon asks the service for changes between runs, so that they are written back soon.'),
      spread: z
        .union([z.literal(0).transform(() => 0), milliseconds])
        .optional()
        .describe(
          "Over how long a daemon moves the starts of its tenants apart: 5m. The pause's first tenth without it; 0: not.",
        ),
    })
    .prefault({}),
  notify: notifySchema.optional().describe('Messages about what needs a person, and where they go.'),
  deliveries: deliveriesSchema,
  reports: deliveriesSchema.describe('The older name of `deliveries`.'),
  maps: z
    .record(
      z.string().regex(/^[A-Za-z_]\w*$/, { error: 'a map is named with letters, digits and _' }),
      z.record(text, z.union([z.string(), z.number(), z.boolean()]).transform(String)),
    )
    .default({})
    .describe('Name → word of a source → what it stands for, for `lookup(maps.name, record.x, "otherwise")`.'),
  timezone: text.default('UTC').describe('IANA zone of dates without one.'),
  web: webSchema.optional(),
});
export type ConfigInput = z.infer<typeof configSchema>;
