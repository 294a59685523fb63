import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from './module-graph.js';

const SETUP = join(ROOT, 'scripts/setup.mjs');
const BINDING = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node';
/** A compiler that keeps running after npm has ended, and writes its process id to a file. */
const COMPILE = 'sleep 600 >/dev/null 2>&1 & echo $! > compiler.new && mv compiler.new compiler.pid';

interface Clone {
  readonly folder: string;
  readonly child: ChildProcess;
  readonly ended: Promise<readonly [number | null, NodeJS.Signals | null]>;
  said(): string;
}

/** Starts a program in a fresh clone, where `npm rebuild` is this shell script. */
function startInClone(rebuild: string, args: readonly string[] = [SETUP]): Clone {
  const folder = mkdtempSync(join(tmpdir(), 'setup-'));
  writeFileSync(join(folder, 'package-lock.json'), '{"packages":{}}');
  mkdirSync(join(folder, 'bin'));
  const npm = join(folder, 'bin/npm');
  const install = 'mkdir -p node_modules && cp package-lock.json node_modules/.package-lock.json';
  writeFileSync(npm, `#!/bin/sh\nif [ "$1" = ci ]; then ${install}; exit; fi\n${rebuild}\n`);
  chmodSync(npm, 0o755);
  const env = { ...process.env, PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter) };
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, child, ended, said: () => text };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setTimeout(20);
}

/** The state and the program of a process; empty if it is gone. */
function readProcess(pid: string): string {
  return spawnSync('ps', ['-o', 'stat=,comm=', '-p', pid], { encoding: 'utf8' }).stdout.trim().replace(/\s+/, ' ');
}

/** Resolves once the compiler has ended. */
async function expectCompilerGone({ folder }: Clone): Promise<void> {
  const pid = readFileSync(join(folder, 'compiler.pid'), 'utf8').trim();
  expect(pid).toMatch(/^\d+$/);
  // An ended process is a zombie until its parent has waited for it. Later, its id may belong to another program.
  await until(() => !/^[^Z]\S* sleep$/.test(readProcess(pid)));
}

test('reports a slow npm repeatedly, with its last line, until it ends', async () => {
  const script = `import { runLong } from ${JSON.stringify(join(ROOT, 'scripts/run-long.mjs'))};
    const went = await runLong('npm', ['rebuild'], { doing: 'Preparing SQLite', everyMs: 20 });
    process.exitCode = went ? 0 : 1;`;
  const rebuild = 'echo "CC sqlite3.o"; while [ ! -e go ]; do sleep 0.05; done';
  const clone = startInClone(rebuild, ['--input-type=module', '--eval', script]);
  await until(() => (clone.said().match(/Preparing SQLite \(\d+ s\): CC sqlite3\.o\n/g) ?? []).length >= 3);
  writeFileSync(join(clone.folder, 'go'), '');
  expect(await clone.ended).toEqual([0, null]);
});

test('prints nothing about a compiler that succeeds', async () => {
  const clone = startInClone(`mkdir -p $(dirname ${BINDING}) && touch ${BINDING} && echo noise`);
  expect(await clone.ended).toEqual([0, null]);
  expect(existsSync(join(clone.folder, BINDING))).toBe(true);
  expect(clone.said()).toMatch(/^Installing dependencies …\nPreparing SQLite\. .*\n$/);
});

test('lets npm download a prebuilt SQLite, and compiles nothing then', () => {
  const folder = mkdtempSync(join(tmpdir(), 'setup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(ROOT, name), join(folder, name));
  const bin = join(folder, 'node_modules/.bin');
  const sqlite = 'node_modules/better-sqlite3';
  for (const made of [bin, join(folder, sqlite)]) mkdirSync(made, { recursive: true });
  cpSync(join(ROOT, sqlite, 'package.json'), join(folder, sqlite, 'package.json'));
  // Replaces the real download, which asks GitHub. Like the real download, it gives up if npm is set to compile.
  const download = `[ -z "$npm_config_build_from_source" ] && mkdir -p build/Release && touch build/Release/better_sqlite3.node`;
  writeFileSync(join(bin, 'prebuild-install'), `#!/bin/sh\n${download}\n`, { mode: 0o755 });
  const { status } = spawnSync('npm', ['rebuild', '--foreground-scripts'], { cwd: folder, encoding: 'utf8' });
  expect(status).toBe(0);
  expect(existsSync(join(folder, BINDING))).toBe(true);
});

test('quotes the last lines of a failed npm, and ends the processes it started', async () => {
  const lines = 'i=0; while [ $i -lt 50 ]; do i=$((i+1)); echo "line $i"; done; echo "gyp ERR! not ok" >&2';
  const clone = startInClone(`${COMPILE}; ${lines}; exit 1`);
  expect(await clone.ended).toEqual([1, null]);
  expect(clone.said()).toContain('line 50\n');
  expect(clone.said()).not.toContain('line 30\n');
  expect(clone.said()).toContain('gyp ERR! not ok\n');
  expect(clone.said()).toMatch(/\nSQLite could neither be downloaded nor compiled: .* See README\.md\.\n$/);
  await expectCompilerGone(clone);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s ends setup and the compiler', async (signal) => {
  const clone = startInClone(`${COMPILE}; wait`);
  await until(() => existsSync(join(clone.folder, 'compiler.pid')));
  clone.child.kill(signal);
  expect(await clone.ended).toEqual([null, signal]);
  await expectCompilerGone(clone);
});

test('ends the compiler with the shell that started setup', async () => {
  const shell = `const { spawn } = require('node:child_process');
    spawn(process.execPath, [${JSON.stringify(SETUP)}], { stdio: 'ignore' });`;
  const clone = startInClone(`${COMPILE}; wait`, ['--eval', shell]);
  await until(() => existsSync(join(clone.folder, 'compiler.pid')));
  clone.child.kill('SIGKILL');
  await clone.ended;
  await expectCompilerGone(clone);
});
