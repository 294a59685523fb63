import { request as openRequest, type RequestOptions } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Secret } from '../../../../src/base/secrets/secret.js';
import type { SignalPort } from '../../../../src/daemon/signals/signals.js';
import type { HookSource } from '../../../../src/daemon/tenants/hook-sources.js';
import { openHealthServer } from '../../../../src/daemon/web/health-server.js';
import type { HookEvent, HookReceiverOptions } from '../../../../src/daemon/web/hooks/hook-receiver.js';
import type { HookForm } from '../../../../src/model/hook-forms.js';
import { closeAfterTest } from '../../../closing.js';
import { NOW_MS, PUBLIC, SECRET, type VendorRequest } from './signatures.js';

export interface HookAnswered {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface HookDesk {
  readonly port: number;
  readonly events: readonly HookEvent[];
  /** The sources signalled since the last call, each once. */
  take(): readonly { readonly tenant: string; readonly source: string | null }[];
  /** Sends a request, from a new address each time unless one is named. */
  send(path: string, request: Partial<VendorRequest>, how?: { method?: string; from?: string }): Promise<HookAnswered>;
  dial(): Socket;
}

/** A receiver over HTTP behind a proxy, with one source per form, such as `acme/hubspot`. */
export async function openHookDesk(
  forms: readonly HookForm[],
  more: Partial<HookReceiverOptions> & Partial<Pick<HookSource, 'url'>> = {},
): Promise<HookDesk> {
  const { url = null, ...options } = more;
  const events: HookEvent[] = [];
  let changed = new Map<string, { readonly tenant: string; readonly source: string | null }>();
  const signals: SignalPort = {
    signal: ({ tenant, source }) => void changed.set(`${tenant}/${source}`, { tenant, source }),
  };
  const settings = { tenant: 'acme', secrets: [new Secret(SECRET)], url, trustedProxies: ['127.0.0.1'] };
  const sources = forms.map((form): HookSource => ({ ...settings, name: form, form }));
  const server = await openHealthServer({
    host: '127.0.0.1',
    port: 0,
    token: null,
    health: { whyDead: () => null, whyNotReady: () => [] },
    metrics: { contentType: 'text/plain', render: async () => '' },
    hooks: {
      find: (tenant, name) => sources.find((one) => one.tenant === tenant && one.name === name) ?? null,
      proxies: () => settings.trustedProxies,
      clock: { now: () => NOW_MS },
      signals,
      onHook: (event) => void events.push(event),
      ...options,
    },
  });
  closeAfterTest(server);
  const port = Number(new URL(server.url).port);
  let sent = 0;
  return {
    port,
    events,
    take() {
      const taken = [...changed.values()];
      changed = new Map();
      return taken;
    },
    send(path, { headers = {}, body = '' }, { method = 'POST', from } = {}) {
      sent += 1;
      const client = from ?? `198.18.${sent >> 8}.${sent & 255}`;
      const all = { host: new URL(PUBLIC).host, 'x-forwarded-for': client, ...headers };
      return exchange(
        { port, path, method, headers: { ...all, 'content-length': String(Buffer.byteLength(body)) } },
        body,
      );
    },
    dial() {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      closeAfterTest({ close: () => void socket.destroy() });
      return socket;
    },
  };
}

function exchange(options: RequestOptions, body: string): Promise<HookAnswered> {
  return new Promise((resolve, reject) => {
    const request = openRequest({ host: '127.0.0.1', agent: false, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => {
        const { date: _date, ...headers } = response.headers;
        resolve({ status: response.statusCode ?? 0, text, headers });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}
