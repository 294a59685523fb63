import { describe, expect, it } from 'vitest';
import { SyncError } from '../../src/base/errors.js';
import { ENV, loadSample, SAMPLE } from './sample.js';

const SECRETS = { ...ENV, HOOK: 'first-secret', NEXT: 'second-secret' };

/** The sample with a source `more`. */
function withSource(more: string): string {
  return SAMPLE.replace('\nusers:', `\n  more: { ${more} }\nusers:`);
}

const HOOK = 'hook: { secret: { env: HOOK } }';
const CSV = 'type: csv, drop: ./more, pattern: "*.csv", key: id, columns: { id: string }';
const PLAIN =
  'type: crm, base_url: "https://crm.example.com", streams: { rows: { path: /rows, next: none, key: id, columns: { id: string } } }';
const HUBSPOT = 'type: crm, preset: hubspot, auth: { bearer: { env: HOOK } }';

/** Every kind of source that is read, with the resulting form. */
const KINDS = [
  ['csv', CSV, 'generic'],
  ['json', CSV.replaceAll('csv', 'json'), 'generic'],
  ['scim', 'type: scim, base_url: "https://idp.example.com/v2"', 'generic'],
  ['crm', PLAIN, 'generic'],
  ['crm, preset hubspot', HUBSPOT, 'hubspot'],
  ['crm, preset salesforce', 'type: crm, preset: salesforce, base_url: "https://acme.my.salesforce.com"', 'generic'],
  [
    'hris, preset entra',
    'type: hris, preset: entra, auth: { tenant: t, client_id: c, client_secret: { env: HOOK } }',
    'graph',
  ],
  ['hris, preset simployer', 'type: hris, preset: simployer, auth: { token: { env: HOOK } }', 'generic'],
] as const;

describe('hook', () => {
  it.each(KINDS)('belongs to %s and takes its form from the preset', (_kind, source, form) => {
    const { hooks } = loadSample(withSource(`${source}, ${HOOK}`), SECRETS);
    expect(Object.keys(hooks)).toEqual(['more']);
    expect(hooks.more).toMatchObject({ form, url: null, trustedProxies: [] });
    expect(hooks.more?.secrets.map((one) => one.reveal())).toEqual(['first-secret']);
  });

  it('accepts a form, several secrets, an address and proxies', () => {
    const hook =
      'hook: { secrets: [{ env: HOOK }, { env: NEXT }], form: graph, url: "https://a.example.com/x", trusted_proxies: [10.0.0.0/8] }';
    const { hooks } = loadSample(withSource(`${HUBSPOT}, ${hook}`), SECRETS);
    expect(hooks.more).toMatchObject({ form: 'graph', url: 'https://a.example.com/x', trustedProxies: ['10.0.0.0/8'] });
    expect(hooks.more?.secrets.map((one) => one.reveal())).toEqual(['first-secret', 'second-secret']);
  });

  it('does not change what is derived', () => {
    const { digest } = loadSample(withSource(CSV), SECRETS);
    expect(loadSample(withSource(`${CSV}, ${HOOK}`), SECRETS).digest).toBe(digest);
  });

  it.each([
    ['no secret', 'hook: {}', 'either `secret` or `secrets`'],
    [
      'both kinds of secret',
      'hook: { secret: { env: HOOK }, secrets: [{ env: NEXT }] }',
      'either `secret` or `secrets`',
    ],
    ['no list of secrets', 'hook: { secrets: [] }', 'secrets'],
    ['too many secrets', `hook: { secrets: [${Array(5).fill('{ env: HOOK }').join(', ')}] }`, 'secrets'],
    ['a secret in clear', 'hook: { secret: hunter2 }', 'secret'],
    ['an unknown form', 'hook: { secret: { env: HOOK }, form: workday }', 'form'],
    ['an address with a login', 'hook: { secret: { env: HOOK }, url: "https://a:b@example.com" }', 'url'],
    ['an invalid range', 'hook: { secret: { env: HOOK }, trusted_proxies: [everybody] }', 'trusted_proxies'],
    ['a missing secret', 'hook: { secret: { env: ABSENT } }', 'ABSENT'],
  ])('is rejected with %s', (_what, hook, word) => {
    expect(problemsOf(`${CSV}, ${hook}`)).toContain(word);
  });

  it('is rejected for a source that is pushed to', () => {
    expect(problemsOf(`type: scim-push, tokens: [{ env: NEXT }], ${HOOK}`)).toContain('hook');
  });
});

function problemsOf(source: string): string {
  try {
    loadSample(withSource(source), SECRETS);
  } catch (error) {
    if (error instanceof SyncError) return JSON.stringify(error.problems);
    throw error;
  }
  return '';
}
