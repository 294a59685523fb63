import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oneIn } from '../depth.js';
import { ROOT } from '../module-graph.js';
import { lookForTool, toolNames } from '../tools.js';
import { type Fence, readCommands, readFences } from './fences.js';
import { type Desk, followPage, isTyped } from './follow-page.js';

/*
 * Follows the pages like a newcomer: each in an empty folder, block by block, with the program installed as README says
 * and real processes. `npm run pages` writes the actual output into the pages.
 */

const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('decisions'))
    .map((name) => `docs/${name}`)
    .toSorted(),
  'helm/talent-sync/README.md',
];
const IS_WRITING = process.env.WRITE_PAGES === '1';
/** `npm run campaign` follows the others. README has the first hour. */
const FOLLOWED = IS_WRITING ? PAGES : [PAGES[0], ...oneIn(2, PAGES.slice(1), 2)];
/** Another test follows these pages. */
const HELD_ELSEWHERE = ['docs/engineering/extending.md'];
/** Languages whose blocks must say what they are for. */
const TO_BE_USED = ['yaml', 'json', 'csv', 'js', 'ts', 'python', 'sh', 'console'];
const TO_BE_SEEN = ['text', 'ini', 'promql', 'diff'];

const folder = mkdtempSync(join(tmpdir(), 'newcomer-'));
const installed = join(folder, 'npm');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A checkout like git's, made of links only, so that nothing is built twice. */
function makeCheckout(home: string): string {
  const checkout = join(home, 'talent-sync');
  mkdirSync(checkout, { recursive: true });
  for (const name of readdirSync(ROOT)) if (name !== '.git') symlinkSync(join(ROOT, name), join(checkout, name));
  return checkout;
}

function makeDesk(name: string): Desk {
  const home = join(folder, name.replaceAll('/', '-'));
  makeCheckout(home);
  const tools = toolNames.flatMap((tool) => lookForTool(tool) ?? []).map((file) => dirname(file));
  const path = [join(installed, 'bin'), dirname(process.execPath), process.env.PATH, ...tools].join(delimiter);
  return {
    home,
    env: {
      PATH: path,
      HOME: home,
      TMPDIR: folder,
      TZ: 'UTC',
      LANG: 'C.UTF-8',
      NO_PROXY: '127.0.0.1',
      npm_config_prefix: installed,
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
    },
  };
}

beforeAll(() => {
  mkdirSync(installed);
  const { home, env } = makeDesk('install');
  const { status, stderr } = spawnSync('npm', ['link'], { cwd: join(home, 'talent-sync'), env, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
});

describe.each(PAGES)('%s', (page) => {
  test('states the purpose of each block', () => {
    const fences = readFences(readFileSync(join(ROOT, page), 'utf8'));
    expect(fences.filter((fence) => !isKnown(fence, page)).map(({ line }) => `${page}:${line}`)).toEqual([]);
  });

  if (!FOLLOWED.includes(page)) return;
  test('does what it says, and prints what it shows', async ({ task }) => {
    const { surprises, notRun, corrected } = await followPage(page, makeDesk(page));
    task.meta.notRun = notRun;
    if (IS_WRITING) writeFileSync(join(ROOT, page), corrected);
    for (const { place, command, shown, printed } of surprises) expect.soft(printed, `${place} ${command}`).toBe(shown);
  });
});

/** A page that is run touches only its reader's folder. */
function staysHome(fence: Fence): boolean {
  const named = readCommands(fence).map(({ command }) => command.replaceAll('/dev/null', ''));
  return !named.some((command) => /[\s"'=>](?:\/\w+\/|\.\.\/)/.test(command));
}

function isKnown({ language, attributes, noRun, ...fence }: Fence, page: string): boolean {
  if (HELD_ELSEWHERE.includes(page) || TO_BE_SEEN.includes(language)) return true;
  if (!TO_BE_USED.includes(language)) return false;
  const isUsed = ['file', 'into', 'part-of'].some((name) => attributes[name] !== undefined);
  const whole = { ...fence, language, attributes, noRun };
  return isUsed || noRun !== null || (isTyped(whole) && staysHome(whole));
}
