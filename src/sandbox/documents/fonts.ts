import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { create, type Font } from 'fontkit';
import { unpackWoff } from './unpack-woff.js';

/**
 * Fonts in the order in which they are asked for a character. Each is a package of files for parts of Unicode; a script more
 * is a package more. Bold is drawn by thickening the strokes where there is no bold file: the build leaves those of the
 * numbered files out, which are thousands of ideographs.
 */
const FAMILIES = ['noto-sans', 'ibm-plex-sans-arabic', 'noto-sans-hebrew', 'noto-sans-sc', 'nanum-gothic'] as const;

export interface Face {
  readonly name: string;
  readonly font: Font;
  /** Bold was asked for, and its file does not have it. */
  readonly isThickened: boolean;
}

interface FontFile {
  readonly family: string;
  readonly part: string;
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

/** Of the build; in a checkout, the packages themselves. */
function findFolder(family: string): string {
  const built = fileURLToPath(new URL(`../../fonts/${family}`, import.meta.url));
  if (existsSync(built)) return built;
  return dirname(createRequire(import.meta.url).resolve(`@fontsource/${family}/package.json`));
}

function listFiles(family: string): readonly FontFile[] {
  const parts = JSON.parse(readFileSync(join(findFolder(family), 'unicode.json'), 'utf8')) as Record<string, string>;
  return Object.entries(parts).map(([part, ranges]) => ({
    family,
    part: part.replace(/[[\]]/g, ''),
    ranges: ranges.split(',').map((range) => {
      const [from = '', to = from] = range.trim().replace('U+', '').split('-');
      return [Number.parseInt(from, 16), Number.parseInt(to, 16)];
    }),
  }));
}

/** The faces that one document needs, opened when a character asks for them. */
export class FontShelf {
  readonly #files: readonly FontFile[] = FAMILIES.flatMap(listFiles);
  readonly #open = new Map<string, Face | undefined>();

  /** The face that has a character; undefined when none has. */
  find(codePoint: number, isBold: boolean): Face | undefined {
    for (const file of this.#files) {
      if (!file.ranges.some(([from, to]) => codePoint >= from && codePoint <= to)) continue;
      const face = this.#openFace(file, isBold);
      if (face?.font.hasGlyphForCodePoint(codePoint)) return face;
    }
    return undefined;
  }

  #openFace(file: FontFile, isBold: boolean): Face | undefined {
    const name = `${file.family}-${file.part}-${isBold ? 700 : 400}`;
    if (!this.#open.has(name))
      this.#open.set(name, readFace(file, isBold) ?? (isBold ? thicken(this.#openFace(file, false)) : undefined));
    return this.#open.get(name);
  }
}

/** Undefined without such a file, or with one that maps no characters: one of the numbered ones has emoji only. */
function readFace({ family, part }: FontFile, isBold: boolean): Face | undefined {
  const name = `${family}-${part}-${isBold ? 700 : 400}-normal`;
  const file = join(findFolder(family), 'files', `${name}.woff`);
  const isKept = !isBold || !/^\d+$/.test(part);
  if (!isKept || !existsSync(file)) return undefined;
  const font = create(unpackWoff(readFileSync(file)));
  return font.cmap === undefined ? undefined : { name, font, isThickened: false };
}

function thicken(regular: Face | undefined): Face | undefined {
  return regular ? { ...regular, isThickened: true } : undefined;
}
