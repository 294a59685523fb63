import type { Enriching } from '../../mapping/map-result.js';
import type { Mapper } from '../../mapping/mapper.js';
import type { Entity } from '../../model/entity.js';
import { reduceText } from '../../model/raw-text.js';
import type { SourceRecord } from '../../model/source.js';
import type { Vocabulary } from '../../model/vocabulary.js';
import type { WorkStore } from '../../store/work/work-store.js';

/** A column with more words than this is free text, and its words are not remembered. */
export const MOST_WORDS = 100;

/** In free text every word counts as known, and nearly every row has another one. */
const MOST_REMEMBERED = 1_000;

export interface WordTaker {
  /** True if every row must be read, because an expression has no vocabulary yet. */
  readonly isNew: boolean;
  /** Records the new words of a row; returns true if a word is new in a known vocabulary, or is another spelling. */
  take(record: SourceRecord, companions: Enriching, today: Date): boolean;
}

/** Finds words that no earlier run has seen, in operands that `leaver.when` and `scope` compare with fixed words. */
export function createWordTaker(entity: Entity, mapper: Mapper, known: Vocabulary, work: WorkStore): WordTaker {
  const found = new Map<string, Set<string>>();
  /** The words that an expression names, and those known so far; a second look-up would need a hash. */
  const usual = new Map<string, Set<string>>();
  for (const { operand, named: words } of mapper.vocabulary)
    usual.set(operand, new Set([...(usual.get(operand) ?? []), ...words]));
  const spellings = new Map(mapper.vocabulary.map(({ operand, ofLeavers }) => [operand, ofLeavers] as const));
  const respelled = createRespellings(spellings);
  function isNewWord(operand: string, word: string): boolean {
    const ofOperand = usual.get(operand);
    if (ofOperand?.has(word) === true) return false;
    if (known.knows(operand, word)) {
      if (ofOperand !== undefined && ofOperand.size < MOST_REMEMBERED) ofOperand.add(word);
      return false;
    }
    // A word of the first read holds no change. Each word is recorded once, so that it can be learnt.
    return known.has(operand) || respelled(operand, word) !== null || found.get(operand)?.has(word) !== true;
  }

  return {
    isNew: mapper.vocabulary.some(({ operand }) => !known.has(operand)),
    take(record, companions, today) {
      if (mapper.vocabulary.length === 0) return false;
      let isStrange = false;
      for (const [operand, word] of mapper.wordsOf(record, companions, today)) {
        if (!isNewWord(operand, word)) continue;
        const respells = respelled(operand, word);
        isStrange ||= known.has(operand) || respells !== null;
        const words = (found.get(operand) ?? new Set()).add(word);
        found.set(operand, words);
        const isFree = words.size > MOST_WORDS;
        const isOfLeavers = spellings.get(operand) != null;
        work.noteWord(entity, record, {
          operand,
          word: isFree ? null : word,
          isOfLeavers,
          respells: isFree ? null : respells,
        });
      }
      return isStrange;
    },
  };
}

/** Finds the word of `leaver.when` that differs from another word only in case, accents, blanks or signs. */
function createRespellings(named: ReadonlyMap<string, readonly string[] | null>) {
  const known = new Map<string, Map<string, string | null>>();
  return (operand: string, word: string): string | null => {
    const ofOperand = known.get(operand) ?? new Map<string, string | null>();
    known.set(operand, ofOperand);
    const found = ofOperand.get(word);
    if (found !== undefined) return found;
    const plain = reduceText(word);
    const words = plain === '' ? [] : (named.get(operand) ?? []);
    const same = words.includes(word) ? null : (words.find((one) => reduceText(one) === plain) ?? null);
    if (ofOperand.size < MOST_REMEMBERED) ofOperand.set(word, same);
    return same;
  };
}
