// Builds the writers of rendered documents, each as a file next to the bundle. Their libraries are as large as the
// program, so they are loaded only when a document is requested. Also copies the fonts, and the licences of all packages in
// these files.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const FOLDER = 'dist/bundle/writers';
const FONTS = 'dist/fonts';
const SOURCES = 'node_modules/@fontsource';

/** For the program's bundle: makes the import of a writer load its file. */
export const writersApart = {
  name: 'writers-apart',
  setup({ onResolve }) {
    onResolve({ filter: /\/write-\w+\.js$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path: `./writers/${basename(path, '.js')}.cjs`, external: true } : null,
    );
  },
};

/** @param common options common to all builds; its plugins must suit FOLDER */
export async function emitWriters(common, placesFrom) {
  const documents = 'src/sandbox/documents';
  const writers = readdirSync(documents).filter((name) => /^write-\w+\.ts$/.test(name));
  const { metafile } = await build({
    ...common,
    entryPoints: writers.map((name) => join(documents, name)),
    outdir: FOLDER,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    banner: { js: `'use strict';const bundleUrl = require('node:url').pathToFileURL(__filename).href;` },
    define: { 'import.meta.url': 'bundleUrl' },
    plugins: [placesFrom(FOLDER)],
    metafile: true,
  });
  const packages = Object.keys(metafile.inputs).flatMap(
    (input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? [],
  );
  const fonts = readdirSync(SOURCES).map((name) => join(SOURCES, name));
  writeFileSync(join(FOLDER, 'LICENSES.txt'), [...new Set([...packages, ...fonts])].sort().map(readLicence).join('\n'));
  for (const name of readdirSync(SOURCES)) copyFont(name);
}

function readLicence(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
  return `=== ${name} ${version}: ${license}\n${text}\n`;
}

/** Regular and bold, but only regular for the numbered parts, which have thousands of ideographs. Only one font has Latin. */
function copyFont(family) {
  const source = join(SOURCES, family);
  const parts = JSON.parse(readFileSync(join(source, 'unicode.json'), 'utf8'));
  const shared =
    family === 'noto-sans' ? {} : JSON.parse(readFileSync(join(SOURCES, 'noto-sans/unicode.json'), 'utf8'));
  const kept = Object.entries(parts).filter(([part]) => !Object.hasOwn(shared, part));
  mkdirSync(join(FONTS, family, 'files'), { recursive: true });
  writeFileSync(join(FONTS, family, 'unicode.json'), JSON.stringify(Object.fromEntries(kept)));
  cpSync(join(source, 'LICENSE'), join(FONTS, family, 'LICENSE'));
  for (const [part] of kept) {
    const weights = part.startsWith('[') ? [400] : [400, 700];
    for (const weight of weights) {
      const file = `files/${family}-${part.replace(/[[\]]/g, '')}-${weight}-normal.woff`;
      if (existsSync(join(source, file))) cpSync(join(source, file), join(FONTS, family, file));
    }
  }
}
