import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Way } from '../../src/base/http/way.js';
import { Secret } from '../../src/base/secrets/secret.js';
import { openSocketsBy } from '../../src/service/open-sockets.js';
import { ServiceError } from '../../src/service/service-error.js';
import { createTalentService } from '../../src/service/talent-service.js';
import { makeCertificates } from '../connectors/http/certificates.js';
import { openProxy } from '../connectors/http/open-proxy.js';
import { makeFolder } from '../samples.js';
import { createInstantClock } from './instant-clock.js';

const DIRECT: Way = { tls: null, proxy: null, unusedProxy: null };
const noCountries: RequestListener = (_, response) =>
  void response.setHeader('content-type', 'application/json').end('[]');

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Reads from the service in this way and returns the result. */
async function readBy(baseUrl: string, way: Partial<Way>): Promise<unknown> {
  const service = createTalentService({
    ...{ baseUrl, apiKey: 'k', clock: createInstantClock(), giveUpAfterMs: 1_000 },
    ...{ openSockets: openSocketsBy({ ...DIRECT, ...way }), unusedProxy: way.unusedProxy ?? null },
  });
  onTestFinished(() => service.close());
  return await service.reader.countries.list().catch((error: unknown) => error);
}

test('trusts a private authority, and shows a client certificate to the service', async () => {
  const { ca, server, client } = makeCertificates(makeFolder());
  const strict = { ...server, ca, requestCert: true, rejectUnauthorized: true };
  const baseUrl = `https://127.0.0.1:${await listen(createHttpsServer(strict, noCountries))}`;
  const shown = { cert: client.cert, key: new Secret(client.key), passphrase: new Secret('open') };
  expect(await readBy(baseUrl, { tls: { ca, client: shown } })).toEqual([]);
  const { url, server: proxy, logins } = await openProxy();
  onTestFinished(() => void proxy.close());
  const login = { username: 'u', password: new Secret('p') };
  expect(await readBy(baseUrl, { tls: { ca, client: shown }, proxy: { url, login } })).toEqual([]);
  expect(logins).toEqual(['Basic dTpw']);
  expect(await readBy(baseUrl, {})).toMatchObject({
    code: 'SYNC_SERVICE_DOWN',
    outcome: 'not_sent',
    remedy: expect.stringMatching(/`service\.tls\.ca`.*NODE_EXTRA_CA_CERTS/),
  });
});

test("uses a proxy for plain HTTP too, and passes on the proxy's error", async () => {
  const baseUrl = `http://127.0.0.1:${await listen(createHttpServer(noCountries))}`;
  const { url, server } = await openProxy();
  onTestFinished(() => void server.close());
  expect(await readBy(baseUrl, { proxy: { url, login: null } })).toEqual([]);
  const refusing = await openProxy(407);
  onTestFinished(() => void refusing.server.close());
  const refused = await readBy(baseUrl, { proxy: { url: refusing.url, login: null } });
  expect(refused).toBeInstanceOf(ServiceError);
  expect(refused).toMatchObject({ code: 'SYNC_SERVICE_DOWN', outcome: 'not_sent' });
  expect((refused as ServiceError).message).toContain('407');
  expect((refused as ServiceError).remedy).toContain('The proxy requires a login: set `service.proxy.username`');
});

test('mentions an unused proxy in the environment if no connection is made', async () => {
  const closed = createHttpServer();
  const port = await listen(closed);
  closed.close();
  expect(await readBy(`http://127.0.0.1:${port}`, { unusedProxy: 'HTTPS_PROXY' })).toMatchObject({
    remedy: expect.stringContaining('HTTPS_PROXY is set, but not used. Name the proxy in `service.proxy`.'),
  });
});
