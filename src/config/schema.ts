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
 * The configuration as written: names, types and defaults. Checks across several keys, such as of columns and expressions, are
 * in `resolve-*.ts`.
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
          .describe('How long a rate-limited call may wait, counted from its first 429, before the run stops.'),
      })
      .prefault({})
      .describe('Upper bounds; the worker slows down further by itself.'),
    tls: tlsSchema.optional().describe('A private authority or a client certificate.'),
    proxy: proxySchema.optional().describe('A proxy for all calls to the service; HTTPS_PROXY is not used.'),
    timeout: milliseconds.prefault('30s').describe('How long one call may take.'),
    max_answer: orNull(bytes).describe(
      'Longest response after decompression; 64MiB without it, 256MiB for a list without pages.',
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
    .describe('allow: a new state may be on NFS or SMB, where locks do not always hold.'),
  policy: z
    .enum(['sync', 'upsert-only', 'create-only'])
    .describe('sync also deactivates; upsert-only never does; create-only only creates. Required.'),
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
      'Who wins when both sides changed a field since they last agreed. owner: the side that `authority` names; hold: a person decides; source, service: that side.',
    ),
  drift: z
    .enum(['correct', 'report'])
    .default('correct')
    .describe('When the side that does not own a field changes it. correct: reset it; report: only report it.'),
  notify_people: z
    .strictObject({
      create: z.boolean().default(false),
      reactivate: z.boolean().default(false),
      staffing: z.boolean().default(false),
    })
    .prefault({})
    .describe('The service e-mails people who are created, come back, or are linked to a project.'),
  guards: guardsSchema,
  call_budget: orNull(z.int().min(1)).describe('Maximum number of calls per run; the next run does the rest.'),
  quiet_hours: z
    .array(text)
    .default([])
    .describe('Times in which nothing is written: 22:00-06:00, Sat-Sun 00:00-24:00.'),
  plan: z
    .strictObject({ expires: milliseconds.prefault('24h') })
    .prefault({})
    .transform(({ expires }) => ({ expiresMs: expires })),
  approvals: z
    .strictObject({
      four_eyes: z
        .boolean()
        .default(false)
        .describe('An approval needs a second person, who approves the same changes.'),
      expires: milliseconds
        .prefault('7d')
        .describe(
          'How long an approval is valid; with a schedule at least until the next run that may write has ended.',
        ),
    })
    .prefault({})
    .transform(({ four_eyes, expires }) => ({ fourEyes: four_eyes, expiresMs: expires }))
    .describe('Approvals of changes that a guard holds.'),
  audit: z
    .strictObject({
      keep: atLeastADay.optional().describe('How long audit entries are kept; by default indefinitely.'),
      pseudonymise: z
        .boolean()
        .default(false)
        .describe('New entries have keyed pseudonyms instead of names, addresses and the like.'),
    })
    .prefault({})
    .transform(({ keep, pseudonymise }) => ({ keepMs: keep === undefined ? null : parseDuration(keep), pseudonymise })),
  schedule: z
    .strictObject({
      every: text.optional().describe('When a run starts: a cron expression of five fields.'),
      full_read: text.default('0 3 * * *').describe('When the entire account is read again: a cron expression.'),
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
          "Spreads the starts of a daemon's tenants over this time, such as 5m; by default a tenth of the pause. 0 turns it off.",
        ),
    })
    .prefault({}),
  notify: notifySchema.optional().describe('Messages about events that need attention, and their channels.'),
  deliveries: deliveriesSchema,
  reports: deliveriesSchema.describe('The older name of `deliveries`.'),
  maps: z
    .record(
      z.string().regex(/^[A-Za-z_]\w*$/, { error: 'a map is named with letters, digits and _' }),
      z.record(text, z.union([z.string(), z.number(), z.boolean()]).transform(String)),
    )
    .default({})
    .describe('Name → word of a source → its meaning, for `lookup(maps.name, record.x, "otherwise")`.'),
  timezone: text.default('UTC').describe('IANA timezone of dates that name no zone.'),
  web: webSchema.optional(),
});
export type ConfigInput = z.infer<typeof configSchema>;
