import type * as z from 'zod';
import { messageOf, SyncError } from '../../../../base/errors.js';
import { isLoopback } from '../../../../base/http/private-address.js';
import { noteSecret } from '../../../../base/secrets/secret.js';
import type { TenantOperation } from '../../../../operations/operation.js';
import type { ApiRoute } from './api-route.js';
import { LIST_TENANTS } from './daemon-api.js';
import { ORDERS, type OrderWatch, toError } from './follow-order.js';
import { Refusal, type TenantList } from './schemas.js';
import { TENANT_API } from './tenant-api.js';

const TOKEN_VARIABLE = 'TALENT_SYNC_TOKEN';

export interface DaemonTarget extends OrderWatch {
  /** The value of `--daemon`. */
  readonly daemon: string | undefined;
  /** The value of `--tenant`; if absent, the only tenant. */
  readonly tenant: string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

export interface ApiConnection {
  readonly url: string;
  readonly token: string;
  readonly signal: AbortSignal;
  /** Headers sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Defaults to `fetch`. */
  readonly send?: (address: URL, init: RequestInit) => Promise<Response>;
}

/** High enough for `explain`, which reads all sources. */
const TIMEOUT_MS = 300_000;

/**
 * Lets a daemon do the work that a command would otherwise do on the local state. The daemon's answers are checked by the
 * schemas that describe its API.
 *
 * @returns a function that also throws the daemon's own errors, SYNC_DAEMON_DOWN and SYNC_DAEMON_ANSWER
 * @throws SyncError SYNC_CLI_USAGE
 */
export function connectDaemon({ daemon, tenant, env, ...watch }: DaemonTarget) {
  const connection = openConnection({ daemon, env, signal: watch.signal });
  let found: Promise<string> | null = null;
  return async <Input, Document>(operation: TenantOperation<Input, Document>, input: Input): Promise<Document> => {
    const { name } = operation;
    found ??= tenant === undefined ? findOnly(connection) : Promise.resolve(tenant);
    const follow = ORDERS.get(name);
    if (follow !== undefined) {
      const order = { ...input, tenant: await found };
      return (await follow((route, more) => ask(connection, route, more), order as never, watch)) as Document;
    }
    const route = TENANT_API.find((one) => one.name === name);
    if (route === undefined) throw new Error(`no address for ${name}`);
    return (await ask(connection, route, { ...input, tenant: await found })) as Document;
  };
}

/** @throws SyncError SYNC_CLI_USAGE for a malformed address or a missing token */
export function openConnection({
  daemon,
  env,
  signal,
}: Pick<DaemonTarget, 'daemon' | 'env' | 'signal'>): ApiConnection {
  return { url: readAddress(daemon), token: readPersonalToken(env), signal };
}

function readAddress(daemon: string | undefined): string {
  const url = daemon !== undefined && URL.canParse(daemon) ? new URL(daemon) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere(url.hostname));
  if (url !== null && isSafe && url.username === '') return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  if (daemon === undefined) {
    throw usage('--tenant names a tenant of a daemon elsewhere.', '--tenant', 'Name that daemon with --daemon.');
  }
  const isClear = url?.protocol === 'http:';
  throw usage(
    isClear ? 'The token would be sent without encryption.' : `"${daemon}" is not an address of operator pages.`,
    '--daemon',
    'Name the address that people open in their browser, such as https://sync.example.com.',
  );
}

function isHere(host: string): boolean {
  return host === 'localhost' || isLoopback(host.replace(/^\[|\]$/g, ''));
}

function readPersonalToken(env: NodeJS.ProcessEnv): string {
  const token = (env[TOKEN_VARIABLE] ?? '').trim();
  if (token !== '') return noteSecret(token);
  const remedy = `Put one there. To create it, run \`talent-sync operator add you@example.com --role viewer\` where the daemon runs.`;
  throw usage(`There is no personal token in ${TOKEN_VARIABLE}.`, '--daemon', remedy);
}

function usage(message: string, place: string, remedy: string): SyncError {
  return new SyncError('SYNC_CLI_USAGE', { message, place, remedy });
}

async function findOnly(connection: ApiConnection): Promise<string> {
  const { tenants } = (await ask(connection, LIST_TENANTS, {})) as z.output<typeof TenantList>;
  const [first] = tenants;
  if (first !== undefined && tenants.length === 1) return first.tenant;
  const names = tenants.map(({ tenant }) => tenant).join(', ');
  throw usage(
    first === undefined ? 'You have no role for any tenant of this daemon.' : 'The daemon has several tenants.',
    '--tenant',
    first === undefined ? 'Ask for a role: `talent-sync operator add` gives one.' : `Name one of them: ${names}.`,
  );
}

/** Sends one request. Inputs named in the path go into the path, the others into the query or the body. */
export async function ask(
  connection: ApiConnection,
  { method, path, answer }: ApiRoute,
  input: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const { url, token, headers = {} } = connection;
  const inPath = new Set([...path.matchAll(/:(\w+)/g)].map(([, name]) => name));
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const address = new URL(`${url}${filled}`);
  const others = Object.entries(input).filter(([name, value]) => !inPath.has(name) && value !== null);
  const isAsked = method === 'GET';
  if (isAsked) for (const [name, value] of others) address.searchParams.set(name, String(value));
  const answered = await send(address, connection, {
    method,
    headers: {
      ...headers,
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(isAsked ? {} : { 'content-type': 'application/json' }),
    },
    ...(isAsked ? {} : { body: JSON.stringify(Object.fromEntries(others)) }),
  });
  const document = await readDocument(answered, connection);
  if (!answered.ok) throw readRefusal(document, answered, connection);
  if (!answer.safeParse(document).success) throw strange(connection, 'its answer is of another version');
  return document;
}

/**
 * Uses plain `fetch` for one request of a person at a terminal to a daemon that they name. Only NODE_EXTRA_CA_CERTS affects
 * it.
 */
async function send(address: URL, connection: ApiConnection, init: RequestInit): Promise<Response> {
  const { url, signal, send: sendBy = (to, more) => fetch(to, more) } = connection;
  const late = AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await sendBy(address, { ...init, redirect: 'manual', signal: AbortSignal.any([signal, late]) });
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const { cause } = thrown as { readonly cause?: { readonly code?: string } };
    const reason = late.aborted ? `no answer within ${TIMEOUT_MS / 1_000} s` : messageOf(cause ?? thrown);
    const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO/.test(cause?.code ?? '');
    throw new SyncError('SYNC_DAEMON_DOWN', {
      message: isCertificate
        ? `The certificate of the daemon is not trusted: ${reason}.`
        : `The daemon does not answer: ${reason}.`,
      place: url,
      remedy: isCertificate
        ? 'Set NODE_EXTRA_CA_CERTS to the certificate of the authority that issued it.'
        : 'Check that this is the address of the operator pages (`web:`), and that the daemon runs.',
      cause: thrown,
    });
  }
}

async function readDocument(answered: Response, connection: ApiConnection): Promise<unknown> {
  const type = answered.headers.get('content-type') ?? 'nothing';
  if (answered.status >= 300 && answered.status < 400) {
    throw strange(connection, 'it redirects elsewhere, as a proxy with a log-in does');
  }
  if (!/^application\/(problem\+)?json\b/.test(type)) {
    throw strange(connection, `it answered ${answered.status} with ${type.split(';')[0]}`);
  }
  try {
    return await answered.json();
  } catch (cause) {
    throw strange(connection, 'its answer is truncated or not JSON', cause);
  }
}

/** Reads the daemon's error without changing it. */
function readRefusal(document: unknown, { status }: Response, connection: ApiConnection): SyncError {
  const read = Refusal.safeParse(document);
  if (!read.success) return strange(connection, `it answered ${status} with unknown JSON`);
  const { detail: message, place = connection.url, ...rest } = read.data;
  return toError({ ...rest, message, place });
}

function strange({ url }: ApiConnection, because: string, cause?: unknown): SyncError {
  return new SyncError('SYNC_DAEMON_ANSWER', {
    message: `The address does not answer as the operator pages of a daemon do: ${because}.`,
    place: url,
    remedy: 'Name the address of the pages (`web.public_url`), and use the version of talent-sync that the daemon has.',
    cause,
  });
}
