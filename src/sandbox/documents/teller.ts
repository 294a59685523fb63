import { foldLoosely } from '../../model/raw-text.js';
import type { World } from '../account/world.js';
import { pickText, type Texts } from '../fields/languages.js';
import type { ImageDocument } from '../store/documents.js';
import { findPicture } from './choose-look.js';
import { type Labels, labelsOf } from './labels.js';
import {
  type EntryPart,
  type Fact,
  HAS_RIGHT_TO_LEFT,
  isRightToLeft,
  LEFT_TO_RIGHT_MARK,
  type PaperBlock,
  type PaperSection,
  type Picture,
  type SectionLayout,
  splitProse,
  type TextBlock,
} from './paper.js';

/**
 * Converts texts of records to one language. Names of people, customers, schools and skills fall back to another language,
 * because they often exist in one language only. Prose does not fall back, because a document must not mix languages.
 */
export interface Teller {
  readonly language: string;
  readonly isRightToLeft: boolean;
  readonly labels: Labels;
  readonly world: World;
  name(texts: Texts | undefined): string;
  prose(...texts: readonly (Texts | undefined)[]): readonly TextBlock[];
  pictures(images: readonly ImageDocument[]): readonly EntryPart[];
}

export function createTeller(world: World, language: string): Teller {
  const isFromRight = isRightToLeft(language);
  return {
    language,
    isRightToLeft: isFromRight,
    labels: labelsOf(language),
    world,
    name(texts) {
      const shown = (texts?.[language] || pickText(filled(texts), language)).trim();
      return isFromRight ? tieSigns(shown) : shown;
    },
    prose(...texts) {
      const said = texts.map((text) => text?.[language]?.trim() ?? '').filter((text) => text !== '');
      return said.length === 0 ? [] : [splitProse(said.join('\n'))];
    },
    pictures(images) {
      const pictures = images
        .map(({ image_id, caption }) => findPicture(world, image_id, caption[language] ?? ''))
        .filter((picture): picture is Picture => picture !== undefined);
      return pictures.length === 0 ? [] : [{ kind: 'pictures', pictures }];
    },
  };
}

/** Keeps the signs of names such as `C#`, `.NET` and `Acme K.K.` in position within right-to-left text (UAX #9). */
export function tieSigns(name: string): string {
  if (!/\p{Script=Latin}/u.test(name) || HAS_RIGHT_TO_LEFT.test(name)) return name;
  const sign = /[^\p{L}\p{N}]/u;
  const [before, after] = [name.charAt(0), name.charAt(name.length - 1)].map((end) =>
    sign.test(end) ? LEFT_TO_RIGHT_MARK : '',
  );
  return `${before}${name}${after}`;
}

function filled(texts: Texts = {}): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== ''));
}

/** Lists facts that have a value; no block if there are none. */
export function tellFacts(facts: readonly Fact[]): readonly EntryPart[] {
  const known = facts.filter(({ value }) => value !== '');
  return known.length === 0 ? [] : [{ kind: 'facts', facts: known }];
}

export function joinWords(words: readonly string[], separator = ' · '): string {
  return words.filter((word) => word !== '').join(separator);
}

/**
 * Converts texts to one language. A text that repeats an earlier one in any language becomes empty, ignoring case and accents.
 */
export function dropRepeats({ name }: Teller, texts: readonly (Texts | undefined)[]): readonly string[] {
  const said = new Set<string>();
  return texts.map((one) => {
    const words = Object.values(filled(one)).map(foldLoosely);
    const isRepeat = words.some((word) => said.has(word));
    for (const word of words) said.add(word);
    return isRepeat ? '' : name(one);
  });
}

/** Returns a section with its heading; nothing if the section has no content. */
export function listSection(
  heading: string,
  blocks: readonly PaperBlock[],
  kind: SectionLayout = 'text',
): readonly PaperSection[] {
  return blocks.length === 0 ? [] : [{ heading, kind, blocks }];
}
