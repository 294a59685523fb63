import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import ssh2 from 'ssh2';
import { closeAfterTest } from '../closing.js';
import { listenOnLoopback } from '../loopback.js';
import { createSshKey } from '../ssh-key.js';
import type { Servers } from './planted.js';

/** Everything that a request contained, verbatim: a careless or hostile server puts this into its error. */
async function quote(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return JSON.stringify({ url: request.url, headers: request.headers, body });
}

/** An identity provider, a CRM, a token endpoint and a proxy in one server. */
export async function openEcho(issue: () => string, onRequest: (quoted: string) => void): Promise<string> {
  const server = createServer(async (request, response) => {
    const quoted = await quote(request);
    onRequest(quoted);
    const [, kind = '', path = ''] = (request.url ?? '').split('/');
    const id = String(request.headers.authorization ?? request.headers['x-api-key'] ?? '');
    response.setHeader('x-request-id', id);
    if (kind === 'openid') return answerOpenId(request, response, quoted);
    if (kind === 'token') return answer(response, 200, { access_token: issue(), expires_in: 3600 });
    if (kind === 'told') return answerTold(request, response, quoted);
    if (kind === '299')
      return void response.setHeader('content-type', `text/html; ${encodeURIComponent(id)}`).end(`<p>${quoted}`);
    // A vendor may have paths of its own below the host.
    const status = Number(kind) || 403;
    if (status === 200 && path === 'scim')
      return answer(response, 200, listOf([{ id: 's1', externalId: 'E1', userName: quoted, title: id }]));
    if (status === 200)
      return answer(response, 200, {
        results: [
          { id: 'C1', name: `see ${id}` },
          { id: 'C2', name: 'Fjord Power' },
        ],
      });
    return answer(response, status, { message: quoted, error: quoted, error_description: quoted, detail: id });
  });
  server.on('connect', (request, socket) => {
    const quoted = JSON.stringify(request.headers);
    onRequest(quoted);
    socket.end(`HTTP/1.1 407 ${encodeURIComponent(quoted)}\r\ncontent-length: ${quoted.length}\r\n\r\n${quoted}`);
  });
  server.on('clientError', (_, socket) => void socket.destroy());
  return await listenOnLoopback(server);
}

function answerTold(request: IncomingMessage, response: ServerResponse, quoted: string): void {
  const user = { id: 's1', externalId: 'E1', userName: 'e1@example.com', active: true, title: 'old' };
  if (request.method !== 'GET') answer(response, 400, { detail: quoted, scimType: quoted });
  else answer(response, 200, (request.url ?? '').includes('/Users/') ? user : listOf([user]));
}

function listOf(resources: readonly object[]): object {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];
  return {
    schemas,
    totalResults: resources.length,
    startIndex: 1,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export interface Gate {
  readonly url: string;
  /** Rejects a call with this status, with everything sent in the error. null: forwards it with the real key. */
  refuse: (method: string, path: string, body: string) => number | null;
  /** The text of a rejection. */
  say: (quoted: string) => string;
}

/** Forwards to the service. */
export async function openQuotingGate(target: string, key: string): Promise<Gate> {
  const server = createServer(async (request, response) => {
    const quoted = await quote(request);
    const { body } = JSON.parse(quoted) as { readonly body: string };
    const { method = 'GET', url = '' } = request;
    const status = gate.refuse(method, url, body);
    if (status !== null) {
      response.setHeader('x-request-id', request.headers.authorization ?? '');
      const words = gate.say(quoted);
      return answer(response, status, { message: words, errors: [words], reason: request.headers.authorization });
    }
    const type = request.headers['content-type'];
    const passed = await fetch(`${target}${url}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(type === undefined ? {} : { 'content-type': type }) },
      ...(body === '' ? {} : { body }),
    });
    response.writeHead(passed.status, { 'content-type': passed.headers.get('content-type') ?? 'application/json' });
    return response.end(Buffer.from(await passed.arrayBuffer()));
  });
  const gate: Gate = { url: await listenOnLoopback(server), refuse: () => null, say: (quoted) => quoted };
  return gate;
}

/** An SFTP server that lets nobody in. */
export async function openLockedSftp(): Promise<Servers['sftp']> {
  const { private: hostKey, public: shown } = createSshKey();
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
    client.on('error', () => undefined);
    client.on('authentication', (attempt) => attempt.reject(['publickey', 'password']));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  closeAfterTest({ close: () => void server.close() });
  const digest = createHash('sha256')
    .update(Buffer.from(shown.split(' ')[1] ?? '', 'base64'))
    .digest('base64');
  const { port } = server.address() as AddressInfo;
  return { address: `sftp://127.0.0.1:${port}/drop`, hostKey: `SHA256:${digest.replace(/=+$/, '')}` };
}

/** An identity provider that lets nobody in, and names the client. */
function answerOpenId({ url = '', headers }: IncomingMessage, response: ServerResponse, quoted: string): void {
  const issuer = `http://${headers.host}/openid`;
  const refusal = { error: 'invalid_client', error_description: quoted.replaceAll('"', "'") };
  const endpoints = { authorization_endpoint: `${issuer}/login`, token_endpoint: `${issuer}/token` };
  const offer = { issuer, ...endpoints, jwks_uri: `${issuer}/keys`, response_types_supported: ['code'] };
  if (url.endsWith('/.well-known/openid-configuration')) answer(response, 200, offer);
  else answer(response, 400, refusal);
}
