import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { systemClock } from '../../src/base/clock.js';
import { asSyncError } from '../../src/base/errors.js';
import type { Config } from '../../src/config/config.js';
import { loadConfig } from '../../src/config/load.js';
import type { Preview } from '../../src/model/preview.js';
import { PREVIEW } from '../../src/operations/preview/preview.js';
import { previewApart } from '../../src/operations/preview/preview-apart.js';
import { type PreviewOrder, previewHere } from '../../src/operations/preview/preview-here.js';
import { closeAfterTest } from '../closing.js';
import { IS_THOROUGH, sweep } from '../depth.js';
import { ROOT } from '../module-graph.js';
import { merge, person, type Yaml } from '../scenarios/company.js';
import { openStory, type Story } from '../scenarios/kit.js';

/*
 * Anyone who may open a pull request writes the configuration that is previewed. The attacker's address counts its
 * calls, and
 * a file records each path that the process of the preview opens.
 */

let story: Story;
let attacker: ReturnType<typeof createServer>;
let calls = 0;
/** Files that the configuration in force does not name. */
let secrets: string;

beforeEach(async () => {
  calls = 0;
  attacker = createServer((_request, response) => {
    calls += 1;
    response.end('{}');
  });
  await new Promise<void>((listening) => void attacker.listen(0, '127.0.0.1', listening));
  story = await openStory();
  story.deliver(['E1', 'E2', 'E3'].map((key) => person(key, { title: 'a'.repeat(40) })));
  await story.sync();
  secrets = join(story.folder, 'secrets');
  mkdirSync(secrets);
  writeFileSync(join(secrets, 'employees-1.csv'), 'id;first\nX1;root:x:0:0\n');
  copyFileSync(join(ROOT, 'test/hostile/watch-files.cjs'), watcher());
  closeAfterTest({ close: () => void attacker.close() });
});

const watcher = (): string => join(story.folder, 'watch-files.cjs');
const evil = (): string => `http://127.0.0.1:${(attacker.address() as AddressInfo).port}`;

function written(): string {
  return readFileSync(story.configFile, 'utf8');
}

function patched(patch: { readonly [key: string]: Yaml }): string {
  return stringify(merge(parse(written()) as Yaml, patch));
}

const inHr = (part: { readonly [key: string]: Yaml }): string => patched({ sources: { hr: part } });
const inUsers = (part: { readonly [key: string]: Yaml }): string => patched({ users: part });

/** The edited configuration, and the expected message; null if it is previewed like any other. */
const ROWS: readonly (readonly [name: string, text: () => string, said: RegExp | null])[] = [
  ['another service', () => patched({ service: { base_url: evil() } }), /SYNC_PREVIEW_REFUSED service\.base_url/],
  [
    'a secret in a file',
    () => patched({ service: { api_key: { env: null, file: '/etc/passwd' } } }),
    /REFUSED service/,
  ],
  ['another secret', () => patched({ service: { api_key: { env: 'HOME' } } }), /REFUSED service\.api_key\.env/],
  ['an authority', () => patched({ service: { tls: { ca: '/etc/passwd' } } }), /REFUSED service\.tls/],
  ['a proxy', () => patched({ service: { proxy: { url: evil() } } }), /REFUSED service\.proxy/],
  ['another folder', () => inHr({ drop: secrets }), /REFUSED sources\.hr\.drop/],
  ['a path out of the folder', () => inHr({ drop: './drop/hr/../../secrets' }), /REFUSED sources\.hr\.drop/],
  ['an address as folder', () => inHr({ drop: 'file:///etc' }), /REFUSED sources\.hr\.drop/],
  ['another pattern', () => inHr({ pattern: '../../secrets/*.csv' }), /REFUSED sources\.hr\.pattern/],
  ['links that are followed', () => inHr({ follow_links: true }), /REFUSED sources\.hr\.follow_links/],
  ['values into the files', () => inHr({ write_back: { file: 'out.csv' } }), /REFUSED sources\.hr\.write_back/],
  ['a hook', () => inHr({ hook: { secret: { file: '/etc/passwd' } } }), /REFUSED sources\.hr\.hook/],
  [
    'a further source',
    () => patched({ sources: { evil: { type: 'crm', base_url: evil(), streams: {} } } }),
    /REFUSED sources\.evil\.base_url/,
  ],
  ['messages', () => patched({ notify: { channels: { x: { type: 'webhook', url: evil() } } } }), /REFUSED notify/],
  ['operator pages', () => patched({ web: { state: secrets, listen: '0.0.0.0:80' } }), /REFUSED web/],
  ['deliveries', () => patched({ deliveries: [{ name: 'x', drop: secrets }] }), /REFUSED deliveries/],
  ['another state', () => patched({ state: secrets }), /REFUSED state/],
  ['no second person', () => patched({ approvals: { four_eyes: false } }), /REFUSED approvals/],
  ['an import of people', () => inUsers({ bulk_load: { missing: 'remove' } }), /REFUSED users\.bulk_load/],
  [
    'a bomb of anchors',
    () =>
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]\n`,
    /SYNC_CONFIG_INVALID/,
  ],
  ['brackets without end', () => `users: ${'['.repeat(50_000)}`, /SYNC_CONFIG_INVALID/],
  [
    'a merge key',
    () => `x: &x { base_url: "${evil()}" }\n${written().replace('service:', 'service:\n  <<: *x')}`,
    /REFUSED/,
  ],
  [
    'a merge key of YAML 1.1',
    () => `%YAML 1.1\n---\nx: &x { timeout: 9s }\n${written().replace('service:', 'service:\n  <<: *x')}`,
    /REFUSED|SYNC_CONFIG_INVALID/,
  ],
  ['a set of YAML 1.1', () => `%YAML 1.1\n---\n${written()}maps: !!set { a }\n`, /SYNC_CONFIG_INVALID/],
  ['a prototype', () => `${written()}__proto__: { service: { base_url: "${evil()}" } }\n`, /SYNC_CONFIG_INVALID/],
  ['a constructor', () => `${written()}constructor: { prototype: { state: "/etc" } }\n`, /REFUSED constructor/],
  ['an included file', () => `${written()}maps: !include /etc/passwd\n`, /SYNC_CONFIG_INVALID/],
  ['a function', () => `${written()}maps: !!js/function "process.exit()"\n`, /SYNC_CONFIG_INVALID/],
  ['two documents', () => `${written()}---\nservice: { base_url: "${evil()}" }\n`, /SYNC_CONFIG_INVALID/],
  ['a key twice', () => `${written()}service: { base_url: "${evil()}" }\n`, /SYNC_CONFIG_INVALID/],
  ['a secret as a value', () => inUsers({ fields: { title: { en: { file: '/etc/passwd' } } } }), /SYNC_CONFIG_INVALID/],
  ['a variable as a value', () => inUsers({ fields: { title: { en: 'TALENT_API_KEY' } } }), /SYNC_CONFIG_INVALID/],
  ['a file in an expression', () => inUsers({ scope: 'file("/etc/passwd") == ""' }), /SYNC_CONFIG_INVALID/],
  ['a huge expression', () => inUsers({ scope: `true${' || true'.repeat(25_000)}` }), /SYNC_CONFIG_INVALID/],
  ['a pattern that backtracks', () => inUsers({ scope: '!record.first.matches("^(a|a?)+$b")' }), null],
];

test('calls nobody, and opens no file outside the configuration in force', async () => {
  const unwatch = createRequire(watcher())(watcher()) as () => void;
  try {
    const found: (readonly [name: string, ended: string, calls: number, opened: readonly string[]])[] = [];
    for (const [name, text, said] of ROWS) {
      const edited = text();
      const { ended, opened } = await watching(() =>
        previewHere(orderOf(edited), { clock: systemClock, logger: SILENT }),
      );
      const isAsSaid = said === null ? ended === 'previewed' : said.test(ended);
      found.push([name, isAsSaid ? 'as said' : ended, calls, opened.filter((path) => !isExpected(path))]);
    }
    expect(found).toEqual(ROWS.map(([name]) => [name, 'as said', 0, []]));
  } finally {
    unwatch();
  }
});

test('has no secret in the process that derives it, and that process opens no other file either', async () => {
  const flags = process.execArgv.length;
  process.execArgv.push('--require', watcher());
  try {
    const honest = await watching(() => perform(inUsers({ scope: 'record.country == "no"' })));
    expect(honest.ended).toBe('previewed');
    expect(honest.opened.some((path) => path.startsWith(join(story.folder, 'drop/hr')))).toBe(true);
    expect(honest.opened.filter((path) => !isExpected(path))).toEqual([]);
    // The test above tries this without a process.
    if (!IS_THOROUGH) return;
    const refused = await watching(() => perform(inHr({ drop: secrets })));
    expect(refused.ended).toMatch(/REFUSED sources\.hr\.drop/);
    expect(refused.opened.filter((path) => !isExpected(path))).toEqual([]);
  } finally {
    process.execArgv.length = flags;
  }
});

sweep('ends at its limit, and leaves no copy', async () => {
  const work = previewApart(orderOf(written()), { limitMs: 50, nowMs: systemClock.now() });
  await expect(work).rejects.toMatchObject({ code: 'SYNC_PREVIEW_LIMIT' });
  mkdirSync(join(story.folder, 'var/preview/copy'), { recursive: true });
  writeFileSync(join(story.folder, 'var/preview/copy/state.db'), 'of a process that was killed');
  await perform(written());
  expect(existsSync(join(story.folder, 'var/preview/copy'))).toBe(false);
});

const SILENT = pino({ level: 'silent' });

function configOf(): Config {
  return loadConfig(story.configFile, story.env);
}

function orderOf(edited: string): PreviewOrder {
  const { file, text: inForce } = configOf();
  return { file, inForce, edited, values: true, pushed: null };
}

function perform(text: string): Promise<Preview> {
  const context = { config: configOf(), clock: systemClock, by: 'test', via: 'nobody' } as const;
  return PREVIEW.perform(context, { text, values: true });
}

async function watching(work: () => Promise<Preview>): Promise<{ ended: string; opened: readonly string[] }> {
  rmSync(join(story.folder, 'opened.log'), { force: true });
  const ended = await work().then(
    () => 'previewed',
    (thrown) => {
      const { code, problems, place } = asSyncError(thrown);
      return `${code} ${problems.map((problem) => problem.place).join(' ') || place}`;
    },
  );
  const log = join(story.folder, 'opened.log');
  const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
  const paths = lines.filter((line) => line !== '').map((line) => resolve(line.replace(/^file:\/\//, '')));
  return { ended, opened: [...new Set(paths)] };
}

/** The program itself, the state, the folder of the source in force, and the variables of an empty environment. */
function isExpected(path: string): boolean {
  const places = [ROOT, ...['var', 'drop/hr', 'watch-files.cjs', 'opened.log'].map((name) => join(story.folder, name))];
  return [...places.map((place) => resolve(place)), story.configFile, '/env/TMPDIR'].some((place) =>
    path.startsWith(place),
  );
}
