import { hideSecrets } from '../../../base/secrets/secret.js';
import type { NotifyAddress } from '../../../config/resolve-notify.js';
import { cleanLine } from '../../../model/clean-text.js';
import { NotSent, sendHttp } from '../send-http.js';
import type { SendContext, SendResult } from './channel.js';

const LONGEST_ANSWER = 200;

/** Posts a document. Any status from 200 to 299 means that the receiver accepted it. */
export async function postJson(
  address: NotifyAddress,
  body: string,
  headers: Readonly<Record<string, string>>,
  { signal }: Pick<SendContext, 'signal'>,
): Promise<SendResult> {
  try {
    const sent = { 'content-type': 'application/json', 'user-agent': 'talent-sync', ...headers };
    const { status, retryAfterMs, beginning } = await sendHttp({
      address,
      method: 'POST',
      headers: sent,
      body,
      signal,
    });
    const isTaken = status >= 200 && status < 300;
    const words = cleanLine(hideSecrets(beginning.trim())).slice(0, LONGEST_ANSWER);
    const answer = words === '' ? String(status) : `${status} ${words}`;
    return { isTaken, failure: isTaken ? null : `answered ${status}`, answer, retryAfterMs };
  } catch (error) {
    const failure = error instanceof NotSent ? error.message : 'could not be sent';
    return { isTaken: false, failure, answer: failure, retryAfterMs: null };
  }
}
