import * as z from 'zod';
import { proxySchema } from '../base/settings/proxy.js';
import { atLeastADay, milliseconds, secretSchema, text, urlSchema } from '../base/settings/schema-parts.js';

/** An address that is a secret, as in Slack and Teams. Anyone who knows it can post there. */
const secretAddress = secretSchema.describe('The address that the product shows, as { env } or { file }.');

const httpShape = {
  private_addresses: z
    .literal('allowed')
    .optional()
    .describe('allowed: it may be on a private network or on this machine, and unencrypted there.'),
  timeout: milliseconds.prefault('10s').describe('How long one attempt may take.'),
};

const webhookSchema = z.strictObject({
  type: z.literal('webhook'),
  url: z
    .union([urlSchema, secretSchema])
    .describe('Where messages are posted; as { env } or { file } if it contains a token.'),
  secret: secretSchema.describe('Key that signs messages.'),
  ...httpShape,
});
const slackSchema = z.strictObject({ type: z.literal('slack'), url: secretAddress, ...httpShape });
const teamsSchema = z.strictObject({ type: z.literal('teams'), url: secretAddress, ...httpShape });
const smtpSchema = z.strictObject({
  type: z.literal('smtp'),
  host: text,
  port: z.int().min(1).max(65_535).default(587),
  tls: z
    .enum(['starttls', 'implicit', 'none'])
    .default('starttls')
    .describe('How the connection is encrypted; none for a server on this machine only.'),
  ca: text.optional().describe('PEM file of a private authority, trusted instead of the public ones.'),
  username: text.optional(),
  password: secretSchema.optional(),
  from: text,
  to: z.array(text).min(1),
  timeout: milliseconds.prefault('30s').describe('How long one attempt may take.'),
});

const channelSchema = z.discriminatedUnion('type', [webhookSchema, slackSchema, teamsSchema, smtpSchema]);
export type ChannelInput = z.infer<typeof channelSchema>;
export const CHANNEL_TYPES: readonly string[] = channelSchema.options.map((option) => option.shape.type.value);

export const DIGEST_DAYS = {
  daily: '*',
  weekdays: '1-5',
  monday: '1',
  tuesday: '2',
  wednesday: '3',
  thursday: '4',
  friday: '5',
  saturday: '6',
  sunday: '0',
} as const;

export const notifySchema = z.strictObject({
  link: urlSchema.optional().describe('Address of the operator pages, for links in messages.'),
  names: z.boolean().default(false).describe('true: messages may contain keys and causes, which can name people.'),
  remind_after: milliseconds.prefault('24h').describe('Interval for repeating messages about unresolved events.'),
  lapse_after: atLeastADay.default('3d').describe('How long a message stays pending for a channel that is down.'),
  proxy: proxySchema
    .optional()
    .describe('A proxy for channels and dead_man; not for mail, nor with private_addresses: allowed.'),
  channels: z.record(text, channelSchema).default({}).describe('Name → channel for messages.'),
  dead_man: z
    .strictObject({
      url: z
        .union([urlSchema, secretSchema])
        .describe('Address that is requested after each good run; as { env } or { file } if it contains a token.'),
      method: z.enum(['GET', 'POST']).default('GET'),
      ...httpShape,
    })
    .optional()
    .describe('A watch that raises the alarm when good runs stop.'),
  digest: z
    .strictObject({
      at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'expected a time of day such as 08:00' }),
      on: z.enum(Object.keys(DIGEST_DAYS) as [keyof typeof DIGEST_DAYS]).default('weekdays'),
    })
    .optional()
    .describe('A summary of the changes since the last one, and of pending items.'),
});
export type NotifyInput = z.infer<typeof notifySchema>;
