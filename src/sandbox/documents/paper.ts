import type { TemplateSettings } from '../account/account-settings.js';
import type { ReadPicture } from '../pictures/read-picture.js';
import type { Labels } from './labels.js';

/** The content of a document, in one language and in reading order. Three writers define its layout. */
export interface Paper {
  readonly title: string;
  /** Kind and id: the name of its file if letters of the name have no counterpart in ASCII. */
  readonly standIn: string;
  /** ISO 639-1. */
  readonly language: string;
  readonly isRightToLeft: boolean;
  /**
   * Time of the last change of the record, in milliseconds. It is the document's date, so that an unchanged record gives the
   * same file.
   */
  readonly changedMs: number;
  readonly look: Look;
  readonly head: PaperHead;
  readonly sections: readonly PaperSection[];
  readonly labels: Labels;
}

export interface PaperHead {
  readonly name: string;
  readonly subtitle: string;
  readonly lines: readonly string[];
  readonly portrait: Picture | undefined;
}

export interface PaperSection {
  readonly heading: string;
  readonly kind: SectionLayout;
  readonly blocks: readonly PaperBlock[];
}

/**
 * How slides show a section: `summary` and `skills` on one slide each, `projects` on a slide per project, `list` with little text
 * per entry. Slides leave the rest of these to the CV, and show `text` in full.
 */
export type SectionLayout = 'summary' | 'skills' | 'projects' | 'list' | 'text';

export type PaperBlock = TextBlock | FactsBlock | RoleBlock | PicturesBlock | EntryBlock;

/** Lines of text; a line that begins with a hyphen, a star or a bullet is a list item. */
export interface TextBlock {
  readonly kind: 'text';
  readonly paragraphs: readonly ProseParagraph[];
}

export interface ProseParagraph {
  readonly text: string;
  readonly isItem: boolean;
}

export interface FactsBlock {
  readonly kind: 'facts';
  readonly facts: readonly Fact[];
}

export interface Fact {
  readonly label: string;
  readonly value: string;
}

/** A role of a project. Its text is set in under its label, so that it does not read as the project's. */
export interface RoleBlock extends Omit<TextBlock, 'kind'> {
  readonly kind: 'role';
  readonly label: string;
  readonly name: string;
}

export interface PicturesBlock {
  readonly kind: 'pictures';
  readonly pictures: readonly Picture[];
}

/** An entry with a name and a period: a project, a job, a course. */
export interface EntryBlock {
  readonly kind: 'entry';
  readonly title: string;
  readonly period: string;
  readonly subtitle: string;
  readonly blocks: readonly EntryPart[];
  /** Slides that cannot show all entries of a section show the lowest ranks. */
  readonly rank: number;
}

export type EntryPart = Exclude<PaperBlock, EntryBlock>;

export type Picture = ReadPicture & {
  /** Describes it to people who cannot see it. */
  readonly caption: string;
};

/** A template with its defaults. */
export interface Look extends Pick<TemplateSettings, 'accent' | 'page'> {
  readonly company: string;
  readonly footer: string;
  readonly logo: Picture | undefined;
}

export interface Rendered {
  readonly bytes: Buffer;
  /** Scripts and characters missing in all fonts; the document names them in brackets. */
  readonly missing: readonly string[];
}

const RIGHT_TO_LEFT: readonly string[] = ['ar', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'];

export const HAS_RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** Keeps neighbouring signs left to right, regardless of the surrounding text. */
export const LEFT_TO_RIGHT_MARK = '\u200e';

export function isRightToLeft(language: string): boolean {
  return RIGHT_TO_LEFT.includes(language);
}

/** A paragraph such as "My contribution:" introduces the next one, and never ends a page. */
export function isIntroduction(text: string): boolean {
  return /[:：]$/u.test(text);
}

/** Introductions keep the next paragraph, and so do the first item of a list and the last but one: no item is alone on a page. */
export function keepsNextParagraph(paragraphs: readonly ProseParagraph[], index: number): boolean {
  const isItem = (place: number): boolean => paragraphs[place]?.isItem ?? false;
  if (!isItem(index)) return isIntroduction(paragraphs[index]?.text ?? '');
  return isItem(index + 1) && !(isItem(index - 1) && isItem(index + 2));
}

export function splitProse(text: string): TextBlock {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const paragraphs = lines.map((line) => {
    const item = /^[-*•–]\s+(.*)$/u.exec(line)?.[1];
    return { text: item ?? line, isItem: item !== undefined };
  });
  return { kind: 'text', paragraphs };
}
