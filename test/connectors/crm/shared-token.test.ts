import { expect, it } from 'vitest';
import { Secret } from '../../../src/base/secrets/secret.js';
import type { Config } from '../../../src/config/config.js';
import { createConnectors } from '../../../src/connectors/create-connectors.js';
import type { HttpAccess } from '../../../src/connectors/http/resolve-http.js';
import { closeAfterTest } from '../../closing.js';
import { answerJson, buildContext, listedConfig, NOTHING_PUSHED, OPEN_ACCESS, startServer } from '../fixtures.js';

const STREAMS = ['companies', 'deals', 'staffing', 'products'];

/** Opens a CRM that can revoke tokens, and a source with several streams that reads it. */
async function openSource() {
  const crm = { tokens: 0, isValid: (_token: number): boolean => true, refused: 0 };
  const { baseUrl } = await startServer((request, response) => {
    if (request.url?.endsWith('/token') === true) {
      crm.tokens++;
      // The delay makes all streams wait for the token.
      setTimeout(answerJson, 20, response, { access_token: `t${crm.tokens}`, expires_in: 3_600 });
      return;
    }
    const token = Number(/^Bearer t(\d+)$/.exec(request.headers.authorization ?? '')?.[1]);
    if (crm.isValid(token)) return answerJson(response, { results: [{ id: '1', name: 'A' }], next: null });
    crm.refused++;
    answerJson(response, {}, 401);
  });
  const oauth2 = {
    tokenUrl: `${baseUrl}/token`,
    clientId: 'id',
    clientSecret: new Secret('secret'),
    scope: null,
    parameters: {},
    clientAuth: 'form' as const,
  };
  const access: HttpAccess = { ...OPEN_ACCESS, auth: { oauth2 } };
  const streams = Object.fromEntries(STREAMS.map((name) => [name, listedConfig(baseUrl, { access })]));
  const sources: Config['sources'] = { crm: { type: 'crm', streams } };
  const connectors = [...(await createConnectors({ sources } as Config, buildContext(), NOTHING_PUSHED)).values()];
  for (const connector of connectors) closeAfterTest(connector);
  return { crm, readAll: () => Promise.all(connectors.map((connector) => connector.read(() => {}))) };
}

it('shares one token among the streams of a source, even when they are read concurrently', async () => {
  const { crm, readAll } = await openSource();
  for (const _ of [1, 2]) expect((await readAll()).map(({ rows }) => rows)).toEqual([1, 1, 1, 1]);
  expect(crm.tokens).toBe(1);
});

it('renews a token once after it is rejected for all streams', async () => {
  const { crm, readAll } = await openSource();
  await readAll();
  crm.isValid = (token) => token > 1;
  expect((await readAll()).map(({ rows }) => rows)).toEqual([1, 1, 1, 1]);
  expect([crm.tokens, crm.refused]).toEqual([2, 4]);
});

it('ends each read if the token stays rejected, without endless requests for tokens', async () => {
  const { crm, readAll } = await openSource();
  crm.isValid = () => false;
  await expect(readAll()).rejects.toMatchObject({ code: 'SYNC_SOURCE_DENIED' });
  expect(crm.tokens).toBeLessThanOrEqual(1 + STREAMS.length);
});
