// Builds dist/ from scratch, so that no files of deleted modules remain. It contains two builds:
// - The program as it runs, dist/main.js and dist/bundle. Everything it needs is in one file, because finding and loading a thousand
//   modules takes longer than a run for a small company. Next to it are V8's compiled code from runs of the usual commands
//   (keep-code.mjs), and the writers of documents with their fonts (emit-writers.mjs).
// - Every module as a file, with its types. These files are `talent-sync/service` and, as dist/main.plain.js, the program for
//   debugging.
// `--unchecked` skips the type check if it has just been done; `--program` builds only the first bundle.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { emitWriters, writersApart } from './emit-writers.mjs';

const BUNDLE = 'dist/bundle';
const HELP = 'dist/bundle/help';
const MODULE = 'exports, require, module, __filename, __dirname';
/** A function for a start as a script (start-bundle.mjs), and a module for Node.js, which shows sources only for modules. */
const WRAPPER = `(typeof module === 'undefined' ? (f) => f : (f) => f(${MODULE}))(function (${MODULE}) {`;
const isProgramAlone = process.argv.includes('--program');

function compile() {
  const flags = process.argv.includes('--unchecked') ? ['--noCheck'] : [];
  try {
    execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.', ...flags], { stdio: 'inherit' });
  } catch {
    process.exit(1);
  }
  renameSync('dist/main.js', 'dist/main.plain.js');
  appendFileSync('dist/main.plain.js', 'await ended;\n');
}

/** V8 keeps an ASCII source in half the memory. esbuild escapes strings, but not regular expressions and templates. */
function writeAscii(file) {
  const toEscape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  writeFileSync(file, readFileSync(file, 'utf8').replace(/[^\0-\x7f]/g, toEscape));
}

/** A bundled module finds files next to it at its path in the build of single modules. */
const placesFrom = (folder) => ({
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      if (!source.includes('import.meta.url') || path.includes('node_modules')) return null;
      const place = relative(resolve(folder), path.replace(resolve('src'), resolve('dist')));
      const url = `new URL(${JSON.stringify(place.replaceAll('\\', '/'))}, import.meta.url).href`;
      return { contents: source.replaceAll('import.meta.url', url), loader: 'ts', resolveDir: dirname(path) };
    });
  },
});

/** Help must be fast. It shows the commands but runs none, so it loads only the code that prints errors. */
const withoutCommands = {
  name: 'without-commands',
  setup({ onResolve }) {
    const isPrinting = (path) => /\/(print|usage-error|errors)\.js$/.test(path);
    onResolve({ filter: /^\./ }, ({ kind, path }) =>
      kind === 'dynamic-import' && !isPrinting(path) ? { external: true } : null,
    );
  },
};

const common = {
  entryPoints: ['src/main.ts'],
  bundle: true,
  platform: 'node',
  target: 'node20.12',
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: !isProgramAlone,
  sourcesContent: false,
  logLevel: 'warning',
  // The first two load machine code and WebAssembly from their own folders. Only callers of the client need undici.
  external: ['better-sqlite3', 'ssh2-sftp-client', 'undici'],
};

rmSync('dist', { recursive: true, force: true });
if (!isProgramAlone) compile();
await build({
  ...common,
  outfile: `${BUNDLE}/main.cjs`,
  // V8 cannot cache the code of an ES module. Lazy imports stay functions until they are used.
  format: 'cjs',
  supported: { 'dynamic-import': false },
  banner: { js: `${WRAPPER}'use strict';const bundleUrl = require('node:url').pathToFileURL(__filename).href;` },
  footer: { js: '})' },
  define: { 'import.meta.url': 'bundleUrl' },
  plugins: [placesFrom(BUNDLE), writersApart],
});
await emitWriters(common, placesFrom);
await build({
  ...common,
  outdir: HELP,
  format: 'esm',
  splitting: true,
  plugins: [placesFrom(HELP), withoutCommands],
});
writeAscii(`${BUNDLE}/main.cjs`);
/** Scripts for the browser are read as files. */
const pageScripts = [
  'report/writers/page/page-rows.js',
  'report/writers/page/page-script.js',
  'sandbox/pages/pages-script.js',
  'daemon/web/operator/operator-script.js',
];
for (const file of pageScripts) if (!existsSync(`dist/${file}`)) cpSync(`src/${file}`, `dist/${file}`);
copyFileSync('scripts/start-bundle.mjs', 'dist/main.js');
chmodSync('dist/main.js', 0o755);
if (!isProgramAlone) execFileSync(process.execPath, ['scripts/keep-code.mjs'], { stdio: 'inherit' });
