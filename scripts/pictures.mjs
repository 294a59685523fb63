// Regenerates docs/pictures from the running program, with a made-up company, a fixed time, a terminal of `script`
// (util-linux) and Chromium. Look at each picture before you commit it. scripts/pictures/list.json names the pages that
// show the pictures.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { drawTerminal, readTerminal } from './pictures/draw-terminal.mjs';

const MAIN = resolve('dist/main.js');
const PICTURES = JSON.parse(readFileSync('scripts/pictures/list.json', 'utf8'));
const PLACES = JSON.parse(readFileSync('test/tools.json', 'utf8')).chromium;
const CHROMIUM =
  process.env[PLACES.variable] ?? PLACES.places.find((file) => statSync(file, { throwIfNoEntry: false }));
const COLUMNS = 100;
const THEMES = { dark: 0, light: 1 };
const MOST_BYTES = 150_000;
/** The person with an invalid address in the second delivery. */
const HELD = 'E-1002';

const folder = mkdtempSync(join(tmpdir(), 'pictures-'));
const company = join(folder, 'company');
const world = `--import ${pathToFileURL(resolve('scripts/pictures/fixed-world.mjs')).href}`;
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  TZ: 'UTC',
  LANG: 'C.UTF-8',
  TERM: 'xterm-256color',
  NODE_OPTIONS: world,
};

function run(program, args, cwd = company) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' });
  // 3 and 4 mean that something is pending, which the pictures show.
  if (![0, 3, 4].includes(status))
    throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}${stdout}`);
  return stdout;
}

const talentSync = (...args) => run(process.execPath, [MAIN, ...args]);

async function startService() {
  const args = [MAIN, 'sandbox', '--fixture', 'account.json', '--clock', '2026-11-20T07:45:00Z'];
  const child = spawn(process.execPath, args, { cwd: company, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(child.stdout, 'data');
  return { url: JSON.parse(String(line).split('\n')[0]).url, end: () => child.kill() };
}

/** HR's next delivery: people who leave together, one who moves, one who joins, and one invalid address. */
function deliverNextWeek() {
  const file = join(company, 'drop/hr/employees-1.csv');
  const text = readFileSync(file, 'utf8');
  const next = text
    .replace(/;active;(SE;(?:Göteborg|Malmö);)/g, ';terminated;$1')
    .replace('Trondheim;Project Manager;Prosjektleder', 'Bergen;Senior Project Manager;Seniorprosjektleder')
    .replace('nils.hoglund@', 'nils.hoglund(at)');
  writeFileSync(file, next);
  const joiner =
    'E-2001;Ingrid Solberg;ingrid.solberg@example.com;active;NO;Oslo;Data Engineer;Dataingeniør;data;senior;nei;1991;';
  appendFileSync(file, `${joiner}\r\n`);
}

/** A daemon with its pages, for this machine only. Its clock stands still, so no run starts by itself. */
async function startPages() {
  const args = [MAIN, 'daemon', '--port', '0', '--insecure-loopback'];
  const child = spawn(process.execPath, args, { cwd: company, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      printed.text += text;
    });
  }
  while (!printed.text.includes('"tenant ready"')) {
    if (child.exitCode !== null) throw new Error(`the daemon ended with ${child.exitCode}: ${printed.text}`);
    await setTimeout(50);
  }
  return { url: /"pages":"([^"]+)"/.exec(printed.text)[1], end: () => child.kill() };
}

/** Acts like a user of the page: selects this many changes, enters a reason, and approves. */
async function approveOnPage(page, count, reason) {
  const answer = await fetch(page);
  const text = await answer.text();
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const changes = [...text.matchAll(/name="change" value="([^"]+)"/g)].slice(0, count).map(([, id]) => ['change', id]);
  const fields = [['_csrf', /name="_csrf" value="([^"]+)"/.exec(text)[1]], ['reason', reason], ...changes];
  const action = new URL(/action="([^"]+\/approve)"/.exec(text)[1], page);
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  const { status } = await fetch(action, {
    method: 'POST',
    headers,
    redirect: 'manual',
    body: new URLSearchParams(fields),
  });
  if (status !== 303) throw new Error(`the approval was answered with ${status}`);
}

function drawPlan(name) {
  const text = run('script', ['-qec', `stty cols ${COLUMNS} && ${process.execPath} ${MAIN} plan`, '/dev/null']);
  const shown = text.replaceAll(folder, '/home/you').replaceAll('\u001b[?25h', '').trimEnd();
  const lines = readTerminal(`\u001b[2m$\u001b[22m talent-sync plan\n${shown}`);
  for (const theme of Object.keys(THEMES)) {
    writeFileSync(`docs/pictures/${name}-${theme}.svg`, drawTerminal(lines, COLUMNS, theme));
  }
}

function photograph({ name, size }, url) {
  for (const [theme, scheme] of Object.entries(THEMES)) {
    const made = join(folder, `${name}.png`);
    const flags = '--headless --no-sandbox --disable-gpu --hide-scrollbars --timeout=60000'.split(' ');
    const look = [`--window-size=${size.join(',')}`, `--blink-settings=preferredColorScheme=${scheme}`];
    // Chromium uses the real time.
    const browser = { ...env, NODE_OPTIONS: '' };
    const args = [...flags, ...look, `--user-data-dir=${folder}/chromium`, `--screenshot=${made}`, url];
    const { status, stderr } = spawnSync(CHROMIUM, args, { env: browser, encoding: 'utf8' });
    if (status !== 0) throw new Error(`Chromium ended with ${status}: ${stderr}`);
    if (statSync(made).size > MOST_BYTES) throw new Error(`${name}-${theme}.png has ${statSync(made).size} bytes`);
    writeFileSync(`docs/pictures/${name}-${theme}.png`, readFileSync(made));
  }
}

if (CHROMIUM === undefined)
  throw new Error('Chromium is missing. Run apt-get install chromium, or set CHROMIUM= to its path.');
try {
  run(
    process.execPath,
    [MAIN, 'sandbox', 'seed', '--users', '40', '--customers', '8', '--projects', '16', '--dir', company],
    folder,
  );
  const service = await startService();
  const config = join(company, 'talent-sync.yaml');
  writeFileSync(config, readFileSync(config, 'utf8').replace('http://127.0.0.1:8080', service.url));
  // Uses another time than the second run, because rows are compared with the rows read before that time.
  env.PICTURE_MOMENT = '2026-11-20T07:50:00Z';
  talentSync('sync');
  delete env.PICTURE_MOMENT;
  const person = (await (await fetch(`${service.url}/users`)).text()).match(/\/users\/[0-9a-f]{24}/)?.[0];
  deliverNextWeek();
  drawPlan('plan');
  talentSync('plan', '--report', 'plan.html');
  const addresses = {
    report: pathToFileURL(join(company, 'plan.html')).href,
    account: `${service.url}/`,
    person: `${service.url}${person}`,
  };
  const take = (names) => {
    for (const picture of PICTURES.filter(({ name }) => name in names)) photograph(picture, names[picture.name]);
  };
  take(addresses);
  talentSync('sync');
  appendFileSync(config, 'schedule: { every: "0 6 1 1 *" }\nweb: { listen: "127.0.0.1:0", state: ./var/web }\n');
  const pages = await startPages();
  const tenant = `${pages.url}/tenants/talent-sync`;
  take({
    approve: `${tenant}/runs/newest`,
    explain: `${tenant}/people/explain?kind=user&q=${HELD}`,
    inbox: `${pages.url}/inbox`,
  });
  await approveOnPage(`${tenant}/runs/newest`, 3, 'Göteborg closes, HR ticket 4711');
  await approveOnPage(`${tenant}/runs/newest`, 2, 'Malmö too, ticket 4712');
  take({ audit: `${tenant}/audit?by=local` });
  pages.end();
  service.end();
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
