import { once } from 'node:events';
import { hideSecretsInJson } from '../../../base/secrets/secret.js';
import { answerUnread, isUnread, type Visit } from '../visit.js';
import type { ScimAnswer } from './push-context.js';

export const MEDIA_TYPE = 'application/scim+json';
/** Number of characters collected before they are sent. A smaller response has a content length. */
const PORTION = 64 * 1024;

/** Sends the response as fast as the client reads, so that only one portion of a long response is in memory. */
export async function sendAnswer(visit: Visit, answer: ScimAnswer): Promise<void> {
  const { request, response } = visit;
  const { status, body, text } = answer;
  setHeaders(visit, answer);
  const sent = body === undefined ? '' : hideSecretsInJson(JSON.stringify(body));
  const whole = text === undefined ? sent : null;
  // A response sent before the body was read, or to an unauthorized client, closes the connection.
  if (whole !== null && (isUnread(request) || status === 401 || status === 429)) {
    answerUnread(visit, status, whole);
    return;
  }
  response.statusCode = status;
  const isHead = request.method === 'HEAD';
  const rest = whole ?? (isHead ? '' : await writePortions(visit, text));
  const isSized = whole !== null || !isHead;
  if (isSized && !response.headersSent && status !== 204 && status !== 304)
    response.setHeader('content-length', Buffer.byteLength(rest));
  response.end(rest);
}

function setHeaders({ request, response }: Visit, { body, text, headers = {} }: ScimAnswer): void {
  const all = { ...headers, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  for (const [name, value] of Object.entries(all)) response.setHeader(name, value);
  if (body !== undefined || text !== undefined) response.setHeader('content-type', chooseType(request.headers.accept));
}

/** Sends all portions except the last. @returns the rest, which is the complete text if it is short */
async function writePortions(visit: Visit, text: ScimAnswer['text']): Promise<string> {
  let portion = '';
  for await (const part of text ?? []) {
    portion += part;
    if (portion.length < PORTION) continue;
    await write(visit, portion);
    portion = '';
  }
  return portion;
}

async function write({ response, signal }: Visit, portion: string): Promise<void> {
  signal.throwIfAborted();
  // The signal also aborts when the response ends.
  if (!response.write(portion)) await once(response, 'drain', { signal });
}

/** A client that accepts only plain JSON gets the same content with that type (RFC 7644, 3.1 and 8.1). */
function chooseType(accept = ''): string {
  return /application\/json/i.test(accept) && !/scim\+json|\/\*/i.test(accept) ? 'application/json' : MEDIA_TYPE;
}
