// Run this by hand after `npm run build`: node scripts/bench-sandbox.mjs [users] [seconds] [only lines with this text]
// Starts the sandbox on a separate core (if taskset is available), loads it, and measures start, memory, reads and writes.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';

const users = Number(process.argv[2] ?? 20_000);
const seconds = Number(process.argv[3] ?? 5);
const only = process.argv[4] ?? '';
const main = new URL('../dist/main.js', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'bench-sandbox-'));

function startSandbox(flags) {
  const hasTaskset = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;
  const command = [process.execPath, main, 'sandbox', ...flags];
  const [file, ...args] = hasTaskset ? ['taskset', '-c', '0', ...command] : command;
  return spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function readFirstLine(child) {
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line);
  throw new Error('the sandbox did not start');
}

function readMemory(pid) {
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return `${Math.round(Number(stdout) / 1024)} MB`;
}

/** Seconds of processor time so far. On a shared machine, the rate per processor second is more reliable than the clock. */
function readCpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function measure(pool, pid, name, build) {
  if (!name.includes(only)) return;
  let done = 0;
  let failed = 0;
  const until = performance.now() + seconds * 1000;
  async function work() {
    while (performance.now() < until) {
      const { body, ...request } = build();
      const reply = await pool.request({
        ...request,
        headers: { authorization: 'Bearer company-key', ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      if (reply.statusCode >= 300) failed += 1;
      await reply.body.dump();
      done += 1;
    }
  }
  const started = performance.now();
  const cpu = readCpuSeconds(pid);
  await Promise.all(Array.from({ length: 16 }, work));
  const rate = Math.round(done / ((performance.now() - started) / 1000));
  const perCore = Math.round(done / (readCpuSeconds(pid) - cpu));
  const notes = failed > 0 ? `  (${failed} failed)` : '';
  process.stdout.write(
    `${name.padEnd(34)} ${String(rate).padStart(6)} /s ${String(perCore).padStart(6)} per processor second${notes}\n`,
  );
}

const pick = (list) => list[Math.floor(Math.random() * list.length)];

async function run(name, flags) {
  const started = performance.now();
  const child = startSandbox(flags);
  const { url, pid } = await readFirstLine(child);
  process.stdout.write(
    `\n${name}, ${users} users: started in ${((performance.now() - started) / 1000).toFixed(1)} s, ${readMemory(pid)}\n`,
  );
  const pool = new Pool(url, { connections: 16, pipelining: 1 });
  const get = async (path) => {
    const { body } = await pool.request({ method: 'GET', path, headers: { authorization: 'Bearer company-key' } });
    return body.json();
  };
  const people = [];
  for (let from = 0; from < Math.min(users, 5000); from += 500) {
    people.push(...(await get(`/api/v2/users/search?size=500&from=${from}`)));
  }
  const cvOf = ({ id, default_cv_id }) => `/api/v3/cvs/${id}/${default_cv_id}`;
  await measure(pool, pid, 'GET users/<id>', () => ({ method: 'GET', path: `/api/v1/users/${pick(people).id}` }));
  await measure(pool, pid, 'GET users/find', () => ({
    method: 'GET',
    path: `/api/v1/users/find?external_unique_id=${pick(people).external_unique_id}`,
  }));
  await measure(pool, pid, 'GET cvs/<id>', () => ({ method: 'GET', path: cvOf(pick(people)) }));
  await measure(pool, pid, 'GET countries', () => ({ method: 'GET', path: '/api/v1/countries' }));
  await measure(pool, pid, 'GET users/search, 100 of them', () => ({
    method: 'GET',
    path: `/api/v2/users/search?size=100&from=${Math.floor(Math.random() * users)}`,
  }));
  const searches = {
    'a complete name': ({ name }) => name,
    'a mistyped name': ({ name }) => `${name.slice(0, 2)}${name.slice(3, 4)}${name.slice(2, 3)}${name.slice(4)}`,
    'part of a name': ({ name }) => name.slice(0, 6),
    'an e-mail': ({ email }) => email,
    'an external id': ({ external_unique_id: id }) => id,
    nobody: () => 'zyxwvut',
  };
  for (const [what, text] of Object.entries(searches)) {
    await measure(pool, pid, `GET users/search?name= ${what}`, () => ({
      method: 'GET',
      path: `/api/v2/users/search?name=${encodeURIComponent(text(pick(people)))}`,
    }));
  }
  await measure(pool, pid, 'POST v4/search by name', () => ({
    method: 'POST',
    path: '/api/v4/search',
    body: { size: 20, must: [{ bool: { should: [{ query: { field: 'name', value: pick(people).name } }] } }] },
  }));
  await measure(pool, pid, 'PUT users/<id>', () => ({
    method: 'PUT',
    path: `/api/v1/users/${pick(people).id}`,
    body: { user: { telephone: String(Math.random()) } },
  }));
  await measure(pool, pid, 'POST a section', () => ({
    method: 'POST',
    path: `${cvOf(pick(people))}/courses`,
    body: { course: { name: { int: 'A course' } } },
  }));
  let next = 0;
  const { country_id, office_id } = people[0];
  await measure(pool, pid, 'POST users', () => {
    next += 1;
    return {
      method: 'POST',
      path: '/api/v1/users',
      body: { user: { country_id, office_id, email: `new.${next}@example.com`, name: `New ${next}` } },
    };
  });
  process.stdout.write(`afterwards ${readMemory(pid)}\n`);
  await pool.close();
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
}

try {
  const fixture = join(folder, 'fixture.json');
  const company = ['--users', String(users), '--customers', '0', '--cvs', 'none', '--countries', 'no,se,dk,de,gr,in'];
  execFileSync(process.execPath, [main, 'sandbox', 'seed', ...company, '--out', fixture], { stdio: 'ignore' });
  await run('in memory', ['--fixture', fixture]);
  const state = join(folder, 'state.db');
  await run('with --state, first start', ['--fixture', fixture, '--state', state]);
  process.stdout.write(`state file ${Math.round(statSync(state).size / 1024 / 1024)} MB\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
