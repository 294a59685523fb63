import type { ChannelConfig } from '../../../config/resolve-notify.js';
import type { SendMessage } from './channel.js';
import { createSlack } from './slack.js';
import { createSmtp } from './smtp.js';
import { createTeams } from './teams.js';
import { createWebhook } from './webhook.js';

type MakerOf = { readonly [K in ChannelConfig['type']]: (config: Extract<ChannelConfig, { type: K }>) => SendMessage };

/** How to send to each kind of channel. */
const CHANNELS = {
  webhook: createWebhook,
  slack: createSlack,
  teams: createTeams,
  smtp: createSmtp,
} as const satisfies Partial<MakerOf>;

export function createSender(config: ChannelConfig): SendMessage {
  const make = CHANNELS[config.type] as (config: ChannelConfig) => SendMessage;
  return make(config);
}
