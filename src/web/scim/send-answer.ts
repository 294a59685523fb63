import { hideSecretsInJson } from '../../secrets/secret.js';
import { answerUnread, isUnread, type Visit } from '../visit.js';
import type { ScimAnswer } from './push-context.js';

export const MEDIA_TYPE = 'application/scim+json';
/** What is gathered before it is sent; an answer of less tells its length. */
const PORTION = 64 * 1024;

/** Sends as fast as the client reads, so that of a long answer only a portion is ever there. */
export async function sendAnswer(visit: Visit, { status, body, text, headers = {} }: ScimAnswer): Promise<void> {
  const { request, response } = visit;
  for (const [name, value] of Object.entries({
    ...headers,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  }))
    response.setHeader(name, value);
  if (body !== undefined || text !== undefined) response.setHeader('content-type', chooseType(request.headers.accept));
  const whole = text === undefined ? (body === undefined ? '' : hideSecretsInJson(JSON.stringify(body))) : null;
  // An answer that comes before the body was read, or that lets nobody in, ends the connection.
  if (whole !== null && (isUnread(request) || status === 401 || status === 429)) {
    answerUnread(visit, status, whole);
    return;
  }
  response.statusCode = status;
  let portion = whole ?? '';
  for await (const part of request.method === 'HEAD' ? [] : (text ?? [])) {
    portion += part;
    if (portion.length < PORTION) continue;
    await write(visit, portion);
    portion = '';
  }
  const isSized = whole !== null || request.method !== 'HEAD';
  if (isSized && !response.headersSent && status !== 204 && status !== 304)
    response.setHeader('content-length', Buffer.byteLength(portion));
  response.end(portion);
}

async function write({ response, signal }: Visit, portion: string): Promise<void> {
  signal.throwIfAborted();
  if (response.write(portion)) return;
  await new Promise<void>((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
  signal.throwIfAborted();
}

/** RFC 7644, 3.1 and 8.1: a client that takes plain JSON alone gets the same under that name. */
function chooseType(accept = ''): string {
  return /application\/json/i.test(accept) && !/scim\+json|\/\*/i.test(accept) ? 'application/json' : MEDIA_TYPE;
}
