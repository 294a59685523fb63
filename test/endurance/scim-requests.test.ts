import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { bearer, head, MIB, type ScimDaemon, startScim, TOKEN, type Wire } from '../hostile/scim-daemon.js';

const USERS = '/scim/v2/entra/Users';
const FILL = 'x'.repeat(64 * 1024);

/** Sends as long as the other side accepts it, and starts again when cut off. */
function pour({ dial }: ScimDaemon, lines: readonly string[], until: AbortSignal): void {
  const { socket, ended } = dial();
  const send = (): void => {
    while (!until.aborted && !socket.destroyed && socket.write(FILL));
  };
  socket.on('connect', () => {
    socket.write(head('POST', USERS, 'Content-Type: application/scim+json', ...lines));
    send();
  });
  socket.on('drain', send);
  void ended.then(() => setTimeout(() => until.aborted || pour({ dial } as ScimDaemon, lines, until), 100));
  until.addEventListener('abort', () => socket.destroy());
}

/** The longest wait of a client with the right token. */
async function slowestOf({ ask }: ScimDaemon, times: number): Promise<number> {
  let slowest = 0;
  for (let n = 0; n < times; n++) {
    const name = `honest${Math.random()}`;
    const made = await ask('POST', '/Users', { userName: name, title: 'y'.repeat(1_000) });
    const found = await ask('GET', `/Users?filter=${encodeURIComponent(`userName eq "${name}"`)}`);
    expect([made.status, found.json.totalResults]).toEqual([201, 1]);
    slowest = Math.max(slowest, made.ms, found.ms);
    await pause(50);
  }
  return slowest;
}

const LENGTH = `Content-Length: ${4 * MIB}`;
const ATTACKS: readonly (readonly [string, readonly string[]])[] = [
  ['no token', [LENGTH]],
  ['a wrong token', [bearer('wrong'), LENGTH]],
  ['chunks without an end', ['Transfer-Encoding: chunked', '', 'FFFFFFF']],
];

describe('300 connections that send bodies without the right token', () => {
  test.each(ATTACKS)('%s: keeps memory stable, and serves the owner of the token as usual', async (_, lines) => {
    const scim = await startScim();
    await slowestOf(scim, 5);
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    for (let n = 0; n < 300; n++) pour(scim, lines, stop.signal);
    await pause(500);
    const slowest = await slowestOf(scim, 20);
    const peak = scim.peak();
    stop.abort();
    // The process takes about 130 MiB before; the bodies would be 1,200.
    expect(peak).toBeLessThan(250);
    expect(slowest).toBeLessThan(2_000);
    expect((await scim.daemon.get('/livez')).status).toBe(200);
  });
});

test('closes silent connections, and headers and bodies sent byte by byte, after ten seconds', async () => {
  const scim = await startScim();
  const { dial } = scim;
  const drip = (wire: Wire, text: string): NodeJS.Timeout =>
    setInterval(() => wire.isOpen() && wire.socket.write(text), 300);
  const silent = dial();
  const slowHead = dial();
  slowHead.socket.write(`GET ${USERS} HTTP/1.1\r\nHost: x\r\nX-Slow: `);
  const slowPage = dial();
  slowPage.socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\nX-Slow: ');
  const slowBody = dial();
  slowBody.socket.write(head('POST', USERS, bearer(TOKEN), 'Content-Type: application/json', 'Content-Length: 5000'));
  const many = Array.from({ length: 100 }, () => dial());
  for (const wire of many) wire.socket.write(head('POST', USERS, bearer(TOKEN), 'Content-Length: 100000'));
  const stranger = dial();
  stranger.socket.write(head('POST', USERS, 'Content-Length: 5000'));
  const drips = [drip(slowHead, 'a'), drip(slowPage, 'a'), drip(slowBody, ' '), drip(stranger, ' ')];
  expect(await stranger.ended).toBeLessThan(3_000);
  expect(stranger.text()).toMatch(/^HTTP\/1.1 401 .*connection: close.*"status":"401"/is);
  // Others are served in the meantime.
  expect(await slowestOf(scim, 5)).toBeLessThan(1_000);
  for (const wire of [silent, slowHead, slowPage, slowBody, ...many]) {
    const ms = await wire.ended;
    expect(ms).toBeGreaterThan(9_000);
    expect(ms).toBeLessThan(13_000);
  }
  for (const timer of drips) clearInterval(timer);
  expect(slowBody.text()).toMatch(/^HTTP\/1.1 408 .*application\/scim\+json.*"status":"408"/is);
  expect(slowHead.text()).toMatch(/^HTTP\/1.1 408 /);
});

describe('the body of a request', () => {
  test('is requested only with the right token', async () => {
    const { dial } = await startScim();
    const body = JSON.stringify({ userName: 'expected' });
    const lines = ['Expect: 100-continue', 'Content-Type: application/json', `Content-Length: ${body.length}`];
    const stranger = dial();
    stranger.socket.write(head('POST', USERS, bearer('wrong'), ...lines));
    await stranger.ended;
    expect(stranger.text()).toMatch(/^HTTP\/1.1 401 /);
    expect(stranger.text()).not.toContain('100 Continue');
    const friend = dial();
    friend.socket.write(head('POST', USERS, bearer(TOKEN), 'Connection: close', ...lines));
    while (!friend.text().startsWith('HTTP/1.1 100 Continue')) await pause(10);
    friend.socket.write(body);
    await friend.ended;
    expect(friend.text()).toContain('HTTP/1.1 201 ');
    const odd = dial();
    odd.socket.write(head('POST', USERS, bearer(TOKEN), 'Expect: the-moon', `Content-Length: ${body.length}`));
    await odd.ended;
    expect(odd.text()).toMatch(/^HTTP\/1.1 417 /);
  });

  test('is never taken for a request if nobody read it', async () => {
    const { dial } = await startScim();
    const inner = head('DELETE', `${USERS}/1`, bearer(TOKEN));
    for (const lines of [[bearer('wrong')], [bearer(TOKEN), 'Content-Type: text/plain']]) {
      const wire = dial();
      wire.socket.write(`${head('POST', USERS, ...lines, `Content-Length: ${inner.length + 5_000_000}`)}${inner}`);
      await wire.ended;
      expect(wire.text().match(/^HTTP\/1.1 /gm)).toHaveLength(1);
    }
    const wire = dial();
    const text = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
    wire.socket.write(`${head('GET', '/readyz', `Content-Length: ${text.length + 1}`)}${text}`);
    await wire.ended;
    expect(wire.text().match(/^HTTP\/1.1 /gm)).toHaveLength(1);
  });

  test('answers pipelined requests in order, and ends a flood of them', async () => {
    const { dial } = await startScim();
    const two = dial();
    const get = (path: string, ...lines: string[]): string => head('GET', path, bearer(TOKEN), ...lines);
    two.socket.write(get('/scim/v2/entra/ServiceProviderConfig') + get('/livez', 'Connection: close'));
    await two.ended;
    expect(two.text()).toMatch(/^HTTP\/1.1 200 .*ServiceProviderConfig.*HTTP\/1.1 200 .*ok\n$/s);
    const flood = dial();
    flood.socket.write(get(USERS).repeat(2_000));
    await flood.ended;
  });
});

describe('wrong tokens', () => {
  async function wrong({ dial }: ScimDaemon, ...lines: readonly string[]): Promise<{ text: string; ms: number }> {
    const wire = dial();
    wire.socket.write(head('GET', USERS, bearer(`wrong${Math.random()}`), ...lines));
    const ms = await wire.ended;
    return { text: wire.text(), ms };
  }

  test('from one address are answered ever more slowly, then not at all, and the right one immediately', async () => {
    const scim = await startScim();
    const first = await wrong(scim);
    expect(first.text).toMatch(/^HTTP\/1.1 401 .*invalid_token/s);
    const times: number[] = [];
    for (let n = 0; n < 8; n++) times.push((await wrong(scim)).ms);
    expect(times.at(-1)).toBeGreaterThan(900);
    const flood = Array.from({ length: 100 }, () => wrong(scim));
    expect(await slowestOf(scim, 10)).toBeLessThan(1_000);
    const answers = await Promise.all(flood);
    const busy = answers.filter(({ text }) => /^HTTP\/1.1 429 .*retry-after: \d+\r/is.test(text));
    expect(busy.length).toBeGreaterThan(80);
    expect(answers.every(({ text }) => /^HTTP\/1.1 4(01|29) .*application\/scim\+json/s.test(text))).toBe(true);
    // The log records them, but must not become another way to fill a disk.
    expect(scim.daemon.log().filter(({ msg }) => msg === 'a push was not authorised').length).toBeLessThan(20);
  }, 40_000);

  test('behind a trusted proxy are counted by their sender, otherwise by the connection', async () => {
    const from = (address: string): string => `X-Forwarded-For: 198.51.100.7, ${address}`;
    const scim = await startScim({ trusted_proxies: ['127.0.0.0/8', '::1'] });
    for (let n = 0; n < 7; n++) await wrong(scim, from('203.0.113.1'));
    expect((await wrong(scim, from('203.0.113.1'))).ms).toBeGreaterThan(450);
    expect((await wrong(scim, from('203.0.113.2'))).ms).toBeLessThan(400);
    const plain = await startScim();
    for (let n = 0; n < 7; n++) await wrong(plain, from(`203.0.113.${n}`));
    expect((await wrong(plain, from('203.0.113.99'))).ms).toBeGreaterThan(450);
  }, 40_000);
});

test('keeps memory stable when 300 connections with a right token repeatedly leave in the middle of a body', async () => {
  const scim = await startScim();
  await slowestOf(scim, 5);
  for (let wave = 0; wave < 6; wave++) {
    const wires = Array.from({ length: 300 }, () => scim.dial());
    for (const { socket } of wires)
      socket.write(head('POST', USERS, 'Content-Type: application/scim+json', bearer(TOKEN), LENGTH) + FILL.repeat(40));
    await pause(1_500);
    for (const { socket } of wires) socket.destroy();
    await pause(1_500);
  }
  expect((await scim.ask('GET', '/Users?count=1')).status).toBe(200);
  expect(scim.peak()).toBeLessThan(300);
});
