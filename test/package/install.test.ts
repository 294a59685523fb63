import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.js';
import { closeAfterTest } from '../closing.js';
import { ROOT } from '../module-graph.js';
import { ACCOUNT, KEY } from '../scenarios/company.js';

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly bundleDependencies: readonly string[];
}

function readJson<T>(...path: readonly string[]): T {
  return JSON.parse(readFileSync(join(...path), 'utf8')) as T;
}

const ANNA = { name: 'Anna', email: 'anna@example.com', country: 'no', office: 'Oslo' };

describe('the package, installed from `npm pack` into an empty project without a network', () => {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-package-'));
  const app = join(folder, 'app');
  const installed = join(app, 'node_modules', 'talent-sync');

  function run(program: string, args: readonly string[], cwd: string) {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
    return { status, stdout, stderr };
  }

  beforeAll(() => {
    // Without its scripts: the existing one builds dist/ again, while other tests run from it.
    const packed = run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], ROOT);
    expect(packed.status, packed.stderr).toBe(0);
    mkdirSync(app);
    writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }\n');
    const { version } = readJson<Manifest>(ROOT, 'package.json');
    const archive = join(folder, `talent-sync-${version}.tgz`);
    const { status, stderr } = run('npm', ['install', '--offline', '--omit=optional', '--no-audit', archive], app);
    expect(status, stderr).toBe(0);
  }, 120_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('has every package in the version that the tests use', () => {
    const { dependencies, bundleDependencies } = readJson<Manifest>(ROOT, 'package.json');
    expect(bundleDependencies).toEqual(Object.keys(dependencies));
    type Flag = 'inBundle' | 'optional' | 'devOptional';
    type Locked = { readonly version: string } & { readonly [flag in Flag]?: true };
    const { packages } = readJson<{ readonly packages: Readonly<Record<string, Locked>> }>(ROOT, 'package-lock.json');
    const bundled = Object.entries(packages).filter(([, one]) => one.inBundle && !one.optional && !one.devOptional);
    const versions = bundled.map(([place, { version }]) => [place, version]);
    const found = bundled.map(([place]) => [place, readJson<Manifest>(installed, place, 'package.json').version]);
    expect(found).toEqual(versions);
    expect(found.length).toBeGreaterThan(Object.keys(dependencies).length);
  });

  test('runs the typed client without the native module', async () => {
    const sandbox = await createSandbox({ fixture: { ...ACCOUNT, users: [ANNA] } });
    closeAfterTest(sandbox);
    cpSync(join(installed, 'examples', 'client', 'list-users.mjs'), join(app, 'list-users.mjs'));
    const env = { ...process.env, TALENT_BASE_URL: sandbox.url, TALENT_API_KEY: KEY };
    const child = spawn(process.execPath, ['list-users.mjs'], { cwd: app, env });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^anna@example\.com\tAnna\tOslo\tactive$/m);
  });

  test('has the types of the typed client', () => {
    symlinkSync(join(ROOT, 'node_modules', '@types'), join(app, 'node_modules', '@types'));
    writeFileSync(
      join(app, 'wrong.ts'),
      `import { createTalentService } from 'talent-sync/service';
       export const service: number = createTalentService({ baseUrl: 'https://acme.example.com', apiKey: 'key' });\n`,
    );
    const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023'];
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = run(process.execPath, [tsc, ...flags, 'wrong.ts'], app);
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/TS2322: Type 'TalentService' is not assignable/),
    ]);
  });

  test('says that the native module is missing, and runs commands once it exists', () => {
    const bin = join(app, 'node_modules', '.bin', 'talent-sync');
    const sandbox = ['sandbox', '--fixture', 'none.json'];
    expect(run(bin, sandbox, app)).toMatchObject({ status: 1, stderr: expect.stringContaining('SYNC_STATE_DRIVER') });
    for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path']) {
      symlinkSync(join(ROOT, 'node_modules', name), join(app, 'node_modules', name));
    }
    expect(run(bin, sandbox, app).stderr).toContain('SYNC_CONFIG_UNREADABLE');
  });
});
