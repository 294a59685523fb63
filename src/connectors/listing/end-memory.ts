import { canonicalJson, type Json } from '../../model/json.js';
import { sha256 } from '../../model/sha256.js';
import type { KnownRows } from '../connector.js';
import type { EndHints, PagesSoFar } from './judge-end.js';

/** Facts about the pages of a question, from earlier complete reads. */
export interface EndMemory {
  /** The number of rows on the largest page of a read with several pages; null before the first such read. */
  readonly fullPage: number | null;
  readonly countsPages: boolean;
  /** The last read, if it consisted of a single page. */
  readonly lone: LonePage | null;
}

interface LonePage extends LonePrint {
  /** Differences between reads with this number of rows, in the rows or in their contents. */
  readonly other: EndHints['other'];
}

/** The facts about a first page for a comparison with another read. */
export interface LonePrint {
  readonly rows: number;
  readonly ids: string;
  readonly content: string;
}

export const NOTHING_KNOWN: EndMemory = { fullPage: null, countsPages: false, lone: null };

export function readEndMemory(rows: KnownRows, question: number): EndMemory {
  return JSON.parse(rows.mark(markOf(question)) ?? 'null') ?? NOTHING_KNOWN;
}

export function saveEndMemory(rows: KnownRows, question: number, memory: EndMemory): void {
  rows.setMark(markOf(question), JSON.stringify(memory));
}

function markOf(question: number): string {
  return `ends.${question}`;
}

export function compareLone({ lone }: EndMemory, print: LonePrint): EndHints['other'] {
  if (lone === null || lone.rows !== print.rows) return { rows: false, content: false };
  return {
    rows: lone.other.rows || lone.ids !== print.ids,
    content: lone.other.content || lone.content !== print.content,
  };
}

/** Updates the memory after a read, for the next read. */
export function learnEnds(memory: EndMemory, seen: PagesSoFar, print: LonePrint): EndMemory {
  const { different, first, total, countsPages } = seen;
  const isLone = different <= first.rows;
  const largest = Math.max(seen.largestBefore, seen.last.rows);
  return {
    fullPage: isLone && memory.fullPage === null ? null : Math.max(memory.fullPage ?? 0, largest),
    countsPages: countsPages && total !== null && (isLone ? memory.countsPages : different > total),
    lone: isLone ? { ...print, other: compareLone(memory, print) } : null,
  };
}

/** The largest page that is compared. Servers usually allow no larger pages, so larger ones need no comparison. */
const MOST_COMPARED = 1_000;

/** Collects the rows of a first page. */
export class LonePrinter {
  readonly #ids: string[] = [];
  readonly #contents: string[] = [];
  #rows = 0;

  add(row: Json, id: string | null): void {
    if (++this.#rows > MOST_COMPARED) return;
    this.#ids.push(id ?? '');
    this.#contents.push(sha256(canonicalJson(row)));
  }

  /**
   * Returns the facts about the page. They do not depend on the order of rows, because some servers change the order
   * each time.
   */
  finish(): LonePrint {
    const printOf = (all: string[]): string => (this.#rows > MOST_COMPARED ? '' : sha256(JSON.stringify(all.sort())));
    return { rows: this.#rows, ids: printOf(this.#ids), content: printOf(this.#contents) };
  }
}
