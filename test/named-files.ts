import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { ROOT } from './module-graph.js';

const FOLDERS = ['src', 'test', 'scripts', 'docs', 'config', 'examples', 'helm', 'types'];

/** Every file of the project, relative to the checkout. */
function listFiles(): readonly string[] {
  const inside = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/')),
  );
  const top = readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isFile());
  return [...inside, ...top.map(({ name }) => name)];
}

const COMMENT = /^\s*(?:\/\/|\/?\*)(.*)$|\s\/\/\s(.*)$/;
const NAME = /(?<![\w/:.@-])(?:\.\/)?((?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:[cm]?[jt]s|md|ya?ml))\b(?![\w(]|\.\w)/g;
/** Names of example files, of generated files and of the runtime. */
const NOT_OURS = /^(Node\.js|dist\/.*|out\/.*|(src\/)?[a-z]\.ts|test\/extended\/.*)$/;

/** File names in the comments of a text that match no file. @param ends of the paths of all files */
export function findStaleNames(file: string, text: string, ends: ReadonlySet<string>): readonly string[] {
  return text.split('\n').flatMap((line, index) => {
    const [, atStart, behind] = COMMENT.exec(line) ?? [];
    const names = [...(atStart ?? behind ?? '').matchAll(NAME)].map(([, name = '']) => name);
    const stale = names.filter(
      (name) => !NOT_OURS.test(name) && !ends.has(name) && !ends.has(name.replace(/js$/, 'ts')),
    );
    return stale.map((name) => `${file}:${index + 1} ${name}`);
  });
}

/** `src/model/json.ts` may be named `model/json.ts` or `json.ts`. */
export function endsOf(files: readonly string[]): ReadonlySet<string> {
  const ends = files.map((file) => file.split('/')).flatMap((parts) => parts.map((_, at) => parts.slice(at).join('/')));
  return new Set(ends);
}

export function findAllStaleNames(): readonly string[] {
  const files = listFiles();
  const ends = endsOf(files);
  return files
    .filter((file) => /^(src|test|scripts)\/.*\.[cm]?[jt]s$/.test(file))
    .flatMap((file) => findStaleNames(file, readFileSync(join(ROOT, file), 'utf8'), ends));
}
