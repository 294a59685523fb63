import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/base/logger.js';
import { hideSecrets, holdsSecret, noteSecret, Secret } from '../../../src/base/secrets/secret.js';

const TOKEN = 'pat-eu1-7c4b/9d+1e="x&y\'zü';
const PLAIN = 'tok_4f9a8b7c6d5e4f3a2b1c';
const HEADER = 'ApiKey 0123456789abcdef0123';
const WEAK = 'Longyear7';
const { privateKey: PEM } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

beforeAll(() => {
  for (const value of [TOKEN, PLAIN, HEADER, WEAK, PEM, 'short', 'secret', '']) new Secret(value);
});

it('hides a secret address but not its host, which other addresses share', () => {
  new Secret('https://hooks.example.com/services/T0001/B0002/7c4b9d1e0f');
  new Secret('http://127.0.0.1:3999/hook');
  const quoted = 'POST https://hooks.example.com/services/T0001/B0002/7c4b9d1e0f: 404';
  expect(hideSecrets(quoted)).toBe('POST https://hooks.example.com/[secret]: 404');
  const others = 'https://hooks.example.com/status, http://127.0.0.1:3999/hook, http://127.0.0.1:39';
  expect(hideSecrets(others)).toBe(others);
});

it('a secret prints as [secret] everywhere', () => {
  const secret = new Secret(PLAIN);
  const lines: string[] = [];
  createLogger('info', { write: (line) => void lines.push(line) }).info({ credentials: secret }, 'taken');
  const printed = [
    `${secret}`,
    String(secret),
    `key: ${secret}`,
    JSON.stringify({ secret }),
    inspect({ secret }),
    ...lines,
  ];
  for (const text of printed) {
    expect(text).toContain('[secret]');
    expect(text).not.toContain('tok_');
  }
  expect(Object.keys(secret)).toEqual([]);
  expect(secret.reveal()).toBe(PLAIN);
});

describe('finds a secret in each way of quoting it', () => {
  const json = JSON.stringify(TOKEN).slice(1, -1);
  it.each([
    ['verbatim', TOKEN],
    ['in JSON', json],
    ['in JSON inside JSON', JSON.stringify(json).slice(1, -1)],
    ['as PHP writes JSON', json.replaceAll('/', '\\/')],
    ['in a URL', encodeURIComponent(TOKEN)],
    ['in a URL, with lower-case escapes', encodeURIComponent(TOKEN).replace(/%../g, (code) => code.toLowerCase())],
    ['as Python writes JSON', 'pat-eu1-7c4b/9d+1e=\\"x&y\'z\\u00fc'],
    ['as Go writes JSON', 'pat-eu1-7c4b/9d+1e=\\"x\\u0026y\'zü'],
    ['as .NET writes JSON', 'pat-eu1-7c4b/9d\\u002B1e=\\u0022x\\u0026y\\u0027z\\u00FC'],
    ['in a URL inside a URL', encodeURIComponent(encodeURIComponent(TOKEN))],
    ['as Go writes pages', 'pat-eu1-7c4b/9d&#43;1e=&#34;x&amp;y&#39;zü'],
    ['as .NET writes pages', 'pat-eu1-7c4b/9d&#x2B;1e=&quot;x&amp;y&#39;zü'],
    ['in a page', TOKEN.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')],
    ['truncated after its half', TOKEN.slice(0, 14)],
    ['without the scheme of its header', '0123456789abcdef0123'],
  ])('%s', (_, quoted) => {
    expect(hideSecrets(`>${quoted}<`)).toBe('>[secret]<');
  });

  it.each(['', 'u', 'ur'])('in Base64, after %j', (before) => {
    const quoted = Buffer.from(`${before}:${PLAIN}`).toString('base64');
    const left = Buffer.from(hideSecrets(quoted).replaceAll('[secret]', ''), 'base64').toString();
    expect(hideSecrets(quoted)).toContain('[secret]');
    expect(left.length).toBeLessThan(8);
  });

  it('in each line of a private key', () => {
    const lines = PEM.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----'));
    expect(lines.length).toBeGreaterThan(20);
    for (const line of lines) expect(hideSecrets(`line ${line}.`)).toBe('line [secret].');
    expect(hideSecrets(JSON.stringify(PEM))).not.toMatch(/[A-Za-z0-9+/]{20}/);
  });

  it('if another one starts the same', () => {
    const [old, now] = ['eyJhbGciOiJIUzI1NiJ9.aaaaaaaaaaaaaaaa', 'eyJhbGciOiJIUzI1NiJ9.bbbbbbbbbbbbbbbb'];
    noteSecret(old);
    noteSecret(now);
    expect(hideSecrets(`${now} ${old}`)).toBe('[secret] [secret]');
  });
});

describe('short secrets', () => {
  it('are hidden from six characters on if they are separate words', () => {
    expect(hideSecrets('password=Longyear7; Longyear78 in Longyear7')).toBe(
      'password=[secret]; Longyear78 in [secret]',
    );
    expect(holdsSecret('Longyear7')).toBe(false);
  });

  it('are not hidden if they are shorter or are the word "secret" itself', () => {
    expect(hideSecrets('a short [secret] of ours')).toBe('a short [secret] of ours');
  });
});

it('detects a secret in a value only if it is complete', () => {
  expect(holdsSecret(`call ${PLAIN} now`)).toBe(true);
  expect(holdsSecret(PLAIN.slice(0, 15))).toBe(false);
  expect(holdsSecret(JSON.stringify({ title: TOKEN }))).toBe(true);
});

it('remembers fetched tokens while they are new', () => {
  const tokens = Array.from({ length: 300 }, (_, i) =>
    noteSecret(`fetched-token-${String(i).padStart(6, '0')}-${i * 7919}`),
  );
  expect(hideSecrets(String(tokens.at(-1)))).toBe('[secret]');
  expect(hideSecrets(PLAIN)).toBe('[secret]');
});

it('learns the keys of thousands of tenants one by one, and hides each', () => {
  const keys = Array.from({ length: 3_000 }, () => randomBytes(24).toString('base64'));
  const before = process.cpuUsage();
  for (const key of keys) new Secret(key);
  const { user, system } = process.cpuUsage(before);
  // Rebuilding the list for each key took 20 s.
  expect((user + system) / 1_000).toBeLessThan(1_500);
  for (const key of [keys[0], keys[1_500], keys[2_999]]) expect(hideSecrets(`key ${key}!`)).toBe('key [secret]!');
});
