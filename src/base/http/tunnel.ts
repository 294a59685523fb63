import http from 'node:http';
import https from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { encodeBasic } from '../secrets/encode-basic.js';
import type { ProxySettings } from '../settings/proxy.js';
import { ProxyFault } from './broken-connection.js';
import { tlsOptions, type Way } from './way.js';

export interface TunnelOptions extends https.RequestOptions {
  /** Ends the request. It is separate because Node removes `signal` from the options that it passes to agents. */
  readonly until?: AbortSignal;
}

type Done = (error: unknown, socket?: Socket) => void;

/**
 * Makes the agents connect through tunnels of the proxy. The proxy looks up and checks the server's address. It sees
 * the server's name, but not the content.
 */
export function enterTunnels(
  agents: { readonly 'http:': http.Agent; readonly 'https:': https.Agent },
  { proxy, tls }: Pick<Way, 'tls'> & { readonly proxy: ProxySettings },
  connectMs: number,
): void {
  const connectBy =
    (wrap: (socket: Socket, options: TunnelOptions) => Socket) =>
    (options: TunnelOptions, done: Done): undefined => {
      openTunnel(proxy, options, connectMs)
        .then((socket) => wrap(socket, options))
        .then((socket) => done(null, socket), done);
    };
  Object.assign(agents['http:'], { createConnection: connectBy((socket) => socket) });
  Object.assign(agents['https:'], {
    createConnection: connectBy((socket, { host, servername }) =>
      connectSecure({ ...tlsOptions(tls), socket, host: host ?? '', servername: servername ?? '' }),
    ),
  });
}

function openTunnel(
  { url, login }: ProxySettings,
  { host, port, until: signal }: TunnelOptions,
  connectMs: number,
): Promise<Socket> {
  const path = `${isIP(host ?? '') === 6 ? `[${host}]` : host}:${port}`;
  const authorization = login === null ? {} : { 'proxy-authorization': encodeBasic(login.username, login.password) };
  const { request } = url.startsWith('https:') ? https : http;
  return new Promise((done, fail) => {
    const headers = { host: path, ...authorization };
    const asked = request(url, {
      method: 'CONNECT',
      path,
      headers,
      agent: false,
      ...(signal !== undefined && { signal }),
    });
    const stop = limitConnecting(asked, connectMs);
    asked.on('error', (error) => {
      stop();
      fail(signal?.aborted === true ? error : new ProxyFault(null, error));
    });
    asked.on('connect', ({ statusCode }, socket) => {
      stop();
      if (statusCode === 200) return done(socket);
      socket.destroy();
      fail(new ProxyFault(statusCode ?? 0));
    });
    asked.end();
  });
}

/**
 * Limits the time for opening a connection. A call that got no connection was not sent; a call that got no answer may
 * have been.
 */
export function limitConnecting(sent: http.ClientRequest, connectMs: number): () => void {
  const timer = setTimeout(() => {
    const message = `no connection within ${connectMs} ms`;
    sent.destroy(Object.assign(new Error(message), { code: 'CONNECT_TIMEOUT' }));
  }, connectMs);
  return () => clearTimeout(timer);
}
