import createBidi from 'bidi-js';
import LineBreaker from 'linebreak';
import type { Face, FontShelf } from './fonts.js';

/** A run of text in one face and one direction, with its position in the line. */
export interface DrawnRun {
  readonly face: Face;
  /** The text in the order that the shaper of the face expects. */
  readonly text: string;
  readonly isFromRight: boolean;
  /** Distance from the left end of the line, in points. */
  readonly x: number;
}

export interface Line {
  /** The text in reading order, for people who copy it or use a screen reader. */
  readonly text: string;
  readonly runs: readonly DrawnRun[];
  readonly width: number;
}

export interface LineStyle {
  readonly size: number;
  readonly isBold: boolean;
  readonly isRightToLeft: boolean;
  readonly width: number;
}

/** A character with its marks, which must not be separated. */
interface Cluster {
  readonly text: string;
  readonly at: number;
  readonly level: number;
  readonly face: Face;
}

const bidi = createBidi();

/**
 * Breaks a paragraph into lines. It takes break positions from UAX #14, directions from UAX #9, and widths from the shaped text,
 * with a face for each character.
 *
 * @param text without characters that no face has
 */
export function layOutText(text: string, style: LineStyle, shelf: FontShelf): readonly Line[] {
  const lines: Cluster[][] = [[]];
  let width = 0;
  for (const word of listWords(text, listClusters(text, style, shelf))) {
    const wordWidth = measure(trim(word), style);
    if (width > 0 && width + wordWidth > style.width) {
      lines.push([]);
      width = 0;
    }
    const parts = wordWidth > style.width ? cutWord(word, style) : [word];
    for (const [index, part] of parts.entries()) {
      if (index > 0) lines.push([]);
      lines.at(-1)?.push(...part);
      width = index > 0 ? measure(part, style) : width + measure(part, style);
    }
  }
  return lines.filter((line) => line.length > 0).map((line) => buildLine(line, style));
}

/** Splits a text at its break positions. Trailing spaces belong to the word before them. */
function listWords(text: string, clusters: readonly Cluster[]): readonly (readonly Cluster[])[] {
  const breaks = new Set<number>();
  const breaker = new LineBreaker(text);
  for (let next = breaker.nextBreak(); next !== null; next = breaker.nextBreak()) breaks.add(next.position);
  const words: Cluster[][] = [[]];
  for (const cluster of clusters) {
    words.at(-1)?.push(cluster);
    if (breaks.has(cluster.at + cluster.text.length)) words.push([]);
  }
  return words.filter((word) => word.length > 0);
}

/** Splits a word that is longer than a line, such as an address. */
function cutWord(word: readonly Cluster[], style: LineStyle): readonly (readonly Cluster[])[] {
  const parts: Cluster[][] = [[]];
  let width = 0;
  for (const cluster of word) {
    const step = measure([cluster], style);
    if (width > 0 && width + step > style.width) {
      parts.push([]);
      width = 0;
    }
    parts.at(-1)?.push(cluster);
    width += step;
  }
  return parts;
}

function listClusters(text: string, { isBold, isRightToLeft }: LineStyle, shelf: FontShelf): readonly Cluster[] {
  const { levels } = bidi.getEmbeddingLevels(text, isRightToLeft ? 'rtl' : 'ltr');
  const clusters: Cluster[] = [];
  let before: Face | undefined;
  for (const { segment, index } of new Intl.Segmenter().segment(text)) {
    const face = chooseFace(segment, before, isBold, shelf);
    if (face !== undefined) clusters.push({ text: segment, at: index, level: levels[index] ?? 0, face });
    before = face ?? before;
  }
  return clusters;
}

/**
 * Chooses a face. Spaces, digits and marks belong to no script, so they use the face of the text before them. This keeps the
 * number of runs low.
 */
function chooseFace(segment: string, before: Face | undefined, isBold: boolean, shelf: FontShelf): Face | undefined {
  const codePoints = [...segment].map((character) => character.codePointAt(0) ?? 0);
  const isNeutral = /^[\p{Script=Common}\p{Script=Inherited}]+$/u.test(segment);
  if (isNeutral && before && codePoints.every((point) => before.font.hasGlyphForCodePoint(point))) return before;
  const [first = 32] = codePoints;
  return shelf.find(first, isBold) ?? (/^[\p{Cc}\p{Cf}]/u.test(segment) ? undefined : before);
}

/** Removes trailing spaces, because they do not count towards the width. */
function trim(clusters: readonly Cluster[]): readonly Cluster[] {
  const end = clusters.findLastIndex(({ text }) => text.trim() !== '');
  const start = clusters.findIndex(({ text }) => text.trim() !== '');
  return start === -1 ? [] : clusters.slice(start, end + 1);
}

function measure(clusters: readonly Cluster[], style: LineStyle): number {
  return placeRuns(clusters, style).width;
}

function buildLine(all: readonly Cluster[], style: LineStyle): Line {
  const clusters = trim(all);
  return { text: clusters.map(({ text }) => text).join(''), ...placeRuns(clusters, style) };
}

function placeRuns(clusters: readonly Cluster[], { size }: LineStyle): Pick<Line, 'runs' | 'width'> {
  let x = 0;
  const runs = reorder(groupRuns(clusters)).map(({ face, level, text }) => {
    const shown = turn(text, level);
    const run = { face, text: shown, isFromRight: level % 2 === 1, x };
    x += (face.font.layout(shown, []).advanceWidth / face.font.unitsPerEm) * size;
    return run;
  });
  return { runs, width: x };
}

type LevelRun = Pick<Cluster, 'face' | 'level' | 'text'>;

function groupRuns(clusters: readonly Cluster[]): readonly LevelRun[] {
  const runs: LevelRun[] = [];
  for (const { face, level, text } of clusters) {
    const last = runs.at(-1);
    if (last?.face === face && last.level === level) runs[runs.length - 1] = { ...last, text: last.text + text };
    else runs.push({ face, level, text });
  }
  return runs;
}

/** Applies rule L2 of UAX #9: from the highest level down, every sequence of at least that level is reversed. */
function reorder(runs: readonly LevelRun[]): readonly LevelRun[] {
  const out = [...runs];
  const highest = Math.max(0, ...out.map(({ level }) => level));
  for (let level = highest; level > 0; level -= 1) {
    let from = 0;
    while (from < out.length) {
      let to = from;
      while ((out[to]?.level ?? -1) >= level) to += 1;
      if (to > from) out.splice(from, to - from, ...out.slice(from, to).reverse());
      from = to + 1;
    }
  }
  return out;
}

/**
 * Prepares a run for the shaper, which chooses its direction by script only and mirrors nothing. Brackets are mirrored. Text
 * that would run in the wrong direction, such as a bracket in Hebrew or a number in Arabic digits, is reversed.
 */
function turn(text: string, level: number): string {
  const isFromRight = level % 2 === 1;
  const shown = isFromRight ? [...text].map((one) => bidi.getMirroredCharacter(one) ?? one).join('') : text;
  const isSetFromRight = /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(text);
  return isFromRight === isSetFromRight ? shown : [...shown].reverse().join('');
}
