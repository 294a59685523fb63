import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { MOST_LEVELS, MOST_OBJECT_BYTES } from '../../src/base/http/limits.js';
import { listen, TOKEN } from '../hostile/every-source.js';
import { type Measured, runMeasured } from '../hostile/measured.js';
import { BOMBS, type Bomb, openTamper, sendBomb } from '../hostile/tamper.js';
import { person, type Yaml } from '../scenarios/company.js';
import { openStory, type Story } from '../scenarios/kit.js';

const MOST_MIB = 250;
/** A page of distinct people: valid, and just below the limit for a page. */
const PEOPLE: Bomb = {
  begin: '[{"id":"u0"}',
  piece: ',{"id":"u1","name":"Somebody","email":"s@example.com"}',
  end: ']',
};
const LONG_ROWS: Bomb = { begin: '[{"id":"u0"}', piece: `,{"id":"u1","name":"${'x'.repeat(60_000)}"}`, end: ']' };

interface Outcome {
  readonly error?: { readonly code: string; readonly message: string; readonly remedy: string };
}

async function sync(story: Story): Promise<Measured & { readonly json: Outcome }> {
  const ran = await runMeasured(story, ['sync'], { LOG_LEVEL: 'info', SOURCE_TOKEN: TOKEN });
  expect(ran.peakMiB).toBeLessThan(MOST_MIB);
  expect(`${ran.stdout}${ran.stderr}`).not.toMatch(/SYNC_INTERNAL|\n\s+at |Maximum call stack/);
  return { ...ran, json: JSON.parse(ran.stdout) as Outcome };
}

describe('large answers of the service', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['zeros', '/api/v2/users/search', '64 MiB'],
    ['one giant text', '/api/v2/users/search', '64 MiB'],
    ['lists in lists', '/api/v2/users/search', `more than ${MOST_LEVELS} levels`],
    ['objects in objects', '/api/v1/countries', `more than ${MOST_LEVELS} levels`],
    ['tiny objects', '/api/v2/users/search', '64 MiB'],
    ['tiny objects', '/api/v1/countries', '256 MiB'],
    ['tiny lists in a list that is named', '/api/v1/countries', '256 MiB'],
    ['blanks', '/api/v2/users/search', '64 MiB'],
  ];
  test.each(cases)('rejects 300 MiB of %s from %s within the memory limit', async (bomb, path, limit) => {
    const story = await openStoryWith(path, (response) => sendBomb(response, get(bomb)));
    const { json, code } = await sync(story);
    expect(code).toBe(1);
    expect(story.takeWrites()).toEqual([]);
    expect(json.error?.code).toBe('SYNC_SERVICE_TOO_LARGE');
    expect(json.error?.message).toContain(limit);
    if (limit.endsWith('MiB'))
      expect(json.error).toMatchObject({ remedy: expect.stringContaining('`service.max_answer`') });
  });

  test('reads a rejection of 300 MiB within the memory limit', async () => {
    const story = await openStoryWith('/api/v2/users/search', (response) =>
      sendBomb(response, get('one giant text'), 300, 403),
    );
    expect((await sync(story)).json.error?.code).toBe('SYNC_SERVICE_FORBIDDEN');
  });

  const answers = [
    ['people', PEOPLE, 60],
    ['people with long values', LONG_ROWS, 60],
    ['objects that are not people', get('tiny objects'), 60],
  ] as const;
  test.each(answers)('reads an answer just below the limit: %s', async (_, bomb, mib) => {
    await sync(await openStoryWith('/api/v2/users/search', (response) => sendBomb(response, bomb, mib)));
  });

  test('rejects an answer by its announced length before it reads anything', async () => {
    const story = await openStoryWith('/api/v2/users/search', (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(2 ** 40) });
      response.write('[');
    });
    expect((await sync(story)).json.error?.code).toBe('SYNC_SERVICE_TOO_LARGE');
  });

  test('names a configured limit', async () => {
    const story = await openStoryWith('/api/v2/users/search', (response) => sendBomb(response, get('blanks'), 3));
    story.configure({ service: { max_answer: '2MiB' } });
    const { json } = await sync(story);
    expect(json.error?.message).toContain('longer than 2 MiB, the limit of `service.max_answer`');
  });

  test('ends an answer that drips at the time limit of a call', async () => {
    const story = await openStoryWith('/api/v2/users/search', (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(timer));
    });
    story.configure({ service: { timeout: '500ms' } });
    const startMs = Date.now();
    expect((await sync(story)).json.error?.code).toBe('SYNC_SERVICE_DOWN');
    expect(Date.now() - startMs).toBeLessThan(15_000);
  });
});

/** A person to read about in a source over HTTP, who exists in HR. */
const SOURCES: Readonly<Record<string, (url: string, auth: string) => Yaml>> = {
  scim: (url, auth) => ({ type: 'scim', base_url: url, timeout: '20s', auth: JSON.parse(auth) as Yaml }),
  crm: (url, auth) => ({
    ...{ type: 'crm', base_url: url, timeout: '20s', auth: JSON.parse(auth) as Yaml },
    streams: {
      companies: {
        ...{ path: '/companies', rows: '/rows', next: { token: '/next', parameter: 'after' }, key: 'id' },
        columns: { id: 'string', name: { type: 'string', optional: true } },
      },
    },
  }),
};
const CUSTOMERS = {
  from: ['crm.companies'],
  match: ['external_unique_id'],
  fields: { external_unique_id: 'record.id', customer_name: { en: 'record.?name' } },
};

describe.each(['scim', 'crm'] as const)('large answers of a source of type %s', (type) => {
  const readFrom = async (
    respond: (path: string, response: ServerResponse) => void,
    login: 'bearer' | 'oauth2' = 'bearer',
  ) => {
    const server = await listen((request, response) => respond(request.url ?? '', response));
    const story = await openStory();
    story.deliver([person('E1')]);
    const secret = { env: 'SOURCE_TOKEN' };
    const oauth2 = { token_url: `${server.url}/token`, client_id: 'sync', client_secret: secret };
    const auth = JSON.stringify(login === 'bearer' ? { bearer: secret } : { oauth2 });
    const source = SOURCES[type]?.(server.url, auth) ?? null;
    story.configure({ sources: { [type === 'scim' ? 'idp' : 'crm']: source }, service: { timeout: '30s' } });
    if (type === 'crm') story.configure({ customers: CUSTOMERS });
    else
      story.configure({
        users: { enrich: { idp: { join: 'idp.externalId == hr.id' } }, fields: { telephone: 'idp.?phone' } },
      });
    const ran = await runMeasured(story, ['sync'], { LOG_LEVEL: 'info', SOURCE_TOKEN: TOKEN });
    expect(ran.peakMiB).toBeLessThan(MOST_MIB);
    expect(`${ran.stdout}${ran.stderr}`).not.toMatch(/SYNC_INTERNAL|\n\s+at |Maximum call stack/);
    return ran;
  };
  const isAside = (path: string): boolean => path.endsWith('/ServiceProviderConfig');

  const bombs = ['tiny objects', 'tiny lists in a list that is named', 'lists in lists', 'zeros'];
  test.each(bombs)('rejects 300 MiB of %s', async (bomb) => {
    const ran = await readFrom((path, response) => {
      if (isAside(path)) response.writeHead(404).end('{}');
      else sendBomb(response, get(bomb));
    });
    expect(`${ran.stdout}${ran.stderr}`).toContain('SYNC_SOURCE_TOO_LARGE');
  });

  test('rejects 300 MiB of a token, and of a rejection', async () => {
    const token = await readFrom((_, response) => sendBomb(response, get('one giant text')), 'oauth2');
    expect(`${token.stdout}${token.stderr}`).toContain('longer than 1 MiB');
    await readFrom((_, response) => sendBomb(response, get('one giant text'), 300, 400));
  });

  test('rejects one object longer than an object may be', async () => {
    const list = type === 'scim' ? 'Resources' : 'rows';
    const text = JSON.stringify({ totalResults: 1, [list]: [{ id: 'k', name: 'x'.repeat(MOST_OBJECT_BYTES) }] });
    const ran = await readFrom((path, response) => {
      response.writeHead(isAside(path) ? 404 : 200, { 'content-type': 'application/json' });
      response.end(isAside(path) ? '{}' : text);
    });
    expect(`${ran.stdout}${ran.stderr}`).toContain('One object of the answer is longer than 4 MiB');
  });
});

function get(name: string): Bomb {
  const bomb = BOMBS[name];
  if (bomb === undefined) throw new Error(`there is no bomb of ${name}`);
  return bomb;
}

async function openStoryWith(path: string, respond: (response: ServerResponse) => void): Promise<Story> {
  const story = await openStory();
  story.deliver([person('E1'), person('E2')]);
  const url = await openTamper(story.sandbox.url, (request, response) => {
    if (request.url?.startsWith(path) !== true) return false;
    respond(response);
    return true;
  });
  story.configure({ service: { base_url: url, timeout: '30s' } });
  return story;
}
