import { expect, it } from 'vitest';
import { type Desk, ENTERPRISE, openDesk, TOKENS } from './desk.js';
import { CHANGE_RULES } from './rules/changes.js';
import { LIST_RULES } from './rules/lists.js';
import { REQUEST_RULES } from './rules/requests.js';
import type { Rule } from './rules/rule.js';

type Town = Desk & { readonly ids: Readonly<Record<string, string>> };

async function openTown(): Promise<Town> {
  const desk = await openDesk();
  const jane = await desk.addUser('jane', {
    externalId: 'e1',
    title: 'Boss',
    name: { familyName: 'Doe' },
    emails: [
      { type: 'home', value: 'a@home.example' },
      { type: 'work', value: 'j@work.example', primary: true },
    ],
    [ENTERPRISE]: { department: 'IT', manager: { value: 'm1' } },
  });
  const bo = await desk.addUser('bo', { active: false, emails: [{ value: 'b@work.example' }] });
  const team = await desk.addGroup('Team', [jane.id]);
  return { ...desk, ids: { jane: jane.id, bo: bo.id, team: team.id } };
}

const RULES = [...REQUEST_RULES, ...LIST_RULES, ...CHANGE_RULES];

/** Returns true for a request that changes nothing, because it reads or is rejected. */
function isQuiet({ ask: [method, path], status }: Rule): boolean {
  return status >= 400 || ['GET', 'HEAD'].includes(method) || path.endsWith('/.search');
}

async function judge({ call, ids }: Town, { rule, ask, status, scimType, finds }: Rule): Promise<void> {
  const [method, path, body, headers] = ask;
  const fill = (text: string): string =>
    text.replaceAll(/(?:\{|%7B)(jane|team)(?:\}|%7D)/g, (_, name) => ids[name] ?? '');
  const sent = body instanceof Uint8Array || typeof body !== 'object' ? body : JSON.parse(fill(JSON.stringify(body)));
  const answer = await call(method, fill(path), sent, headers);
  expect([rule, answer.status, answer.json.scimType]).toEqual([rule, status, scimType]);
  if (answer.text !== '')
    expect(answer.headers.get('content-type'), rule).toMatch(/^application\/scim\+json(; charset=utf-8)?$/i);
  if (status >= 400 && method !== 'HEAD') {
    expect(answer.json, rule).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
    });
    expect(answer.json.detail, rule).toMatch(/\.$/);
  }
  expect([rule, answer.headers.has('allow')]).toEqual([rule, status === 405]);
  if (finds !== undefined) {
    const found = answer.json.Resources.map(({ id }) => Object.keys(ids).find((name) => ids[name] === id));
    expect([rule, found]).toEqual([rule, finds]);
  }
}

it('answers reads and rejected requests as RFC 7644 says, and changes nothing', async () => {
  const town = await openTown();
  const look = async () => [(await town.call('GET', '/Users')).json, (await town.call('GET', '/Groups')).json];
  const before = await look();
  for (const rule of RULES.filter(isQuiet)) await judge(town, rule);
  expect(await look()).toEqual(before);
});

it.each(RULES.filter((rule) => !isQuiet(rule)))('$rule: $status', async (rule) => judge(await openTown(), rule));

it('answers with application/json to a client that accepts nothing else', async () => {
  const { call } = await openDesk();
  const typeFor = async (accept: string) =>
    (await call('GET', '/Users', undefined, { accept })).headers.get('content-type')?.split(';')[0];
  expect(await typeFor('application/json')).toBe('application/json');
  expect(await typeFor('application/scim+json, application/json;q=0.9')).toBe('application/scim+json');
  expect(await typeFor('*/*')).toBe('application/scim+json');
  expect(await typeFor('')).toBe('application/scim+json');
});

it('reports a rejected token as invalid', async () => {
  const { call } = await openDesk();
  const challenge = async (authorization: string) =>
    (await call('GET', '/Users', undefined, { authorization })).headers.get('www-authenticate');
  expect(await challenge('')).toBe('Bearer realm="talent-sync"');
  expect(await challenge(`Bearer ${TOKENS[0]}x`)).toBe('Bearer realm="talent-sync", error="invalid_token"');
});

it('gives the address of each representation, equal to its meta', async () => {
  const { call, ids } = await openTown();
  const at = `/Users/${ids.jane}`;
  for (const [method, body] of [['GET'], ['PUT', { userName: 'jane' }], ['PATCH', { Operations: [] }]] as const) {
    const { headers, json } = await call(method, at, body);
    expect(headers.get('content-location')).toBe(json.meta.location);
    expect(headers.get('etag')).toBe(json.meta.version);
  }
});
