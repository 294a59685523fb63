import type { Enriching, Mapper } from '../mapping/mapper.js';
import type { Entity } from '../model/entity.js';
import type { SourceRecord } from '../model/source.js';
import type { Vocabulary } from '../model/vocabulary.js';
import type { WorkStore } from '../store/work/work-store.js';

/** With more words than this a column is free text, of which nothing is remembered. */
export const MOST_WORDS = 100;

/** In a free text every word is known, and nearly each row has another. */
const MOST_REMEMBERED = 1_000;

export interface WordTaker {
  /** Everything is to be read: of some expression no vocabulary is known yet. */
  readonly isNew: boolean;
  /** Notes what is new in a row; answers whether there was anything. */
  take(record: SourceRecord, companions: Enriching, today: Date): boolean;
}

/** Looks for words that no earlier run has seen, in what `leaver.when` and `scope` compare with fixed words. */
export function createWordTaker(entity: Entity, mapper: Mapper, known: Vocabulary, work: WorkStore): WordTaker {
  const found = new Map<string, Set<string>>();
  /** Those that an expression names, and those that are known by now: to look one up again takes a hash. */
  const usual = new Map<string, Set<string>>();
  for (const { operand, named: words } of mapper.vocabulary)
    usual.set(operand, new Set([...(usual.get(operand) ?? []), ...words]));
  function isNewWord(operand: string, word: string): boolean {
    const ofOperand = usual.get(operand);
    if (ofOperand?.has(word) === true) return false;
    if (known.knows(operand, word)) {
      if (ofOperand !== undefined && ofOperand.size < MOST_REMEMBERED) ofOperand.add(word);
      return false;
    }
    // Nothing is held for a word of the first read: each is noted once, to be learnt.
    return known.has(operand) || found.get(operand)?.has(word) !== true;
  }

  return {
    isNew: mapper.vocabulary.some(({ operand }) => !known.has(operand)),
    take(record, companions, today) {
      if (mapper.vocabulary.length === 0) return false;
      let isStrange = false;
      for (const [operand, word] of mapper.wordsOf(record, companions, today)) {
        if (!isNewWord(operand, word)) continue;
        isStrange ||= known.has(operand);
        const words = (found.get(operand) ?? new Set()).add(word);
        found.set(operand, words);
        work.noteWord(entity, record.key, operand, words.size > MOST_WORDS ? null : word);
      }
      return isStrange;
    },
  };
}
