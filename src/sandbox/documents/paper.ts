import type { TemplateSettings } from '../account/account-settings.js';
import type { ReadPicture } from '../pictures/read-picture.js';

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
  /** Label before the names of scripts that could not be shown. */
  readonly notShown: string;
}

export interface PaperHead {
  readonly name: string;
  readonly subtitle: string;
  readonly lines: readonly string[];
  readonly portrait: Picture | undefined;
}

export interface PaperSection {
  readonly heading: string;
  readonly blocks: readonly PaperBlock[];
}

export type PaperBlock = TextBlock | FactsBlock | PicturesBlock | EntryBlock;

/** Lines of text; a line that begins with a hyphen, a star or a bullet is a list item. */
export interface TextBlock {
  readonly kind: 'text';
  readonly paragraphs: readonly { readonly text: string; readonly isItem: boolean }[];
}

export interface FactsBlock {
  readonly kind: 'facts';
  readonly facts: readonly Fact[];
}

export interface Fact {
  readonly label: string;
  readonly value: string;
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
  readonly blocks: readonly Exclude<PaperBlock, EntryBlock>[];
}

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
