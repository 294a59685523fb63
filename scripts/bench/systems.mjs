// The systems that `bench-reads` reads people from: an identity provider, a CRM and an OpenSSH server, all on loopback.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { buildPerson, toScimUser } from './company.mjs';

const SSHD = '/usr/sbin/sshd';
/** Times of the last change, for unchanged people and for changed people. */
const BEFORE = '2026-01-01T00:00:00Z';
const AFTER = '2026-02-01T00:00:00Z';
const OFFICES = 40;

async function serve(answer) {
  const server = createServer((request, response) => {
    const body = answer(new URL(request.url, 'http://localhost'));
    response.writeHead(body === null ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? {}));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** Users and groups over SCIM 2.0, paged by index. `change(100)` gives one user in a hundred a new number and change time. */
export async function startProvider(people) {
  let changedEvery = 0;
  const isChanged = (index) => changedEvery > 0 && index % changedEvery === 0;
  const page = (indexes, url, show) => {
    const [start, count] = ['startIndex', 'count'].map((name) => Number(url.searchParams.get(name)));
    const shown = indexes.slice(start - 1, start - 1 + count);
    return { totalResults: indexes.length, startIndex: start, itemsPerPage: shown.length, Resources: shown.map(show) };
  };
  const showUser = (index) => {
    const row = buildPerson(index, isChanged(index) ? 1 : 0);
    return {
      id: `u-${index}`,
      ...toScimUser(row),
      meta: { resourceType: 'User', lastModified: isChanged(index) ? AFTER : BEFORE },
    };
  };
  const showGroup = (office) => ({
    id: `g-${office}`,
    displayName: `Office ${office}`,
    members: Array.from({ length: Math.ceil((people - office) / OFFICES) }, (_, at) => ({
      value: `u-${office + at * OFFICES}`,
      type: 'User',
    })),
  });
  const everybody = Array.from({ length: people }, (_, index) => index);
  const server = await serve((url) => {
    if (url.pathname === '/Groups') return page(everybody.slice(0, OFFICES), url, showGroup);
    if (url.pathname !== '/Users') return null;
    const since = /meta\.lastModified ge "([^"]+)"/.exec(url.searchParams.get('filter') ?? '')?.[1];
    const wanted = since === AFTER || (since === BEFORE && changedEvery > 0);
    return page(wanted ? everybody.filter((index) => index === 0 || isChanged(index)) : everybody, url, showUser);
  });
  return {
    ...server,
    change: (every) => {
      changedEvery = every;
    },
  };
}

/** Rows in the form of a CRM's feed, a thousand per page, with opaque tokens. */
export function startFeed(people) {
  const size = 1_000;
  return serve((url) => {
    const start = Number(url.searchParams.get('after') ?? 0);
    const count = Math.min(size, people - start);
    const results = Array.from({ length: count }, (_, at) => buildPerson(start + at, 0));
    return { total: people, next: start + size < people ? String(start + size) : null, results };
  });
}

/** OpenSSH on loopback as the current user; null if it is not installed. */
export async function startOpenSsh(folder) {
  if (!existsSync(SSHD)) return null;
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const [hostKey, userKey] = ['host.key', 'user.key'].map((name) => join(folder, name));
  for (const file of [hostKey, userKey]) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'bench', '-f', file]);
  }
  writeFileSync(join(folder, 'authorized_keys'), readFileSync(`${userKey}.pub`), { mode: 0o600 });
  const free = await serve(() => null);
  const { port } = new URL(free.url);
  await free.close();
  const config = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${hostKey}`,
    `AuthorizedKeysFile ${join(folder, 'authorized_keys')}`,
    `PidFile ${join(folder, 'sshd.pid')}`,
    'UsePAM no',
    'StrictModes no',
    'PermitRootLogin yes',
    'PasswordAuthentication no',
    'Subsystem sftp internal-sftp',
    'ForceCommand internal-sftp',
  ];
  writeFileSync(join(folder, 'sshd_config'), `${config.join('\n')}\n`);
  const server = spawn(SSHD, ['-D', '-e', '-f', join(folder, 'sshd_config')], { stdio: ['ignore', 'ignore', 'pipe'] });
  await new Promise((resolve, reject) => {
    server.stderr.on('data', (chunk) => String(chunk).includes('Server listening') && resolve());
    server.once('close', (code) => reject(new Error(`sshd ended with ${code}`)));
  });
  const fingerprint = execFileSync('ssh-keygen', ['-lf', `${hostKey}.pub`], { encoding: 'utf8' }).split(' ')[1];
  const { username } = userInfo();
  const access = `{ username: ${username}, private_key: { file: ${userKey} }, host_key: "${fingerprint}" }`;
  return { port, access, close: () => server.kill() };
}
