import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listOperations } from '../../../src/sandbox/control/openapi/build-openapi.js';
import { ROUTES } from '../../../src/sandbox/routes/table.js';
import { ENDPOINTS } from '../../../src/service/endpoints.js';
import { oneIn, sweep } from '../../depth.js';
import { normaliseRoute } from './held-endpoints.js';
import { openService } from './open-service.js';

const REDOCLY = join(import.meta.dirname, '../../../node_modules/@redocly/cli/bin/cli.js');

/** From `GET /users/{user_id}` to its operation. */
async function readDocument() {
  const { send } = await openService();
  const { status, body, text } = await send('GET', '/__sandbox/openapi.json', undefined, { key: null });
  expect([status, body.openapi]).toEqual([200, '3.1.0']);
  const operations = new Map<string, { operationId: string; tags: string[]; [more: string]: unknown }>();
  for (const [path, methods] of Object.entries<Record<string, never>>(body.paths)) {
    for (const [method, operation] of Object.entries(methods))
      operations.set(`${method.toUpperCase()} ${path}`, operation);
  }
  return { text, body, operations };
}

test('every route has an operation, and every operation a route', async () => {
  const { operations } = await readDocument();
  const routes = ROUTES.map(({ method, path }) => `${method} ${path}`);
  expect([...listOperations().keys()].sort()).toEqual([...routes].sort());
  expect([...operations.keys()].sort()).toEqual(routes.map((route) => route.replaceAll(/:(\w+)/g, '{$1}')).sort());
});

test("describes the 88 endpoints by the client's names, and counts nothing else as shown", async () => {
  const { operations } = await readDocument();
  const named = new Map(
    [...operations]
      .filter(([, operation]) => operation['x-beyond-the-interface'] !== true)
      .map(([place, { operationId }]) => [normaliseRoute('', place).trim(), operationId]),
  );
  const wanted = new Map(
    Object.entries(ENDPOINTS).map(([name, { method, path }]) => [normaliseRoute(method, path), name]),
  );
  expect(wanted.size).toBe(88);
  expect(Object.fromEntries([...named].sort())).toEqual(Object.fromEntries([...wanted].sort()));
});

test('has unique names, and describes all parameters of the path', async () => {
  const { operations } = await readDocument();
  const ids = [...operations.values()].map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [place, { parameters }] of operations) {
    const named = (parameters as { in: string; name: string }[]).filter((one) => one.in === 'path');
    expect([place, named.map(({ name }) => `{${name}}`)]).toEqual([place, place.match(/\{\w+\}/g) ?? []]);
  }
});

test("the older form is equivalent: no field of two types, and one name for a record's id", async () => {
  const { send } = await openService();
  const { body, text } = await send('GET', '/__sandbox/openapi.json?version=3.0', undefined, { key: null });
  const { body: newer } = await readDocument();
  expect(body.openapi).toBe('3.0.3');
  expect(text).not.toMatch(/"(?:anyOf|oneOf|const)":|"type":(?:\[|"null")/);
  const namesIn = (document: typeof body): readonly string[] =>
    Object.entries<{ properties?: object; required?: string[] }>(document.components.schemas).flatMap(
      ([name, { properties = {}, required = [] }]) =>
        [...Object.keys(properties), ...required].map((field) => `${name}.${field}`),
    );
  const names = namesIn(body);
  const leftOut = namesIn(newer).filter((name) => !names.includes(name));
  expect(leftOut).toContain('Office._id');
  expect(leftOut.filter((name) => !names.includes(name.replace(/\._id$/, '.id')))).toEqual([]);
  expect(Object.keys(body.paths)).toEqual(Object.keys(newer.paths));
  expect((await send('GET', '/__sandbox/openapi.json?version=2.0', undefined, { key: null })).status).toBe(400);
});

sweep.each(oneIn(1, ['3.1', '3.0']))('version %s passes Redocly without findings', async (version) => {
  const { send } = await openService();
  const { text } = await send('GET', `/__sandbox/openapi.json?version=${version}`, undefined, { key: null });
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  const [document, report] = [join(folder, 'openapi.json'), join(folder, 'report.json')];
  writeFileSync(document, text);
  // A proposal's page answers only 302. Schemas that only choices refer to stay described where they are omitted.
  const skipped = ['operation-2xx-response', ...(version === '3.0' ? ['no-unused-components'] : [])];
  const args = [
    REDOCLY,
    'lint',
    document,
    '--extends=recommended-strict',
    ...skipped.map((rule) => `--skip-rule=${rule}`),
  ];
  const found = execFileSync(process.execPath, [...args, '--format=json'], {
    encoding: 'utf8',
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  writeFileSync(report, found);
  expect(JSON.parse(readFileSync(report, 'utf8')).problems).toEqual([]);
});
