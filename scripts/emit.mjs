// Makes dist/ again, so that files of modules that are gone do not linger. There are two builds in it:
// - the program as it runs, dist/main.js and dist/bundle: a few files of everything it needs, because a thousand modules take
//   longer to find and to load than a run of a small company takes;
// - every module by itself, with its types: what `talent-sync/service` is, and, as dist/main.plain.js, the program to debug.
// `--unchecked` leaves the types unchecked, where they have just been; `--program` makes the first build alone, without its source maps.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { build } from 'esbuild';

const BUNDLE = 'dist/bundle';
const isProgramAlone = process.argv.includes('--program');

function compile() {
  const flags = process.argv.includes('--unchecked') ? ['--noCheck'] : [];
  try {
    execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.', ...flags], { stdio: 'inherit' });
  } catch {
    process.exit(1);
  }
  renameSync('dist/main.js', 'dist/main.plain.js');
}

/** A module in the bundle finds the files beside it from where it is in the build of single modules. */
const keepPlaces = {
  name: 'keep-places',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      if (!source.includes('import.meta.url') || path.includes('node_modules')) return null;
      const place = relative(resolve(BUNDLE), path.replace(resolve('src'), resolve('dist')));
      const url = `new URL(${JSON.stringify(place.replaceAll('\\', '/'))}, import.meta.url).href`;
      return { contents: source.replaceAll('import.meta.url', url), loader: 'ts', resolveDir: dirname(path) };
    });
  },
};

/** Of undici only the agents are used, with Node's own fetch; the rest of it is as much again. Its index gives them their calls. */
const agentsAlone = {
  name: 'agents-alone',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'agents' }));
    onLoad({ filter: /.*/, namespace: 'agents' }, () => ({
      contents: `import calls from 'undici/lib/api/index.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
Object.assign(Dispatcher.prototype, calls);
export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js';`,
      resolveDir: resolve('.'),
    }));
  },
};

rmSync('dist', { recursive: true, force: true });
if (!isProgramAlone) compile();
await build({
  entryPoints: ['src/main.ts'],
  outdir: BUNDLE,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.12',
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: !isProgramAlone,
  sourcesContent: false,
  logLevel: 'warning',
  plugins: [keepPlaces, agentsAlone],
  // They load machine code and WebAssembly from their own folders.
  external: ['better-sqlite3', 'ssh2-sftp-client'],
});
const pageScripts = 'report/writers/page';
for (const file of ['page-rows.js', 'page-script.js']) {
  if (!existsSync(`dist/${pageScripts}/${file}`)) cpSync(`src/${pageScripts}/${file}`, `dist/${pageScripts}/${file}`);
}
// CommonJS packages in the bundle call `require` for modules of Node.js.
writeFileSync(
  'dist/main.js',
  `#!/usr/bin/env node
import { createRequire } from 'node:module';
globalThis.require = createRequire(import.meta.url);
await import('./bundle/main.js');
`,
);
chmodSync('dist/main.js', 0o755);
// It is no command of its own, though esbuild takes the first line of its source for one.
chmodSync(`${BUNDLE}/main.js`, 0o644);
