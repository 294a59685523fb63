import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../src/base/secrets/secret.js';
import { judgeHook } from '../../../../src/daemon/web/hooks/judge-hook.js';
import { ReplayMemory } from '../../../../src/daemon/web/hooks/replay-memory.js';
import { HOOK_FORMS, type HookForm } from '../../../../src/model/hook-forms.js';
import { NOW_MS, NOW_S, PUBLIC, RIGHT, SECRET, signGeneric, type VendorRequest } from './signatures.js';

interface Tried {
  readonly form: HookForm;
  readonly request?: VendorRequest;
  readonly secrets?: readonly string[];
  readonly nowMs?: number;
  readonly memory?: ReplayMemory;
  readonly url?: string;
  readonly of?: string;
}

function judge({
  form,
  request = RIGHT[form],
  secrets = [SECRET],
  nowMs = NOW_MS,
  memory = new ReplayMemory(),
  url = `${PUBLIC}/hooks/acme/crm`,
  of = 'acme/crm',
}: Tried): string {
  const { headers, body } = request;
  return judgeHook(
    { method: 'POST', url, headers, body: Buffer.from(body) },
    { form, secrets: secrets.map((one) => new Secret(one)) },
    { nowMs, memory, of },
  );
}

function withHeaders(form: HookForm, headers: Readonly<Record<string, string>>): VendorRequest {
  return { ...RIGHT[form], headers: { ...RIGHT[form].headers, ...headers } };
}

function without(form: HookForm, name: string): VendorRequest {
  const { [name]: _left, ...headers } = RIGHT[form].headers;
  return { ...RIGHT[form], headers };
}

function signBob(body: string): VendorRequest {
  return { headers: { 'bob-signature': createHmac('sha512', SECRET).update(body).digest('base64') }, body };
}

/** The forms whose signature covers a time, with the largest accepted distance from now. */
const TIMED: readonly (readonly [HookForm, number, number])[] = [
  ['generic', NOW_MS, 5],
  ['hubspot', NOW_MS, 5],
  ['hibob', NOW_MS - 20 * 60_000 + 123, 60],
  ['bamboohr', NOW_MS, 5],
];

describe('every form', () => {
  it.each(HOOK_FORMS)("%s accepts the vendor's documented request", (form) => {
    expect(judge({ form })).toBe('accepted');
  });

  it.each(HOOK_FORMS)('%s accepts each of several secrets, and no others', (form) => {
    expect(judge({ form, secrets: ['the-next-secret', SECRET] })).toBe('accepted');
    expect(judge({ form, secrets: [SECRET, 'the-next-secret'] })).toBe('accepted');
    expect(judge({ form, secrets: ['the-next-secret', 'another-secret'] })).toBe('forged');
  });

  it.each(HOOK_FORMS)('%s accepts nobody if the secret is empty', (form) => {
    expect(judge({ form, secrets: [''] })).toBe('forged');
    const bare: Readonly<Record<string, VendorRequest>> = {
      generic: signGeneric('{}', NOW_S, 'msg_1', ''),
      graph: { headers: {}, body: '{"value":[{"clientState":""}]}' },
      hibob: { headers: { 'bob-signature': createHmac('sha512', '').update('{}').digest('base64') }, body: '{}' },
    };
    const request = bare[form] ?? { headers: {}, body: '' };
    expect(judge({ form, secrets: [''], request })).toBe('forged');
  });

  it.each(HOOK_FORMS)('%s rejects requests of other forms and requests without headers', (form) => {
    const others = HOOK_FORMS.filter((one) => one !== form).map((one) => RIGHT[one]);
    const verdicts = [...others, { headers: {}, body: '' }].map((request) => judge({ form, request }));
    expect(new Set(verdicts)).toEqual(new Set(['forged']));
  });
});

describe('forms with a signature', () => {
  it.each(TIMED)('%s rejects a changed body', (form) => {
    const request = { ...RIGHT[form], body: `${RIGHT[form].body} ` };
    expect(judge({ form, request })).toBe('forged');
  });

  it.each(TIMED)('%s rejects times too far in the past or the future', (form, atMs, minutes) => {
    const far = minutes * 60_000;
    expect(judge({ form, nowMs: atMs + far })).toBe('accepted');
    expect(judge({ form, nowMs: atMs + far + 1 })).toBe('stale');
    expect(judge({ form, nowMs: atMs - far })).toBe('accepted');
    expect(judge({ form, nowMs: atMs - far - 1 })).toBe('stale');
  });

  it.each(TIMED)('%s rejects a repeated request as long as its time is valid', (form, atMs, minutes) => {
    const memory = new ReplayMemory();
    const last = atMs + minutes * 60_000;
    expect(judge({ form, memory })).toBe('accepted');
    expect(judge({ form, memory })).toBe('repeated');
    expect(judge({ form, memory, nowMs: last })).toBe('repeated');
    expect(judge({ form, memory, nowMs: last + 1 })).toBe('stale');
    expect(judge({ form, memory, of: 'acme/other' })).toBe('accepted');
  });

  it('recognises a request in another spelling as repeated', () => {
    const memory = new ReplayMemory();
    const upper = RIGHT.bamboohr.headers['x-bamboohr-signature']?.toUpperCase() ?? '';
    expect(judge({ form: 'bamboohr', memory })).toBe('accepted');
    expect(
      judge({ form: 'bamboohr', memory, request: withHeaders('bamboohr', { 'x-bamboohr-signature': upper }) }),
    ).toBe('repeated');
  });

  it.each([
    ['generic', 'webhook-timestamp'],
    ['hubspot', 'x-hubspot-request-timestamp'],
    ['bamboohr', 'x-bamboohr-timestamp'],
  ] as const)('%s reads %s from the signed content', (form, name) => {
    expect(judge({ form, request: without(form, name) })).toBe('forged');
    expect(judge({ form, request: withHeaders(form, { [name]: String(NOW_S + 1) }) })).toBe('forged');
  });
});

describe('generic', () => {
  it.each([
    ['missing', Number.NaN],
    ['a fraction', 0.5],
    ['a negative number', -1],
    ['larger than any clock time', 1e20],
  ])('rejects a signed timestamp that is %s', (_what, at) => {
    expect(judge({ form: 'generic', request: signGeneric('{}', at) })).toBe('stale');
  });

  it('reads a secret that starts with whsec_ as Base64', () => {
    expect(judge({ form: 'generic', secrets: ['whsec_YS1zZWNyZXQtb2YtdGhlLXZlbmRvcg=='] })).toBe('accepted');
  });

  it('accepts one valid signature among the first four', () => {
    const right = RIGHT.generic.headers['webhook-signature'] ?? '';
    const signatures = (count: number): VendorRequest =>
      withHeaders('generic', { 'webhook-signature': [...Array(count).fill('v1,wrong'), right].join(' ') });
    expect(judge({ form: 'generic', request: signatures(3) })).toBe('accepted');
    expect(judge({ form: 'generic', request: signatures(4) })).toBe('forged');
  });
});

describe('hubspot', () => {
  it('signs the address with some characters decoded', () => {
    const request = withHeaders('hubspot', {
      'x-hubspot-signature-v3': 'KzIWxkrHWo5gfvvdx5vsPZdCfT/Gqdo298Qvqs/PxjA=',
    });
    const url = `${PUBLIC}/hooks/acme/crm?a=b%2fc%3Ad%20e`;
    expect(judge({ form: 'hubspot', request, url })).toBe('accepted');
    expect(judge({ form: 'hubspot', request, url: url.replace('%20', '+') })).toBe('forged');
    expect(judge({ form: 'hubspot', url: 'https://other.example.com/hooks/acme/crm' })).toBe('forged');
  });
});

describe('hibob', () => {
  it.each([
    ['2026-11-29T11:59:00Z', 'accepted'],
    ['2026-11-29T12:59:00+01:00', 'accepted'],
    ['2026-11-29T11:59:00.000', 'accepted'],
    ['2026-11-29', 'stale'],
    ['yesterday', 'stale'],
    [1_795_953_600_000, 'stale'],
    [null, 'stale'],
  ])('takes %s as the time of the event and calls it %s', (triggeredAt, verdict) => {
    expect(judge({ form: 'hibob', request: signBob(JSON.stringify({ triggeredAt })) })).toBe(verdict);
  });

  it.each(['', '[]', 'null', '"x"', '{"triggeredAt":', `${'['.repeat(100_000)}`])(
    'rejects a signed body without a time: %#',
    (body) => {
      expect(judge({ form: 'hibob', request: signBob(body) })).toBe('stale');
    },
  );
});

describe('graph', () => {
  it.each([
    ['a value that is not a list', '{"value":{}}'],
    ['an empty list', '{"value":[]}'],
    ['a missing state', '{"value":[{"subscriptionId":"s1"}]}'],
    ['a value that is not an object', `{"value":["${SECRET}"]}`],
    ['a second notification with another state', `{"value":[{"clientState":"${SECRET}"},{"clientState":"guess"}]}`],
    ['a second notification without a state', `{"value":[{"clientState":"${SECRET}"},{}]}`],
    ['a list as state', `{"value":[{"clientState":["${SECRET}"]}]}`],
    ['invalid JSON', `clientState=${SECRET}`],
    ['a body of brackets only', '['.repeat(256 * 1024)],
    ['a valid state among too many values', `{"value":[{"clientState":"${SECRET}","x":[${'0,'.repeat(20_000)}0]}]}`],
    ['nothing', ''],
  ])('rejects %s', (_what, body) => {
    expect(judge({ form: 'graph', request: { headers: {}, body } })).toBe('forged');
  });

  it('accepts as many notifications as fit into a body', () => {
    const resource = `users/${'0'.repeat(36)}`;
    const one = { subscriptionId: 'a'.repeat(36), clientState: SECRET, changeType: 'updated', resource };
    const value = Array.from({ length: 1_200 }, () => ({ ...one, resourceData: { '@odata.id': resource, id: '1' } }));
    const body = JSON.stringify({ value });
    expect(body.length).toBeGreaterThan(250 * 1024);
    expect(judge({ form: 'graph', request: { headers: {}, body } })).toBe('accepted');
  });
});

describe('google', () => {
  it('starts nothing for the message of a new channel', () => {
    const request = withHeaders('google', { 'x-goog-resource-state': 'sync' });
    expect(judge({ form: 'google', request })).toBe('ping');
    expect(judge({ form: 'google', request, secrets: ['hook-secret-0002'] })).toBe('forged');
  });
});

describe('personio', () => {
  it('compares the header with the configured text, including its prefix', () => {
    const request = withHeaders('personio', { authorization: `Bearer ${SECRET}` });
    expect(judge({ form: 'personio', request })).toBe('forged');
    expect(judge({ form: 'personio', request, secrets: [`Bearer ${SECRET}`] })).toBe('accepted');
  });
});

describe('the memory of signed requests', () => {
  it('forgets old requests, and stays within its limit', () => {
    const memory = new ReplayMemory(100);
    for (let index = 0; index < 1_000; index++) memory.note(`a ${index}`, { nowMs: 0, untilMs: 10 });
    expect(memory.size()).toBe(100);
    expect(memory.note('a 999', { nowMs: 10, untilMs: 10 })).toBe(false);
    expect(memory.note('b', { nowMs: 11, untilMs: 20 })).toBe(true);
    expect(memory.size()).toBe(1);
  });
});
