import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SyncError } from '../../src/base/errors.js';
import { buildProgram } from '../../src/cli/program.js';
import { NOBODY } from '../../src/config/access/identity.js';
import { loadConfig } from '../../src/config/load.js';
import { tenant } from '../daemon/web/operator/facts.js';
import { openPages } from '../daemon/web/operator/pages.js';
import { IS_THOROUGH } from '../depth.js';
import { CRM, HEADER, KEY, line, person } from '../scenarios/company.js';
import { openStory, type Story } from '../scenarios/kit.js';
import { openQuotingGate } from './quoting-servers.js';
import { listUnseen, type Visited, visitOne, visitPages } from './visit-pages.js';

/**
 * It colours, sets the window title, clears the screen, turns the direction, breaks the line in four ways, and hides a
 * letter.
 */
const STEER = '\u001b[31m\u001b]0;pwned\u0007\u009b2J\u202egpj.exe\u2066\u2069\u2028\u2029\u0085\u200b\u007f';
const FORGE = '\nFORGED Run r1: 0 changes\r\nFORGED';
const MARKUP = '| a | b <img src=x onerror=1> [click](https://evil.example/) `c` www.evil.example\n# FORGED @team';
const evil = (name: string): string => `${name}${STEER}${FORGE}${MARKUP}`;
/** Half a character is not UTF-8, so only JSON can carry it. */
const LONE = '\ud800';

/**
 * Characters that no output for people or programs may contain raw. Its own line breaks are the only control character.
 */
const RAW = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

/** In a page: characters that turn the direction of neighbouring text, and elements that isolate them. */
const TURN = /[\u202a-\u202e\u2066-\u2069]/;
const APART = /<(bdi|title|pre|option|textarea)\b[^>]*>[^<]*<\/\1>|<[^>]*>/g;

function cell(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

interface Output {
  readonly command: string;
  readonly stdout: string;
  readonly stderr: string;
}

const outputs: Output[] = [];
const files: Record<string, string> = {};
let visited: readonly Visited[] = [];
let story: Story;

async function type(...words: readonly string[]): Promise<Output> {
  const { stdout, stderr } = await story.type(...words);
  const output = { command: words.join(' '), stdout, stderr };
  outputs.push(output);
  return output;
}

/** Runs a command without the story's configuration, and records a wrong command line too. */
async function typeAlone(...words: readonly string[]): Promise<void> {
  const said = { stdout: '', stderr: '' };
  const into = (name: 'stdout' | 'stderr'): Writable =>
    new Writable({
      write(chunk, _encoding, done) {
        said[name] += String(chunk);
        done();
      },
    });
  const streams = { stdout: into('stdout'), stderr: into('stderr') };
  const program = buildProgram({ ...streams, env: {}, setExitCode: () => undefined, exit: () => undefined });
  await program
    .parseAsync([...words], { from: 'user' })
    .catch((error: Error) => expect(error.name).toBe('CommanderError'));
  await new Promise((resolve) => setTimeout(resolve, 50));
  outputs.push({ command: words.join(' '), ...said });
}

/** The operator pages after the day, with a configuration that contains hostile text too. */
async function visit(): Promise<readonly Visited[]> {
  const config = loadConfig(story.configFile, story.env);
  const text = `${readFileSync(story.configFile, 'utf8')}# ${evil('note').replaceAll(/[\r\n]/g, ' ')}\n`;
  const problem = new SyncError('SYNC_CONFIG_INVALID', {
    message: evil('broken'),
    place: evil('a.yaml'),
    remedy: evil('mend it'),
  });
  const broken = { ...tenant('globex'), problem, config, text };
  const order = { only: null, full: false, asOf: null, ignoreQuietHours: false, isDetailed: false, look: null };
  const asked = { id: 'w1', kind: 'run', by: NOBODY, askedMs: 0, state: 'ended', order, result: null } as const;
  const told = { text: `${evil('done')}\n`, json: {}, exitCode: 1 };
  const tenants = [{ ...tenant('acme'), config, text }, broken];
  const { url } = await openPages({ isLocal: true, tenants, work: { ...asked, told, problem } });
  const [who, search] = [evil('E2'), evil('Ann')].map(encodeURIComponent);
  const visited = await visitPages({
    url,
    tenant: 'acme',
    more: [
      '/api/tenants/acme/stored/users/E1',
      '/api/tenants/acme/people/users/E1',
      `/api/tenants/acme/people?entity=users&words=${search}`,
      `/tenants/acme/people?q=${search}`,
      `/tenants/acme/audit?who=${who}`,
      `/api/tenants/acme/explain/user/E1`,
      `/api/tenants/acme/explain/user/${who}`,
      ...[1, 2, 3, 4, 5].map((entry) => `/api/tenants/acme/audit/entries/${entry}`),
      `/api/tenants/acme/runs/${search}`,
      '/api/tenants/acme/now/w1',
      '/tenants/globex',
      '/tenants/globex/configuration',
    ],
  });
  const grant = { role: 'privacy' as const, who: ['kim@example.com'], groups: [], tenants: null, pseudonyms: false };
  const erasing = await openPages({ tenants, settings: { grants: [grant] } });
  const headers = { authorization: `Bearer ${erasing.giveToken('kim@example.com')}`, accept: 'text/html' };
  const erasures = [
    await visitOne(erasing.url, '/tenants/acme/people/user/E1/erase', headers),
    await visitOne(erasing.url, '/api/tenants/acme/people/users/E1/erase', headers),
  ];
  return [...visited, ...erasures];
}

/** A day with hostile values in everything that others write: files, CRM, service, operator. */
beforeAll(async () => {
  story = await openStory({ tag_categories: [], customers: [] });
  const gate = await openQuotingGate(story.sandbox.url, KEY);
  gate.say = () => evil(`no${LONE}`);
  story.configure({
    ...CRM,
    service: { base_url: gate.url },
    guards: { users: { create: { max: 3 } } },
    users: { scope: 'record.?title.orValue("") != "out"' },
  });
  story.deliverCompanies([
    { id: evil('C1'), name: evil(`Fjord${LONE}`) },
    { id: 'C2', name: 'Plain', url: evil('http://') },
    { id: 7 },
  ]);
  story.deliverDeals([{ id: 'D1', customer: evil('C9'), name: evil('Deal'), stage: evil('won'), owners: [evil('o')] }]);
  const name = story.deliver([
    person('E1', { first: cell(evil('Ann')), title: cell(evil('Lead')), office: cell(evil('Oslo')) }),
    person(cell(evil('E2')), { email: 'e2@example.com' }),
    person('E3', { email: cell(evil('nobody')) }),
    person('E4', { office: 'Oslo' }),
  ]);
  const drop = join(story.folder, 'drop', 'hr');
  const named = name.replace('.csv', `-${STEER.replaceAll('\u0085', '')}.csv`);
  renameSync(join(drop, name), join(drop, named));

  await type('check');
  await type('plan', '--all', '--report', join(story.folder, 'p.md'), '--report', join(story.folder, 'p.html'));
  await type('plan', '--json');
  gate.refuse = (method, path) => (method === 'GET' || path.startsWith('/api/v4/') ? null : 422);
  await type('sync', '--report', join(story.folder, 'r.md'), '--report', join(story.folder, 'r.csv'));
  gate.refuse = () => null;
  await type('approve', '--guard', 'users.create', '--reason', evil('because'));
  await type('approve', '--list');
  await type('sync');
  await type('sync', '--json');
  const list = await type('holds', 'list', '--json');
  const { holds } = JSON.parse(list.stdout) as { readonly holds: readonly { readonly id: string }[] };
  await type('holds', 'list');
  for (const { id } of holds.slice(0, IS_THOROUGH ? 4 : 2)) await type('holds', 'show', id);
  await type('holds', 'ack', holds[0]?.id ?? '', '--reason', evil('known'));
  await type('holds', 'list');
  await type('status');
  await type('status', '--json');
  await type('runs');
  const { runs } = JSON.parse((await type('runs', '--json')).stdout) as {
    readonly runs: readonly { readonly id: string }[];
  };
  for (const { id } of runs.slice(0, IS_THOROUGH ? 3 : 1)) await type('runs', id);
  await type('audit', 'list');
  await type('audit', 'list', '--json');
  for (let seq = 1; seq <= 8; seq += IS_THOROUGH ? 1 : 3) await type('audit', 'show', String(seq));
  await type('explain', 'user', 'E1');
  await type('explain', 'user', evil('E2'));
  await type('explain', 'customer', evil('C1'));
  await type('link', 'users', evil('E2'), evil('id'), '--reason', evil('why'));
  await type('unlink', 'users', 'E4', '--reason', evil('why'));
  await type('undo', runs.at(-1)?.id ?? '', '--plan');
  await type('export', 'report', 'run', '--format', 'md', '--out', '-');
  await type('export', 'report', 'plan', '--format', 'md', '--out', '-');
  const sample = join(story.folder, 'sample.csv');
  writeFileSync(
    sample,
    `${cell(evil('id'))};${cell(evil('name'))};email\nE1;${cell(evil('Ann'))};e@example.com\nE2;B;b@example.com\n`,
  );
  await type('check', '--sample', sample, '--source', 'hr');
  await typeAlone('init', '--sample', sample, '--out', join(story.folder, 'new.yaml'), '--force');
  // A header with a hostile cell, and a row that is too long.
  story.deliverText(`${HEADER};${cell(evil('extra'))}\n${line(person('E1'))};x\n`);
  await type('plan');
  story.deliverText(`${HEADER.replace('email', cell(evil('email')))}\n${line(person('E1'))}\n`);
  await type('plan');
  await type('plan', '--only', evil('user:'));
  await typeAlone(`nonsense${STEER}`);
  await typeAlone('plan', `--${STEER}`);
  visited = await visit();
  for (const file of readdirSync(story.folder))
    if (/\.(md|html|csv|yaml)$/.test(file)) files[file] = readFileSync(join(story.folder, file), 'utf8');
});

test('lets nothing raw reach stdout or stderr, and no forged line', () => {
  const told = outputs.filter(({ stdout, stderr }) => /\\u001b|\\u202e/.test(stdout + stderr));
  expect(told.length).toBeGreaterThan(25);
  for (const { command, stdout, stderr } of outputs) {
    for (const text of [stdout, stderr]) {
      expect(RAW.exec(text)?.[0] ?? null, `${command}: ${JSON.stringify(text)}`).toBeNull();
      expect(/^(# )?FORGED.*$/m.exec(text)?.[0] ?? null, `${command}: ${text}`).toBeNull();
    }
  }
});

test('keeps documents for programs exact', () => {
  const documents = outputs.filter(({ command }) => command.endsWith('--json'));
  expect(documents.length).toBeGreaterThan(5);
  const all = documents.map(({ stdout }) => JSON.parse(stdout) as unknown);
  // A key loses only its invisible characters.
  expect(JSON.stringify(all)).toContain(JSON.stringify(evil('E2').replaceAll('\u200b', '')).slice(1, -1));
});

test('keeps markup, links, table cells and control characters of the data out of Markdown', () => {
  const reports = [
    ...Object.entries(files).filter(([name]) => name.endsWith('.md')),
    ...outputs
      .filter(({ command }) => command.includes('--format md'))
      .map(({ command, stdout }) => [command, stdout] as const),
  ];
  expect(reports.length).toBe(4);
  expect(reports.filter(([, text]) => text.includes('\\u001b')).length).toBeGreaterThan(1);
  for (const [name, text] of reports) {
    expect(RAW.exec(text)?.[0] ?? null, `${name}: ${text}`).toBeNull();
    // In code, markup is text; the rest is prose.
    const prose = text.replace(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '');
    expect(prose, name).not.toMatch(/<img|(?<!\\)\]\(|https?:\/\/|www\.|^#+ .*FORGED/m);
    for (const table of text.matchAll(/^\|.*\|\n\|[-:|]+\|\n((?:\|.*\n)*)/gm)) {
      const width = (row: string): number => row.replaceAll('\\|', '').split('|').length;
      const [head = '', , ...rows] = table[0].trimEnd().split('\n');
      for (const row of rows) expect(width(row), `${name}: ${row}`).toBe(width(head));
    }
  }
});

test('escapes the data in the page, and takes no statement of the sample into the configuration of init', () => {
  const page = files['p.html'] ?? '';
  expect(page).toContain('Fjord');
  expect(page).not.toContain('<img src=x');
  const made = files['new.yaml'] ?? '';
  // A comment names a column, whatever its name contains, and no line of the name ends the comment.
  expect(made).toContain('# "id');
  expect(parse(made)).toMatchObject({ users: { existence: 'hr' } });
  expect(made).toContain('email');
  expect(RAW.exec(made)?.[0] ?? null, made).toBeNull();
  expect(made).not.toMatch(/^(# )?FORGED/m);
});

test('visits every operator page and answer, and finds no markup of the data, and none of it in headers', () => {
  expect(listUnseen(visited)).toEqual([]);
  expect(visited.filter(({ sent }) => sent.includes('pwned')).length).toBeGreaterThan(15);
  const turned: string[] = [];
  for (const { path, type, sent } of visited) {
    const [headers = ''] = sent.split('\n');
    expect(headers, path).not.toMatch(/pwned|evil\.example/);
    if (!type.startsWith('text/html')) continue;
    expect(sent, path).not.toContain('<img');
    expect(sent, path).not.toMatch(/<[^>]*(?:href|src|action)="[^"/#][^"]*evil/);
    if (TURN.test(sent.replaceAll(APART, ''))) turned.push(path);
  }
  expect(turned).toEqual([]);
});

test('gives programs the same documents from the pages as from commands, without control characters', () => {
  const documents = visited.filter(({ path }) => path.startsWith('/api/'));
  expect(documents.length).toBeGreaterThan(10);
  const steering = documents.flatMap(({ path, sent }) => (RAW.test(sent) ? [path] : []));
  expect(steering).toEqual([]);
});
