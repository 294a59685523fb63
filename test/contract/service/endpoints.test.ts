import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ROUTES } from '../../../src/sandbox/routes/table.js';
import { ENDPOINTS } from '../../../src/service/endpoints.js';
import { sweep } from '../../depth.js';
import { normaliseRoute } from './held-endpoints.js';
import { openService } from './open-service.js';

const ROWS = readFileSync(new URL('endpoints.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'));

test('every endpoint of the client has a route in the sandbox', () => {
  const served = new Set(ROUTES.map(({ method, path }) => normaliseRoute(method, path)));
  const asked = Object.values(ENDPOINTS).map(({ method, path }) => normaliseRoute(method, path));
  expect(asked.length).toBeGreaterThan(87);
  expect(asked.filter((one) => !served.has(one))).toEqual([]);
});

/** Calls every endpoint of the service without a key; an endpoint that is not served would answer 404. */
describe('Endpoints', () => {
  test('number 88', () => {
    expect(ROWS).toHaveLength(88);
  });

  test('Authentication 2: each exists, and answers 401 with x-request-id without authentication', async () => {
    const { send } = await openService();
    for (const [, method = '', path = ''] of ROWS) {
      const reply = await send(method, path.replaceAll(/\{\w+\}/g, 'x'), undefined, { key: null });
      expect([method, path, reply.status]).toEqual([method, path, 401]);
      expect(reply.headers.get('x-request-id')).toMatch(/./);
    }
  });

  sweep('Authentication 2: each rejects a disabled key with 403', async () => {
    const { send } = await openService();
    for (const [, method = '', path = ''] of ROWS) {
      const reply = await send(method, path.replaceAll(/\{\w+\}/g, 'x'), undefined, { key: 'off' });
      expect([method, path, reply.status]).toEqual([method, path, 403]);
    }
  });

  sweep('Authentication 3: rejects every write of a read-only administrator, but not reads', async () => {
    const { send } = await openService();
    const READS = ['/api/v4/search', '/api/v4/references/search', '/api/v2/cv-report', '/api/v4/references/reports'];
    for (const [, method = '', path = ''] of ROWS) {
      const reply = await send(method, path.replaceAll(/\{\w+\}/g, 'x'), undefined, { key: 'reader' });
      const isRead = method === 'GET' || READS.includes(path);
      expect([method, path, reply.status === 403]).toEqual([method, path, !isRead]);
    }
  });

  test('answers 404 for an unknown path with a key', async () => {
    const { send } = await openService();
    expect((await send('GET', '/api/v9/users')).status).toBe(404);
  });
});
