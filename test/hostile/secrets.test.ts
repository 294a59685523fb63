import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { IS_THOROUGH } from '../depth.js';
import { HEADER, KEY, line, person, type Yaml } from '../scenarios/company.js';
import { openStory, type Story } from '../scenarios/kit.js';
import { buildPlanted, buildTunnelled, createGarden, type Garden } from './planted.js';
import { openEcho, openLockedSftp, openQuotingGate } from './quoting-servers.js';
import { listFilledPlaces, listSecretPlaces } from './secret-places.js';
import { listUnseen, type Visited, visitOne, visitPages } from './visit-pages.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

interface Said {
  readonly command: string;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(folder: string, garden: Garden, words: readonly string[]) {
  const env = { PATH: process.env.PATH, HOME: folder, LOG_LEVEL: 'debug', NO_COLOR: '1', ...garden.env };
  const child = spawn(
    process.execPath,
    [MAIN, ...words, ...(words.includes('--config') ? [] : ['--config', 'talent-sync.yaml'])],
    {
      env,
      cwd: folder,
    },
  );
  const said = { command: words.join(' '), code: null as number | null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  const ended = once(child, 'close').then(([code]) => {
    said.code = code as number | null;
    return said;
  });
  return { child, said, ended };
}

/** Every file of the folder, except those with planted secrets. */
function* listFiles(folder: string): Iterable<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!statSync(path).isDirectory()) yield path;
    else if (name !== 'secrets' && name !== 'drop') yield* listFiles(path);
  }
}

function findLeaks(garden: Garden, outputs: readonly (readonly [string, string])[]): readonly string[] {
  return outputs.flatMap(([name, text]) =>
    garden.planted.flatMap(({ where, needles }) =>
      needles.flatMap((needle) => {
        const at = text.indexOf(needle);
        return at === -1 ? [] : [`${where} in ${name}: …${text.slice(Math.max(0, at - 60), at + 40)}…`];
      }),
    ),
  );
}

test('reveals no secret during a day of commands among servers that quote every secret', {
  timeout: 180_000,
}, async () => {
  const story = await openStory();
  const { folder } = story;
  const garden = createGarden(folder);
  const received: string[] = [];
  const echo = await openEcho(
    () => garden.token('a token that was issued'),
    (quoted) => received.push(quoted),
  );
  const gate = await openQuotingGate(story.sandbox.url, KEY);
  const base = parse(readFileSync(story.configFile, 'utf8')) as { readonly [key: string]: Yaml };
  const servers = { echo, service: gate.url, sftp: await openLockedSftp() };
  const config = buildPlanted(base, garden, servers, 'answering');
  const { service } = config as { readonly service: { readonly api_key: { readonly env: string } } };
  // This is the same service: a process knows the secrets of its own configuration.
  const silent = { ...(buildPlanted({ ...base, state: './silent' }, garden, servers, 'silent') as object), service };
  const tunnelled = buildTunnelled(base, service, garden, servers);
  garden.env.TALENT_SYNC_METRICS_TOKEN = garden.token('the token of the metrics');

  // The test would not look for a secret that the schema knows and nobody has planted.
  const filled = [config, silent, tunnelled].flatMap(listFilledPlaces);
  expect(listSecretPlaces().filter((place) => !filled.includes(place))).toEqual([]);
  expect(listSecretPlaces().length).toBeGreaterThan(25);
  writeFileSync(story.configFile, stringify(config));
  writeFileSync(join(folder, 'silent.yaml'), stringify(silent));
  writeFileSync(join(folder, 'tunnelled.yaml'), stringify(tunnelled));

  const apiKey = garden.env[service.api_key.env] ?? '';
  const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const rows = [
    person('E1'),
    person('E2', { title: cell(apiKey) }),
    person('E3', { email: cell(`${apiKey}@nowhere`) }),
  ];
  // The last row has too few cells.
  story.deliverText([HEADER, ...rows.map(line), line(person('E4')), `E5;Person;${cell(apiKey)}`, ''].join('\n'));
  const said: Said[] = [];
  const run = async (...words: string[]): Promise<Said> => {
    const end = await start(folder, garden, words).ended;
    said.push(end);
    return end;
  };
  // These commands print and log here as in their own process, but do not wait before they repeat a call.
  Object.assign(story.env, garden.env, { LOG_LEVEL: 'debug' });
  const look = async (...words: string[]): Promise<void> => {
    said.push({ command: words.join(' '), ...(await story.type(...words)) });
  };
  // A quick day has its own processes only for a plan, a run and a daemon, which read every secret.
  const also = IS_THOROUGH ? run : look;
  const more = IS_THOROUGH ? run : async (): Promise<void> => undefined;

  // Writes of one person succeed, to provide something to write back and to undo; others are rejected.
  gate.refuse = (method, path, body) =>
    method === 'GET' || path.startsWith('/api/v4/') || /e1@/i.test(body) ? null : path.includes('users') ? 422 : 403;
  const reports = (name: string): readonly string[] =>
    ['html', 'md', 'csv'].flatMap((end) => ['--report', `${name}.${end}`]);
  await Promise.all([
    run('plan', ...reports('plan')),
    also('plan', '--config', join(folder, 'silent.yaml')),
    also('plan', '--config', join(folder, 'tunnelled.yaml')),
  ]);
  const first = await run('sync', '--json', ...reports('run'));
  await more('sync');
  gate.refuse = () => 401;
  await more('sync', '--json');
  await also('check', '--json');
  gate.refuse = () => null;
  const { run: id } = JSON.parse(first.stdout) as { readonly run: string };
  await more('link', 'users', 'E9', 'nowhere', '--reason', `my key is ${apiKey}`);
  await also('approve', '--guard', 'users.create', '--reason', apiKey);
  await look('holds', 'list');
  await look('holds', 'list', '--json');
  await look('status', '--json');
  await look('runs', id, '--json');
  await look('audit', 'list', '--json');
  await look('audit', 'export');
  await look('export', 'report', 'run', '--format', 'md', '--out', '-');
  await also('explain', 'user', 'E1');
  await also('undo', id, '--reason', apiKey);
  await more('export', 'delivery', 'by_password', '--json');
  await also('notify', 'test', '--json');
  await more('notify', 'test');
  await look('notify', 'list', '--json');
  await more('plan', '--only', `user:${apiKey}`, apiKey);

  const daemon = start(folder, garden, ['daemon', '--port', '0']);
  const pages: (readonly [string, string])[] = [];
  const url = await waitForUrl(() => daemon.said.stderr);
  for (const path of [
    '/metrics',
    '/readyz',
    '/livez',
    `/${apiKey}`,
    `/scim/v2/push/Users/${apiKey}`,
    '/scim/v2/push/Users',
  ]) {
    const token = path === '/metrics' ? garden.env.TALENT_SYNC_METRICS_TOKEN : garden.env[pushOf(config)];
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    pages.push([path.replace(apiKey, 'KEY'), `${JSON.stringify([...response.headers])}\n${await response.text()}`]);
  }
  const operatorPages = /"pages":"(http:[^"]+)"/.exec(daemon.said.stderr)?.[1] ?? '';
  pages.push(...(await logInThere(operatorPages)));
  const { visited, token } = await lookAround(story, { url: operatorPages, apiKey });
  expect(listUnseen(visited)).toEqual([]);
  pages.push(...visited.map(({ path, sent }) => [path.replaceAll(encodeURIComponent(apiKey), 'KEY'), sent] as const));
  // Only its new owner saw it; from now on it is a secret like any other.
  garden.planted.push({ where: 'a personal token', needles: [token] });
  daemon.child.kill('SIGTERM');
  said.push(await daemon.ended);

  // The secrets were in transit, and the servers did quote them.
  for (const { where, needles } of garden.planted.filter(({ where }) =>
    /bearer|basic|header|proxy|oauth2|openid|notify (hook|slack|teams|watch)/.test(where),
  ))
    expect(
      received.some((quoted) => needles.some((needle) => quoted.includes(needle))),
      where,
    ).toBe(true);
  const codes = Object.fromEntries(said.map(({ command, code }) => [command.split(' --')[0], code]));
  expect(codes).toMatchObject({ status: 0, 'holds list': 0, 'audit list': 0, 'explain user E1': 0, daemon: 0 });

  const outputs: (readonly [string, string])[] = [
    ...said.flatMap(({ command, stdout, stderr }) => [
      [`stdout of ${command}`, stdout] as const,
      [`stderr of ${command}`, stderr] as const,
    ]),
    ...pages,
    ...[...listFiles(folder)].map((file) => [file.slice(folder.length), readFileSync(file, 'latin1')] as const),
  ];
  expect(outputs.map(([name]) => name)).toEqual(
    expect.arrayContaining(['/var/state.db', '/var/mirror.db', '/plan.html']),
  );
  expect(findLeaks(garden, outputs)).toEqual([]);

  // A record with a secret is held with its place. Neither the secret nor its replacement text reaches the service.
  const held = JSON.parse(said.find(({ command }) => command === 'holds list --json')?.stdout ?? '') as {
    readonly holds: readonly { readonly key: string; readonly code: string; readonly place: string }[];
  };
  expect(held.holds).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ key: 'E2', code: 'SYNC_ROW_SECRET', place: expect.stringContaining(':3') as string }),
    ]),
  );
  const account = JSON.stringify(story.sandbox.state());
  expect(account).toContain('E1');
  expect(account).not.toContain('[secret]');
  expect(account).not.toContain(apiKey.slice(0, 24));
});

function pushOf(config: Yaml): string {
  const { sources } = config as {
    readonly sources: { readonly push: { readonly tokens: readonly { readonly env: string }[] } };
  };
  return sources.push.tokens[0]?.env ?? '';
}

const STORED = ['stored/users/E1', 'people?entity=users&words=e'];

/** Every page and answer of the operator pages, for a person with all permissions. */
async function lookAround({ type }: Story, { url, apiKey }: { url: string; apiKey: string }) {
  const added = await type('operator', 'add', 'jane@example.com', '--role', 'operator', '--json');
  const { token } = JSON.parse(added.stdout) as { readonly token: string };
  const key = encodeURIComponent(apiKey);
  const visited = await visitPages({
    url,
    tenant: 'talent-sync',
    headers: { authorization: `Bearer ${token}` },
    more: [
      ...[`people?q=${key}`, `people/explain?kind=user&q=E2`, `audit?who=${key}`, `runs/${key}`, `waiting/${key}`].map(
        (path) => `/tenants/talent-sync/${path}`,
      ),
      ...[
        'explain/user/E1',
        'explain/user/E2',
        `explain/user/${key}`,
        `holds/${key}`,
        ...STORED,
        `stored/users/${key}`,
        'people/users/E1',
        `people/users/${key}`,
      ].map((path) => `/api/tenants/talent-sync/${path}`),
      ...[1, 2, 3, 4, 5].map((entry) => `/api/tenants/talent-sync/audit/entries/${entry}`),
    ],
  });
  const erasing = await type('operator', 'add', 'kim@example.com', '--role', 'privacy', '--json');
  const { token: privacy } = JSON.parse(erasing.stdout) as { readonly token: string };
  const headers = { authorization: `Bearer ${privacy}`, accept: 'text/html' };
  const erasures = [
    await visitOne(url, '/tenants/talent-sync/people/user/E1/erase', headers),
    await visitOne(url, '/api/tenants/talent-sync/people/users/E1/erase', headers),
  ];
  return { visited: [...visited, await visitWork(url, token), ...erasures], token };
}

/** The result of a started command, once it has ended. */
async function visitWork(url: string, token: string): Promise<Visited> {
  const path = '/api/tenants/talent-sync/now';
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const asked = await fetch(`${url}${path}/plan`, { method: 'POST', headers, body: '{"text":{}}' });
  const { id } = (await asked.json()) as { readonly id: string };
  for (;;) {
    const one = await visitOne(url, `${path}/${id}`, headers);
    if (one.status !== 200 || one.sent.includes('"state":"ended"')) return one;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Goes to the identity provider and back, which then rejects the client with its secret in the answer. */
async function logInThere(url: string): Promise<readonly [string, string][]> {
  const there = await fetch(`${url}/login/openid`, { redirect: 'manual' });
  const state = new URL(there.headers.get('location') ?? '').searchParams.get('state') ?? '';
  const cookie = there.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const back = await fetch(`${url}/login/openid/done?code=c&state=${state}`, {
    headers: { cookie, accept: 'text/html' },
  });
  expect(back.status).toBe(502);
  return [['/login/openid/done', `${JSON.stringify([...back.headers])}\n${await back.text()}`]];
}

async function waitForUrl(log: () => string): Promise<string> {
  for (let tries = 0; tries < 200; tries += 1) {
    const found = /"url":"(http:[^"]+)"/.exec(log())?.[1];
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the daemon does not listen: ${log()}`);
}
