import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findTool } from '../../tools.js';
import { COLOURS } from './picture-cases.js';

const run = promisify(execFile);

type Colour = readonly [number, number, number];

interface Page {
  readonly width: number;
  readonly height: number;
  colourAt(x: number, y: number): Colour;
}

/** A picture seen on a page, in dots. */
export interface SeenPicture {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** `RG/BY`: the known colours that are nearest to those in the middle of each quarter. */
  readonly corners: string;
}

const SMALLEST = { width: 16, height: 25 };
/** The largest difference of one of red, green and blue; CMYK has no exact RGB. */
const TOLERANCE = 50;

/** Pictures on the pages of a PDF, as poppler draws them with 72 dots per inch: pages in order, from the top, from the left. */
export async function findPictures(pdf: Buffer): Promise<readonly SeenPicture[]> {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-pages-'));
  writeFileSync(join(folder, 'document.pdf'), pdf);
  const pdftoppm = join(dirname(findTool('pdftotext')), 'pdftoppm');
  await run(pdftoppm, ['-r', '72', join(folder, 'document.pdf'), join(folder, 'page')]);
  const files = readdirSync(folder).filter((name) => name.endsWith('.ppm'));
  return files.toSorted().flatMap((name) => findOnPage(readPage(readFileSync(join(folder, name)))));
}

/** `P6`, width, height and 255 in a line each, then pixels. */
function readPage(ppm: Buffer): Page {
  const [head = '', width = 0, height = 0] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(ppm.toString('latin1', 0, 40)) ?? [];
  const at = (x: number, y: number): number => head.length + 3 * (y * Number(width) + x);
  return {
    width: Number(width),
    height: Number(height),
    colourAt: (x, y) => [ppm[at(x, y)] ?? 0, ppm[at(x, y) + 1] ?? 0, ppm[at(x, y) + 2] ?? 0],
  };
}

function findOnPage(page: Page): readonly SeenPicture[] {
  const seen = new Uint8Array(page.width * page.height);
  const found: SeenPicture[] = [];
  for (let y = 0; y < page.height; y += 1) {
    for (let x = 0; x < page.width; x += 1) {
      if (seen[y * page.width + x] === 1 || isWhite(page, x, y)) continue;
      const area = measureArea(page, seen, x, y);
      if (area.width < SMALLEST.width || area.height < SMALLEST.height) continue;
      found.push({ ...area, corners: readCorners(page, area) });
    }
  }
  return found.sort((a, b) => (Math.abs(a.top - b.top) < 3 ? a.left - b.left : a.top - b.top));
}

/** All dots that are not white and touch each other, beginning with one. */
function measureArea(page: Page, seen: Uint8Array, x: number, y: number) {
  const [lefts, tops]: [number[], number[]] = [[], []];
  const waiting: (readonly [number, number])[] = [[x, y]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [left, top] = next;
    const at = top * page.width + left;
    const isOutside = left < 0 || top < 0 || left >= page.width || top >= page.height;
    if (isOutside || seen[at] === 1 || isWhite(page, left, top)) continue;
    seen[at] = 1;
    lefts.push(left);
    tops.push(top);
    for (const dx of [-1, 0, 1]) for (const dy of [-1, 0, 1]) waiting.push([left + dx, top + dy]);
  }
  const left = leastOf(lefts);
  const top = leastOf(tops);
  return { left, top, width: mostOf(lefts) - left + 1, height: mostOf(tops) - top + 1 };
}

function leastOf(places: readonly number[]): number {
  return places.reduce((least, place) => Math.min(least, place), Number.POSITIVE_INFINITY);
}

function mostOf(places: readonly number[]): number {
  return places.reduce((most, place) => Math.max(most, place), Number.NEGATIVE_INFINITY);
}

function isWhite(page: Page, x: number, y: number): boolean {
  const [red, green, blue] = page.colourAt(x, y);
  return red > 235 && green > 235 && blue > 235;
}

function readCorners(page: Page, { left, top, width, height }: Omit<SeenPicture, 'corners'>): string {
  const letterAt = (across: number, down: number): string =>
    nameColour(page.colourAt(Math.round(left + across * width), Math.round(top + down * height)));
  return [0.25, 0.75].map((down) => [0.25, 0.75].map((across) => letterAt(across, down)).join('')).join('/');
}

function nameColour(colour: Colour): string {
  const distance = (known: Colour): number =>
    Math.max(...known.map((one, index) => Math.abs(one - (colour[index] ?? 0))));
  const [letter, known] = Object.entries(COLOURS).toSorted(([, a], [, b]) => distance(a) - distance(b))[0] ?? [];
  return letter !== undefined && known !== undefined && distance(known) < TOLERANCE
    ? letter.replace('b', 'B')
    : `(${colour.join(' ')})`;
}
