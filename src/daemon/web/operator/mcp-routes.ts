import type { IncomingHttpHeaders } from 'node:http';
import { readBearer } from '../bearer.js';
import { readByInterface } from './api/assistant-routes.js';
import { needsToken } from './note-assistant.js';
import { type JsonAnswer, WebRefusal, type WebRequest, type WebRoute } from './route.js';

/** Routes for the Model Context Protocol over HTTP, without sessions. */
export const MCP_ROUTES: readonly WebRoute[] = [
  { method: 'POST', path: '/mcp', audience: 'logged in', answer: answerAssistant },
  { method: 'GET', path: '/mcp', audience: 'logged in', answer: refuseStream },
];

async function answerAssistant({ token, raw, reply }: WebRequest): Promise<JsonAnswer> {
  if (token === null) throw needsToken();
  const { server, headers, socket, body } = raw;
  if (Array.isArray(body)) throw new WebRefusal(400, 'Send one message at a time.');
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  // The tools use the API as the token's own client would, so the API checks each call again.
  const reads = readByInterface({
    ...{ url: 'http://pages', token: readBearer(headers.authorization), signal: gone.signal },
    async send(address, init) {
      const given = await server.inject({
        ...{ method: 'GET', url: `${address.pathname}${address.search}` },
        headers: { ...pickWay(headers), ...(init.headers as Record<string, string>) },
        ...(socket.remoteAddress === undefined ? {} : { remoteAddress: socket.remoteAddress }),
      });
      const type = String(given.headers['content-type'] ?? '');
      return new Response(given.body, { status: given.statusCode, headers: { 'content-type': type } });
    },
  });
  const { answerHttp } = await import('../../assistant/answer-http.js');
  const version = headers['mcp-protocol-version'];
  return await answerHttp(reads, { body, version: typeof version === 'string' ? version : undefined });
}

/** Headers that determine the caller and the address that the caller used. */
const WAY = ['host', 'forwarded', 'x-forwarded-for'];

function pickWay(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(WAY.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
}

/** Rejects a stream, because the server never sends messages on its own. */
function refuseStream({ reply }: WebRequest): never {
  reply.header('allow', 'POST');
  throw new WebRefusal(405, 'This address answers POST requests only; it keeps no stream open.');
}
