import type { TemplateSettings } from '../account/account-settings.js';
import type { ReadPicture } from '../pictures/read-picture.js';
import type { Labels } from './labels.js';

/** The content of a document in one language and in reading order. Three writers define its layout. */
export interface Paper {
  readonly title: string;
  /** Kind and id of the record. It becomes the file name if letters of the name have no ASCII equivalent. */
  readonly standIn: string;
  /** ISO 639-1 code of the language. */
  readonly language: string;
  readonly isRightToLeft: boolean;
  /**
   * Time of the record's last change, in milliseconds. It is used as the date of the document, so that an unchanged record
   * gives the same file.
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
 * How slides show a section: `summary` and `skills` on one slide each, `projects` on a slide per project, `list` with little
 * text per entry. The CV contains what these omit. A `text` section is shown completely.
 */
export type SectionLayout = 'summary' | 'skills' | 'projects' | 'list' | 'text';

export type PaperBlock = TextBlock | FactsBlock | RoleBlock | PicturesBlock | EntryBlock;

/** Lines of text. A line that begins with a hyphen, a star or a bullet is a list item. */
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

/** A role in a project. Its text is indented under its label, so that it does not seem to belong to the project. */
export interface RoleBlock extends Omit<TextBlock, 'kind'> {
  readonly kind: 'role';
  readonly label: string;
  readonly name: string;
}

export interface PicturesBlock {
  readonly kind: 'pictures';
  readonly pictures: readonly Picture[];
}

/** An entry with a name and a period, such as a project, a job or a course. */
export interface EntryBlock {
  readonly kind: 'entry';
  readonly title: string;
  readonly period: string;
  readonly subtitle: string;
  readonly blocks: readonly EntryPart[];
  /** If slides cannot show all entries of a section, they show those with the lowest ranks. */
  readonly rank: number;
}

export type EntryPart = Exclude<PaperBlock, EntryBlock>;

export type Picture = ReadPicture & {
  /** The description of the picture for people who cannot see it. */
  readonly caption: string;
};

/** A template in which defaults are filled in. */
export interface Look extends Pick<TemplateSettings, 'accent' | 'page'> {
  readonly company: string;
  readonly footer: string;
  readonly logo: Picture | undefined;
}

export interface Rendered {
  readonly bytes: Buffer;
  /** Scripts and characters that no font contains. The document shows their names in brackets. */
  readonly missing: readonly string[];
}

const RIGHT_TO_LEFT: readonly string[] = ['ar', 'dv', 'fa', 'he', 'ps', 'sd', 'ug', 'ur', 'yi'];

export const HAS_RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** Keeps neighbouring signs left to right, regardless of the surrounding text. */
export const LEFT_TO_RIGHT_MARK = '\u200e';

export function isRightToLeft(language: string): boolean {
  return RIGHT_TO_LEFT.includes(language);
}

/** True for a paragraph such as "My contribution:", which introduces the next one and must not come last on a page. */
export function isIntroduction(text: string): boolean {
  return /[:：]$/u.test(text);
}

/** True for introductions, and for the first and the second to last item of a list, so that no item is alone on a page. */
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
