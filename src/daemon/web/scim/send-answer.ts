import { once } from 'node:events';
import { hideSecretsInJson } from '../../../base/secrets/secret.js';
import { answerUnread, isUnread, type Visit } from '../visit.js';
import type { ScimAnswer } from './push-context.js';

export const MEDIA_TYPE = 'application/scim+json';
/** What is gathered before it is sent; an answer of less tells its length. */
const PORTION = 64 * 1024;

/** Sends as fast as the client reads, so that of a long answer only a portion is ever there. */
export async function sendAnswer(visit: Visit, answer: ScimAnswer): Promise<void> {
  const { request, response } = visit;
  const { status, body, text } = answer;
  setHeaders(visit, answer);
  const sent = body === undefined ? '' : hideSecretsInJson(JSON.stringify(body));
  const whole = text === undefined ? sent : null;
  // An answer that comes before the body was read, or that lets nobody in, ends the connection.
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

/** Answers what is left to be sent: of a short text all of it, whose length is then known. */
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
  // The signal is that of the response's end, too.
  if (!response.write(portion)) await once(response, 'drain', { signal });
}

/** RFC 7644, 3.1 and 8.1: a client that takes plain JSON alone gets the same under that name. */
function chooseType(accept = ''): string {
  return /application\/json/i.test(accept) && !/scim\+json|\/\*/i.test(accept) ? 'application/json' : MEDIA_TYPE;
}
