import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf, SyncError } from '../../base/errors.js';
import type { Employee } from '../../sandbox/company/people.js';

export interface IdentityProvider {
  /** Base address for SCIM clients: `http://127.0.0.1:8443/scim/v2`. */
  readonly url: string;
  close(): Promise<void>;
}

export interface IdentityProviderOptions {
  /** Path of a JSON list of SCIM users. Each request reads the file, so that it can be edited while the provider runs. */
  readonly file: string;
  readonly token: string;
  /** Port to listen on; 0 takes any free port. */
  readonly port: number;
}

const LIST_RESPONSE = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';
/** A small limit, so that even a small company has several pages. */
const LONGEST_PAGE = 75;

/** A SCIM 2.0 service provider (RFC 7644) with one resource, `GET /Users`, behind a bearer token. */
export async function createIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const server = createServer((request, response) => {
    answer(request, response, options).catch((error: unknown) => {
      sendRefusal(response, 500, messageOf(error));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  }).catch((error: unknown) => {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: `The identity provider cannot listen: ${messageOf(error)}.`,
      place: `127.0.0.1:${options.port}`,
      remedy: 'Choose another port.',
      cause: error,
    });
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/scim/v2`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** People as the identity provider lists them. Leavers can no longer sign in. */
export function renderScimUsers(people: readonly Employee[]): string {
  const users = people.map(({ id, name, email, status, title }) => ({
    schemas: [USER],
    id: `idp-${id.toLowerCase()}`,
    externalId: id,
    userName: email,
    displayName: name,
    active: status === 'active',
    title,
    emails: [{ value: email, type: 'work', primary: true }],
  }));
  return `${JSON.stringify(users, null, 1)}\n`;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { file, token }: IdentityProviderOptions,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  if (request.headers.authorization !== `Bearer ${token}`)
    return sendRefusal(response, 401, 'The bearer token is missing or wrong.');
  if (url.pathname !== '/scim/v2/Users' || request.method !== 'GET')
    return sendRefusal(response, 404, 'Only GET /Users is served.');
  const users = JSON.parse(await readFile(file, 'utf8')) as readonly unknown[];
  const startIndex = Math.max(1, readNumber(url, 'startIndex', 1));
  const count = Math.min(LONGEST_PAGE, Math.max(0, readNumber(url, 'count', LONGEST_PAGE)));
  const page = users.slice(startIndex - 1, startIndex - 1 + count);
  send(response, 200, {
    schemas: [LIST_RESPONSE],
    totalResults: users.length,
    startIndex,
    itemsPerPage: page.length,
    Resources: page,
  });
}

function readNumber(url: URL, name: string, otherwise: number): number {
  const text = url.searchParams.get(name);
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : otherwise;
}

function sendRefusal(response: ServerResponse, status: number, detail: string): void {
  send(response, status, { schemas: [ERROR], status: String(status), detail });
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/scim+json', 'x-request-id': randomUUID() });
  response.end(JSON.stringify(body));
}
