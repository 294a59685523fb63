// Makes dist/ again, so that files of modules that are gone do not linger. There are two builds in it:
// - the program as it runs, dist/main.js and dist/bundle: everything it needs in one file, because a thousand modules take
//   longer to find and to load than a run of a small company takes, and beside it what V8 made of that file when the usual
//   commands ran (keep-code.mjs), and the writers of documents with their fonts (emit-writers.mjs);
// - every module by itself, with its types: what `talent-sync/service` is, and, as dist/main.plain.js, the program to debug.
// `--unchecked` leaves the types unchecked, where they have just been; `--program` makes the file of the first build alone.
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
/** A function for who starts it as a script (start-bundle.mjs), a module for Node.js, which tells the sources of modules alone. */
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

/** V8 keeps a source in half the memory when it is ASCII: esbuild escapes strings, and leaves regular expressions and templates. */
function writeAscii(file) {
  const toEscape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  writeFileSync(file, readFileSync(file, 'utf8').replace(/[^\0-\x7f]/g, toEscape));
}

/** A module in the bundle finds the files beside it from where it is in the build of single modules. */
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

/** Help, which has to be there at once, shows what the commands are and runs none: all it still loads is how to print an error. */
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
  // Two load machine code and WebAssembly from their own folders. The program never sends by undici: that is for callers of the client.
  external: ['better-sqlite3', 'ssh2-sftp-client', 'undici'],
};

rmSync('dist', { recursive: true, force: true });
if (!isProgramAlone) compile();
await build({
  ...common,
  outfile: `${BUNDLE}/main.cjs`,
  // Code of an ES module cannot be kept. What is imported when it is needed stays a function until then.
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
/** What runs in a browser is read as a file. */
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
