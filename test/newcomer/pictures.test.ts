import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.js';
import { ROOT } from '../module-graph.js';

interface Picture {
  readonly name: string;
  readonly of: 'terminal' | 'page';
  /** The command of the program whose work the picture shows. */
  readonly command: string;
  readonly pages: readonly string[];
}

const PICTURES = JSON.parse(readFileSync(join(ROOT, 'scripts/pictures/list.json'), 'utf8')) as readonly Picture[];
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const MOST_BYTES = 150_000;

function filesOf({ name, of }: Picture): readonly string[] {
  return ['dark', 'light'].map((theme) => `docs/pictures/${name}-${theme}.${of === 'terminal' ? 'svg' : 'png'}`);
}

interface Shown {
  readonly page: string;
  readonly file: string;
  readonly alt: string | null;
}

/** Each image of a page; the dark variant has the text of its `img`. */
function listShown(page: string): readonly Shown[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const plain = [...text.matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g)].map(([, alt = '', file = '']) => ({ alt, file }));
  const tagged = [...text.matchAll(/<img alt="([^"]*)" src="([^"]+)"/g)].map(([, alt = '', file = '']) => ({
    alt,
    file,
  }));
  const dark = [...text.matchAll(/ srcset="([^"]+)"/g)].map(([, file = '']) => ({ alt: null, file }));
  return [...plain, ...tagged, ...dark].map(({ alt, file }) => ({ page, file: join(dirname(page), file), alt }));
}

describe('pictures', () => {
  const shown = PAGES.flatMap(listShown);

  test('are exactly those of the list, in both looks and small', () => {
    const there = readdirSync(join(ROOT, 'docs/pictures')).map((name) => `docs/pictures/${name}`);
    expect(there.toSorted()).toEqual(PICTURES.flatMap(filesOf).toSorted());
    expect(there.filter((file) => statSync(join(ROOT, file)).size > MOST_BYTES)).toEqual([]);
  });

  test('appear on their pages, in both looks', () => {
    const wanted = PICTURES.flatMap((picture) =>
      picture.pages.flatMap((page) => filesOf(picture).map((file) => `${page} ${file}`)),
    );
    const found = shown
      .filter(({ file }) => file.startsWith('docs/pictures/'))
      .map(({ page, file }) => `${page} ${file}`);
    expect(found.toSorted()).toEqual(wanted.toSorted());
  });

  test('exist wherever pages show them, with a text for people who cannot see them', () => {
    expect(shown.length).toBeGreaterThan(6);
    expect(shown.filter(({ file }) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(shown.filter(({ alt }) => alt !== null && alt.length < 10)).toEqual([]);
  });

  test('show existing commands and scripts', () => {
    const { stdout, stderr } = process;
    const ignore = (): undefined => undefined;
    const program = buildProgram({ stdout, stderr, env: {}, setExitCode: ignore, exit: ignore });
    const commands = program.commands.map((command) => command.name());
    expect(PICTURES.map(({ command }) => command).filter((name) => !commands.includes(name))).toEqual([]);
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const [script = ''] = /scripts\/\S+/.exec(scripts.pictures ?? '') ?? [];
    expect(existsSync(join(ROOT, script))).toBe(true);
  });
});
