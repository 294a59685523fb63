import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Problem, SyncError } from '../../src/base/errors.js';
import { loadBackend } from '../../src/config/load-backend.js';
import { findWeb, loadWeb } from '../../src/config/load-web.js';
import { SAMPLE, writeSample } from './sample.js';

const ENV = { OIDC: 'a-secret' };

function write(web: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'web-'));
  writeFileSync(join(folder, 'daemon.yaml'), web);
  return folder;
}

function readProblems(folder: string, isLocal: boolean): readonly Problem[] {
  try {
    loadWeb(folder, ENV, isLocal);
  } catch (error) {
    if (error instanceof SyncError) return error.problems;
    throw error;
  }
  return [];
}

it('is read from daemon.yaml in a folder, or from the only configuration', () => {
  const web = 'web:\n  state: ./web\n  roles: [{ role: viewer, who: [a@example.com] }]\n';
  const folder = write(web);
  const grants = [{ role: 'viewer', who: ['a@example.com'], groups: [], tenants: null, pseudonyms: false }];
  const defaults = { host: '127.0.0.1', port: 8090, publicUrl: null, tokens: true, idleMs: 3_600_000, grants };
  expect(loadWeb(folder, ENV, false)).toMatchObject({ ...defaults, state: join(folder, 'web') });
  expect(loadWeb(writeSample(`${SAMPLE}${web}`), ENV, false)).toMatchObject(defaults);
});

it("is found next to a configuration without the daemon's secrets, but not if it is invalid", () => {
  const pages = 'web:\n  state: ./web\n  public_url: https://sync.example.com/\n';
  const login =
    '  login: { openid: { issuer: https://id.example.com, client_id: p, client_secret: { env: NOT_SET } } }\n';
  const findFor = (daemon: string, own = SAMPLE): string | null | undefined => {
    const file = join(write(daemon), 'acme.yaml');
    writeFileSync(file, own);
    return findWeb(file)?.publicUrl;
  };
  expect(findFor(`${pages}${login}`)).toBe('https://sync.example.com');
  expect(findFor('web: nonsense\n')).toBeUndefined();
  expect(findFor('{}\n', `${SAMPLE}${pages}`)).toBe('https://sync.example.com');
  expect(findWeb(writeSample(SAMPLE))).toBeNull();
});

it('is null if it is not configured', () => {
  expect(loadWeb(mkdtempSync(join(tmpdir(), 'web-')), ENV, false)).toBeNull();
  expect(loadWeb(writeSample(SAMPLE), ENV, false)).toBeNull();
});

it.each([
  ['listen: 0.0.0.0:8090', '2:3 web', '`web.public_url` is missing'],
  ['public_url: http://sync.example.com', '3:15 web.public_url', 'log-ins would be sent unencrypted'],
  ['listen: 8090', '3:11 web.listen', 'expected'],
  ['listen: 127.0.0.1:99999', '3:11 web.listen', 'expected a port up to 65535'],
  ['login: { tokens: false }', '3:10 web.login', 'there is no way to log in'],
  ['login: { proxy: {} }', '3:19 web.login.proxy', 'no proxy is trusted'],
  ['roles: [{ role: viewer }]', '3:11 web.roles[0]', 'a role needs'],
  ['roles: [{ role: admin, who: [a] }]', '3:19 web.roles[0].role', '"admin" is not accepted'],
  ['rolls: []', '3:3 web.rolls', 'is not known'],
  ['trusted_proxies: [proxy.local]', '3:21 web.trusted_proxies[0]', 'expected an address or a range'],
  [
    'public_url: https://sync.example.com\n  login: { openid: { issuer: "https://id.example.com", client_id: x, client_secret: { env: MISSING } } }',
    '4:85 web.login.openid.client_secret',
    'the environment variable MISSING is not set',
  ],
])('rejects %j', (line, place, message) => {
  const problems = readProblems(write(`web:\n  state: ./web\n  ${line}\n`), false);
  expect(problems).toMatchObject([
    { place: `daemon.yaml:${place}`, message: expect.stringContaining(message) as string },
  ]);
});

it('may listen only on this machine if nobody has to log in', () => {
  const folder = write('web:\n  state: ./web\n  listen: 0.0.0.0:8090\n  public_url: https://sync.example.com\n');
  expect(loadWeb(folder, ENV, false)).toMatchObject({ host: '0.0.0.0' });
  const message = expect.stringContaining('nobody logs in, but other machines can reach 0.0.0.0') as string;
  expect(readProblems(folder, true)).toMatchObject([{ message }]);
});

it('names the replacement for the list of a fleet', () => {
  const list = 'fleet: { daemons: 3, volume: ./v, hand_over: /hand-over, tenants: [acme] }\n';
  const problem = {
    place: 'daemon.yaml:1:8 fleet',
    message: expect.stringContaining('they share a PostgreSQL') as string,
    remedy: expect.stringMatching(/`backend:`.*docs\/guides\/many-tenants\.md/) as string,
  };
  for (const folder of [write(list), write(`${list}web: { state: ./web }\n`)]) {
    expect(readProblems(folder, false)).toMatchObject([problem]);
    expect(() => loadBackend(folder, ENV)).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining(problem)] }),
    );
  }
});
