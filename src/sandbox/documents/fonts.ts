import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { create, type Font } from 'fontkit';
import { unpackWoff } from './unpack-woff.js';

/**
 * Font packages in order of preference. Each has files for parts of Unicode; to support another script, add a package. If there
 * is no bold file, strokes are thickened instead. The build omits bold versions of the numbered files, which contain thousands
 * of ideographs.
 */
const FAMILIES = ['noto-sans', 'ibm-plex-sans-arabic', 'noto-sans-hebrew', 'noto-sans-sc', 'nanum-gothic'] as const;

export interface Face {
  readonly name: string;
  readonly font: Font;
  /** True if the text should be bold, but there is no bold file. */
  readonly isThickened: boolean;
}

interface FontFile {
  readonly family: string;
  readonly part: string;
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

/** Returns the folder of a font in the build, or that of its package in a checkout. */
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

/** The faces of one document, which are opened when they are needed. */
export class FontShelf {
  readonly #files: readonly FontFile[] = FAMILIES.flatMap(listFiles);
  readonly #open = new Map<string, Face | undefined>();

  /** Finds a face that has a glyph for a character; undefined if there is none. */
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

/** Reads a face; undefined if the file is missing or maps no characters. One of the numbered files contains only emoji. */
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
