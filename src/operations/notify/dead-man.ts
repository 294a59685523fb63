import type { Logger } from '../../base/logger.js';
import type { NotifyConfig } from '../../config/resolve-notify.js';
import { NotSent, sendHttp } from './send-http.js';

/** Pings the watchdog after a good run. Never throws, because a watchdog without a ping raises an alarm. */
export async function pingDeadMan(
  { deadMan }: Pick<NotifyConfig, 'deadMan'>,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  if (deadMan === null) return;
  const body = deadMan.method === 'POST' ? '' : null;
  try {
    const headers = { 'user-agent': 'talent-sync' };
    const { status } = await sendHttp({ address: deadMan, method: deadMan.method, headers, body, signal });
    if (status >= 200 && status < 300) return;
    logger.warn({ status }, 'the dead-man address rejected the ping of a good run');
  } catch (error) {
    const failure = error instanceof NotSent ? error.message : 'could not be sent';
    logger.warn({ failure }, 'the ping of a good run could not be sent to the dead-man address');
  }
}
