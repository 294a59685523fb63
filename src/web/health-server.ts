import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { SyncError } from '../errors.js';
import { hideSecrets, type Secret } from '../secrets/secret.js';
import { isAnyOf, readBearer } from './bearer.js';
import { openReceiver, type ReceiverOptions } from './scim/receiver.js';

export interface HealthServerOptions {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Who may read metrics and details from afar; null: nobody, only this machine. */
  readonly token: Secret | null;
  readonly health: Health;
  /** Takes what identity providers push; without it there is nothing under /scim/v2. */
  readonly receiver?: ReceiverOptions;
  readonly metrics: { readonly contentType: string; render(): Promise<string> };
}

export interface Health {
  /** null while the daemon's own clock ticks, else what is wrong. */
  whyDead(): string | null;
  /** What is not ready yet: a sentence each, with the tenant's name; empty when everything is. */
  whyNotReady(): readonly { readonly tenant: string | null; readonly because: string }[];
}

export interface HealthServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * `/livez` and `/readyz` for whoever asks, without details; `/metrics`, and the details of `/readyz`, for this machine
 * or whoever has the token.
 *
 * @throws SyncError SYNC_WEB_LISTEN when the port cannot be had
 */
export async function openHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const { host, port, health, metrics } = options;
  const server = fastify({ logger: false, bodyLimit: 1_024, requestTimeout: 10_000, forceCloseConnections: true });
  server.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
  });
  server.setNotFoundHandler((_request, reply) => answer(reply, 404, 'There are /livez, /readyz and /metrics.'));

  server.get('/livez', (_request, reply) => {
    const because = health.whyDead();
    return because === null ? answer(reply, 200, 'ok') : answer(reply, 503, because);
  });

  server.get('/readyz', (request, reply) => {
    const open = health.whyNotReady();
    if (open.length === 0) return answer(reply, 200, 'ready');
    const details = mayLook(request, options.token)
      ? open.map(({ tenant, because }) => `${tenant === null ? '' : `${tenant}: `}${because}`)
      : [`${open.length} not ready; details for this machine or with the token`];
    return answer(reply, 503, `not ready\n${details.join('\n')}`);
  });

  server.get('/metrics', async (request, reply) => {
    if (mayLook(request, options.token))
      return reply.type(metrics.contentType).send(hideSecrets(await metrics.render()));
    reply.header('www-authenticate', 'Bearer realm="talent-sync"');
    return answer(
      reply,
      401,
      options.token === null
        ? 'Metrics are for this machine only: set TALENT_SYNC_METRICS_TOKEN, and send it as a bearer token.'
        : 'Send the token of TALENT_SYNC_METRICS_TOKEN as a bearer token.',
    );
  });

  if (options.receiver !== undefined) await openReceiver(server, options.receiver);

  try {
    const url = await server.listen({ host, port });
    return { url, close: () => server.close() };
  } catch (error) {
    throw new SyncError('SYNC_WEB_LISTEN', {
      message: `The port cannot be had: ${error instanceof Error ? error.message : String(error)}`,
      place: `${host}:${port}`,
      remedy: 'Name a free port with --port, and an address of this machine with --host.',
      cause: error,
    });
  }
}

function answer(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply
    .code(status)
    .type('text/plain; charset=utf-8')
    .send(`${hideSecrets(text)}\n`);
}

function mayLook(request: FastifyRequest, token: Secret | null): boolean {
  if (token === null) return isLoopback(request.ip);
  return isAnyOf(readBearer(request.headers.authorization), [token]);
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}
