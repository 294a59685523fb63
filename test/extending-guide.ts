import { readFences } from './newcomer/fences.js';

/** One edit in a file: `before` occurs once and becomes `after`; a new file has no `before`. */
export interface Edit {
  readonly file: string;
  readonly before: string | null;
  readonly after: string;
}

/** One way to extend the program, as shown in docs/engineering/extending.md. */
export interface Extension {
  readonly title: string;
  /** The number of files according to the text. */
  readonly counted: number;
  readonly files: readonly string[];
  readonly edits: readonly Edit[];
  readonly scenario: { readonly file: string; readonly text: string };
}

/**
 * A section has a heading, `Files touched: 2`, any number of `diff` blocks, and a `ts` block that begins with the path of
 * the scenario: `// test/extended/field.test.ts`. Hunks need no line numbers, because the test finds their text in the file.
 */
export function readGuide(page: string): readonly Extension[] {
  return page
    .split(/^## /m)
    .slice(1)
    .filter((section) => section.includes('```diff'))
    .map((section) => {
      const edits = readBlocks(section, 'diff').flatMap(readPatch);
      const text = readBlocks(section, 'ts').join('\n');
      return {
        title: section.slice(0, section.indexOf('\n')),
        counted: Number(/Files touched: (\d+)/.exec(section)?.[1]),
        files: edits.map(({ file }) => file),
        edits,
        scenario: { file: /^\/\/ (\S+)/.exec(text)?.[1] ?? '', text },
      };
    });
}

function readBlocks(section: string, language: string): readonly string[] {
  return readFences(section)
    .filter((fence) => fence.language === language)
    .map(({ text }) => text);
}

function readPatch(patch: string): readonly Edit[] {
  return patch
    .split(/^--- /m)
    .slice(1)
    .flatMap((part) => {
      const file = /^\+\+\+ b\/(\S+)$/m.exec(part)?.[1] ?? '';
      const isNew = part.startsWith('/dev/null');
      return part
        .split(/^@@.*\n/m)
        .slice(1)
        .map((hunk) => ({ file, before: isNew ? null : sideOf(hunk, '-'), after: sideOf(hunk, '+') }));
    });
}

/** The lines of one side. An empty line of the page is an empty line of both sides. */
function sideOf(hunk: string, sign: '-' | '+'): string {
  const lines = hunk.split('\n').slice(0, -1);
  return lines
    .flatMap((line) => (line === '' || line.startsWith(' ') || line.startsWith(sign) ? `${line.slice(1)}\n` : []))
    .join('');
}
