import { existsSync, readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../../docs/', import.meta.url);
/** Decision records are omitted, because only developers of the program need them. */
const NO_PAGES = /^engineering\/decisions\//;
const PART_CHARACTERS = 30_000;
const MOST_FOUND = 10;
const EXCERPT_CHARACTERS = 600;

/** Names of the documentation pages that ship with the program, such as `reference/guards`. */
export function listPages(): readonly string[] {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md') && !NO_PAGES.test(name))
    .sort()
    .map((name) => name.slice(0, -3));
}

export interface PagePart {
  readonly page: string;
  readonly part: number;
  readonly parts: number;
  readonly text: string;
}

/**
 * Reads one part of a page.
 *
 * @param part from 1
 * @returns null if the page or part does not exist
 */
export function readPage(page: string, part: number): PagePart | null {
  if (!listPages().includes(page)) return null;
  const text = readFileSync(new URL(`${page}.md`, FOLDER), 'utf8');
  const parts = Math.ceil(text.length / PART_CHARACTERS);
  if (part > parts) return null;
  return { page, part, parts, text: text.slice((part - 1) * PART_CHARACTERS, part * PART_CHARACTERS) };
}

export interface FoundSection {
  readonly page: string;
  readonly heading: string;
  readonly excerpt: string;
}

/** Sections that contain the most search words, best first. */
export function searchPages(words: string): readonly FoundSection[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const sections = listPages().flatMap((page) => listSections(page));
  const scored = sections.map((section) => {
    const text = `${section.heading} ${section.text}`.toLowerCase();
    return { section, score: wanted.filter((word) => text.includes(word)).length };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_FOUND)
    .map(({ section: { page, heading, text } }) => ({ page, heading, excerpt: text.slice(0, EXCERPT_CHARACTERS) }));
}

function listSections(page: string) {
  const text = readFileSync(new URL(`${page}.md`, FOLDER), 'utf8');
  return text.split(/^(?=#{1,3} )/m).map((section) => {
    const [first = '', ...rest] = section.split('\n');
    return { page, heading: first.replace(/^#+ /, ''), text: rest.join('\n').trim() };
  });
}
