import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import nock from 'nock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/service/service-error.js';
import { createTransport, type Transport, type TransportRequest } from '../../src/service/transport.js';
import { beginIntercepting, endIntercepting } from './intercepted.js';
import { SENDERS, type Sender } from './senders.js';

const BASE = 'https://acme.example.com';
const KEY = 'secret-key-123';
const get: TransportRequest = { method: 'GET', path: '/api/v1/users/u1', query: '' };
const post: TransportRequest = { method: 'POST', path: '/api/v1/users', query: '', body: { user: { name: 'Åse' } } };

const createTestTransport = (sender: Sender['options'], baseUrl = BASE, timeoutMs = 2_000): Transport =>
  createTransport({ baseUrl, apiKey: KEY, timeoutMs, connections: 2, ...sender });

async function catchError(work: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await work.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceError)) throw error;
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(KEY);
  return error;
}

describe.each(SENDERS)('transport, over intercepted $by', ({ options }) => {
  let transport: Transport;
  beforeEach(() => {
    beginIntercepting();
    transport = createTestTransport(options);
  });
  afterEach(async () => {
    await transport.close();
    expect(nock.pendingMocks()).toEqual([]);
    endIntercepting();
  });

  it('sends the key and JSON, and reads JSON, request id and headers', async () => {
    nock(BASE, { reqheaders: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' } })
      .post('/api/v1/users', { user: { name: 'Åse' } })
      .reply(200, { id: 'u1' }, { 'x-request-id': 'r-1', date: 'Fri, 20 Nov 2026 10:00:00 GMT' });
    await expect(transport.send(post)).resolves.toEqual({
      status: 200,
      requestId: 'r-1',
      headers: { retryAfterMs: null, dateMs: Date.UTC(2026, 10, 20, 10) },
      body: { id: 'u1' },
    });
  });

  it('sends no content type without a body, and accepts an empty 204', async () => {
    nock(BASE, { badheaders: ['content-type'] })
      .delete('/api/v1/users/u1')
      .reply(204);
    await expect(transport.send({ ...get, method: 'DELETE' })).resolves.toMatchObject({ status: 204, body: null });
  });

  const statuses = [
    [400, 'SYNC_SERVICE_REFUSED', 'refused'],
    [401, 'SYNC_SERVICE_UNAUTHENTICATED', 'refused'],
    [403, 'SYNC_SERVICE_FORBIDDEN', 'refused'],
    [404, 'SYNC_SERVICE_REFUSED', 'refused'],
    [409, 'SYNC_SERVICE_REFUSED', 'refused'],
    [422, 'SYNC_SERVICE_REFUSED', 'refused'],
    [429, 'SYNC_SERVICE_LIMITED', 'refused'],
    [500, 'SYNC_SERVICE_DOWN', 'unknown'],
    [503, 'SYNC_SERVICE_DOWN', 'unknown'],
    [501, 'SYNC_SERVICE_REFUSED', 'refused'],
    [302, 'SYNC_SERVICE_ANSWER', 'refused'],
  ] as const;
  for (const [status, code, outcome] of statuses) {
    it(`reports ${code} for ${status}`, async () => {
      nock(BASE)
        .get(get.path)
        .reply(status, { message: `no: ${KEY}`, reason: 'because' }, { 'x-request-id': 'r-2', location: '/x' });
      const error = await catchError(transport.send(get));
      expect(error).toMatchObject({
        code,
        status,
        outcome,
        fault: 'status',
        requestId: 'r-2',
        words: 'no: [secret]; because',
      });
      expect(error).toMatchObject({ place: `GET ${BASE}${get.path}`, details: { reason: 'because' } });
      expect(error.remedy).not.toBe('');
    });
  }

  it('reads Retry-After as seconds or as a date of the service', async () => {
    nock(BASE).get(get.path).reply(429, '', { 'retry-after': '7' });
    expect((await catchError(transport.send(get))).retryAfterMs).toBe(7_000);
    const date = { date: 'Fri, 20 Nov 2026 10:00:00 GMT', 'retry-after': 'Fri, 20 Nov 2026 10:00:09 GMT' };
    nock(BASE).get(get.path).reply(429, '', date);
    expect((await catchError(transport.send(get))).retryAfterMs).toBe(9_000);
  });

  it("shortens the service's message, and names an HTML page as such", async () => {
    nock(BASE).get(get.path).reply(502, '<html><body>Bad gateway</body></html>');
    expect((await catchError(transport.send(get))).words).toBe('an HTML page');
    nock(BASE).get(get.path).reply(422, 'x'.repeat(5_000));
    expect((await catchError(transport.send(get))).words).toHaveLength(300);
  });

  it('rejects a page, a truncated document and an empty body as an answer', async () => {
    for (const body of ['<html>log in</html>', '{"id": "u', '']) {
      nock(BASE).get(get.path).reply(200, body, { 'x-request-id': 'r-3' });
      const error = await catchError(transport.send(get));
      expect(error).toMatchObject({
        code: 'SYNC_SERVICE_ANSWER',
        fault: 'answer',
        outcome: 'unknown',
        status: 200,
        requestId: 'r-3',
      });
    }
  });

  it('reports that nothing was sent if no connection was made', async () => {
    for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT', 'SELF_SIGNED_CERT_IN_CHAIN']) {
      nock(BASE)
        .post(post.path)
        .replyWithError(Object.assign(new Error(`${code} ${KEY}`), { code }));
      expect(await catchError(transport.send(post))).toMatchObject({
        code: 'SYNC_SERVICE_DOWN',
        fault: 'unsent',
        outcome: 'not_sent',
        status: null,
      });
    }
  });

  it('reports an unknown outcome if the connection broke', async () => {
    nock(BASE)
      .post(post.path)
      .replyWithError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    expect(await catchError(transport.send(post))).toMatchObject({
      code: 'SYNC_SERVICE_DOWN',
      fault: 'network',
      outcome: 'unknown',
    });
  });

  it('sends nothing if stopped before', async () => {
    const error = await catchError(transport.send({ ...get, signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ fault: 'stopped', outcome: 'not_sent' });
  });

  it('rejects a key that cannot be in a header, without quoting it', () => {
    const wrong = { baseUrl: BASE, apiKey: 'secret\n', timeoutMs: 1, connections: 1, ...options };
    expect(() => createTransport(wrong)).toThrow(expect.objectContaining({ code: 'SYNC_CONFIG_SECRET' }));
    expect(() => createTransport(wrong)).not.toThrow(/secret/);
  });
});

describe.each(SENDERS)('transport, over a real socket, by $by', ({ options: sender }) => {
  let server: Server;
  let respond: (response: ServerResponse) => void;
  let baseUrl: string;
  let transport: Transport;

  beforeEach(async () => {
    server = createServer((request, response) => {
      request.resume();
      request.on('end', () => respond(response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    transport = createTestTransport(sender, baseUrl, 200);
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await transport.close();
  });

  it('ends a call that hangs, before or within the body', async () => {
    respond = () => undefined;
    const hung = await catchError(transport.send(post));
    expect(hung).toMatchObject({ fault: 'network', outcome: 'unknown', message: 'No answer within 200 ms.' });
    respond = (response) => void response.writeHead(200).write('{"id":');
    expect(await catchError(transport.send(get))).toMatchObject({
      fault: 'network',
      message: 'No answer within 200 ms.',
    });
  });

  it('reports a truncated body and a reset as network faults', async () => {
    const patient = createTestTransport(sender, baseUrl, 10_000);
    respond = (response) => {
      response.writeHead(200, { 'content-length': '100', 'x-request-id': 'r-9' });
      response.write('{"id":');
      setTimeout(() => response.destroy(), 20);
    };
    expect(await catchError(patient.send(get))).toMatchObject({
      fault: 'network',
      outcome: 'unknown',
      status: 200,
      requestId: 'r-9',
    });
    respond = (response) => void response.destroy();
    expect(await catchError(patient.send(get))).toMatchObject({ fault: 'network', outcome: 'unknown', status: null });
    await patient.close();
  });

  it('reports a call to a closed port as not sent', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    await new Promise((resolve) => other.close(resolve));
    const closed = createTestTransport(sender, `http://127.0.0.1:${port}`);
    expect(await catchError(closed.send(post))).toMatchObject({ fault: 'unsent', outcome: 'not_sent' });
    await closed.close();
  });

  it('reports an unknown outcome if stopped in flight', async () => {
    respond = () => undefined;
    const controller = new AbortController();
    const call = transport.send({ ...post, signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    expect(await catchError(call)).toMatchObject({ fault: 'stopped', outcome: 'unknown' });
  });
});
