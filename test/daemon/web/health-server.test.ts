import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/base/secrets/secret.js';
import { type Health, openHealthServer } from '../../../src/daemon/web/health-server.js';
import type { Port } from '../../../src/daemon/web/open-port.js';

const servers: Port[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const WELL: Health = { whyDead: () => null, whyNotReady: () => [] };
const METRICS = { contentType: 'text/plain; version=0.0.4', render: async () => 'a 1\n' };

async function open(more: { health?: Health; token?: string; host?: string; text?: string } = {}): Promise<Port> {
  const { health = WELL, token = null, host = '127.0.0.1', text } = more;
  const server = await openHealthServer({
    host,
    port: 0,
    token: token === null ? null : new Secret(token),
    health,
    metrics: text === undefined ? METRICS : { ...METRICS, render: async () => text },
  });
  servers.push(server);
  return server;
}

async function get(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(url, { headers });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** An address of this machine other than the loopback address. */
function farAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}

describe('/livez and /readyz', () => {
  it('answers 200 to all clients when healthy', async () => {
    const { url } = await open({ token: 'secret' });
    expect(await get(`${url}/livez`)).toMatchObject({ status: 200, text: 'ok\n' });
    expect(await get(`${url}/readyz`)).toMatchObject({ status: 200, text: 'ready\n' });
    expect((await get(`${url}/livez`)).headers.get('cache-control')).toBe('no-store');
  });

  it('answers 503 otherwise, and shows tenant names only to authorised clients', async () => {
    const health: Health = {
      whyDead: () => 'no tick for 200 s',
      whyNotReady: () => [{ tenant: 'acme', because: 'held by sync, process 7' }],
    };
    const near = await open({ health });
    expect(await get(`${near.url}/livez`)).toMatchObject({ status: 503, text: 'no tick for 200 s\n' });
    expect(await get(`${near.url}/readyz`)).toMatchObject({
      status: 503,
      text: 'not ready\nacme: held by sync, process 7\n',
    });
    const guarded = await open({ health, token: 'secret' });
    expect((await get(`${guarded.url}/readyz`)).text).not.toContain('acme');
    expect((await get(`${guarded.url}/readyz`, { authorization: 'Bearer secret' })).text).toContain('acme');
  });

  it('answers 404 to everything else', async () => {
    const { url } = await open();
    expect(await get(`${url}/`)).toMatchObject({ status: 404 });
    expect((await fetch(`${url}/livez`, { method: 'POST' })).status).toBe(404);
  });
});

describe('/metrics', () => {
  it('without a token, answers this machine only', async () => {
    const { url } = await open({ host: '0.0.0.0' });
    const port = new URL(url).port;
    expect(await get(`http://127.0.0.1:${port}/metrics`)).toMatchObject({ status: 200, text: 'a 1\n' });
    const far = farAddress();
    const answer = await get(`http://${far}:${port}/metrics`);
    expect(answer.status).toBe(far === '127.0.0.1' ? 200 : 401);
  });

  it('compresses the answer for clients that accept it', async () => {
    const { url } = await open();
    const packed = await get(`${url}/metrics`, { 'accept-encoding': 'gzip' });
    expect([packed.text, packed.headers.get('content-encoding')]).toEqual(['a 1\n', 'gzip']);
    const plain = await get(`${url}/metrics`, { 'accept-encoding': 'identity' });
    expect([plain.text, plain.headers.get('content-encoding')]).toEqual(['a 1\n', null]);
  });

  it('sends thousands of lines completely, without secrets', async () => {
    new Secret('tok_5f9a8b7c6d5e4f3a2b1c');
    const lines = Array.from({ length: 10_500 }, (_, at) => `a{b="${at}"} 1`);
    const { url } = await open({ text: [...lines, 'a{b="tok_5f9a8b7c6d5e4f3a2b1c"} 1', 'a{b="\r"} 1'].join('\n') });
    const shown = [...lines, 'a{b="[secret]"} 1', 'a{b="\\r"} 1', ''].join('\n');
    expect((await get(`${url}/metrics`)).text).toBe(shown);
  });

  it('with a token, answers clients that have it, from anywhere', async () => {
    const { url } = await open({ token: 'secret' });
    const refused = await get(`${url}/metrics`);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('Bearer');
    expect(refused.text).toContain('TALENT_SYNC_METRICS_TOKEN');
    for (const wrong of ['Bearer secreT', 'Bearer', 'Basic secret', 'Bearer secretsecret']) {
      expect((await get(`${url}/metrics`, { authorization: wrong })).status).toBe(401);
    }
    expect(await get(`${url}/metrics`, { authorization: 'bearer secret' })).toMatchObject({
      status: 200,
      text: 'a 1\n',
    });
  });
});

it('keeps a connection open after its answer only if it carried a valid token', async () => {
  const { url } = await open({ token: 'secret' });
  const stays = async (path: string, headers: Record<string, string> = {}): Promise<boolean> =>
    (await get(`${url}${path}`, headers)).headers.get('connection') === 'keep-alive';
  expect(await stays('/livez')).toBe(false);
  expect(await stays('/readyz')).toBe(false);
  expect(await stays('/metrics')).toBe(false);
  expect(await stays('/nothing')).toBe(false);
  expect(await stays('/metrics', { authorization: 'Bearer secret' })).toBe(true);
});

it('reports the address of a port that is in use by another server', async () => {
  const { url } = await open();
  const port = Number(new URL(url).port);
  const again = openHealthServer({ host: '127.0.0.1', port, token: null, health: WELL, metrics: METRICS });
  await expect(again).rejects.toMatchObject({ code: 'SYNC_WEB_LISTEN', place: `127.0.0.1:${port}` });
});
