import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sweep } from '../depth.js';
import { ROOT } from '../module-graph.js';

const PACKAGES = {
  '': {
    dependencies: { web: '1' },
    optionalDependencies: { 'better-sqlite3': '1' },
    devDependencies: { compiler: '1' },
  },
  'node_modules/better-sqlite3': { dependencies: { bindings: '1', 'prebuild-install': '1' } },
  'node_modules/bindings': {},
  'node_modules/prebuild-install': { dependencies: { download: '1', semver: '1' } },
  'node_modules/download': { dependencies: { unpack: '1' } },
  'node_modules/unpack': {},
  'node_modules/semver': {},
  'node_modules/web': {
    dependencies: { semver: '1', unpack: '1' },
    optionalDependencies: { faster: '1' },
    peerDependencies: { absent: '1' },
  },
  'node_modules/faster': { optional: true },
  'node_modules/web/node_modules/unpack': {},
  'node_modules/compiler': { dev: true },
};

describe('scripts/image-prune.mjs', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'talent-sync-prune-'));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: PACKAGES }));
    for (const place of Object.keys(PACKAGES)) if (place !== '') put(`${place}/index.js`);
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function put(...files: readonly string[]): void {
    for (const file of files) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
  }

  function prune(): { status: number | null; stderr: string; left: readonly string[] } {
    const script = join(ROOT, 'scripts', 'image-prune.mjs');
    const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
    const entries = readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return {
      status,
      stderr,
      left: files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 14)).toSorted(),
    };
  }

  it('keeps the files that the program reaches, without those for installing and compiling', () => {
    put(
      'node_modules/.package-lock.json',
      'node_modules/.bin/prebuild-install',
      ...['build/Makefile', 'build/Release/better_sqlite3.node', 'build/Release/obj/sqlite3.o', 'deps/sqlite3.c'].map(
        (file) => `node_modules/better-sqlite3/${file}`,
      ),
      ...[
        'LICENSE.md',
        'README.md',
        'index.d.ts',
        'index.js.map',
        'lib/index.mts',
        'binding.gyp',
        'src/fast.cc',
        '.github/workflows/ci.yml',
      ].map((file) => `node_modules/web/${file}`),
    );
    expect(prune()).toEqual({
      status: 0,
      stderr: '',
      left: [
        'better-sqlite3/build/Release/better_sqlite3.node',
        'better-sqlite3/index.js',
        'bindings/index.js',
        'semver/index.js',
        'web/LICENSE.md',
        'web/index.js',
        'web/node_modules/unpack/index.js',
      ],
    });
  });

  sweep('changes nothing if the binding has not been compiled', () => {
    const { status, stderr, left } = prune();
    expect(status).toBe(1);
    expect(stderr).toContain('better_sqlite3.node compiled');
    expect(left).toHaveLength(Object.keys(PACKAGES).length - 1);
  });
});
