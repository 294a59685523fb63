import type { Config } from '../config/config.js';
import type { Mapper } from '../mapping/mapper.js';
import { ENTITIES, type Entity } from '../model/entity.js';
import { foldKey } from '../model/observed.js';
import type { GuardTrip } from '../model/plan.js';
import { sha256 } from '../model/sha256.js';
import type { Vocabulary } from '../model/vocabulary.js';
import type { Stores } from '../store/open-stores.js';
import type { StagedEntity } from './staging/stage-sources.js';
import { MOST_WORDS } from './staging/take-words.js';

/** Operand → digests of its words, because a column may turn out to contain names of people; null for free text. */
type Learnt = Readonly<Record<string, readonly string[] | null>>;

const factOf = (entity: Entity): string => `vocabulary.${entity}`;
const digestOf = (word: string): string => sha256(word, 'base64url').slice(0, 16);
/** `Terminated` and ` terminated` are other spellings of `terminated`. */
const spellingOf = (word: string): string => `~${digestOf(foldKey(word))}`;

function readLearnt({ history }: Pick<Stores, 'history'>, entity: Entity): Learnt {
  return JSON.parse(history.fact(factOf(entity)) ?? '{}') as Learnt;
}

export function loadVocabulary(stores: Pick<Stores, 'history'>, entity: Entity): Vocabulary {
  const learnt = readLearnt(stores, entity);
  const sets = new Map(Object.entries(learnt).map(([operand, words]) => [operand, words && new Set(words)]));
  return {
    has: (operand) => sets.has(operand),
    knows(operand, word) {
      const words = sets.get(operand);
      return words === null || words?.has(digestOf(word)) === true;
    },
  };
}

/**
 * Holds changes that would activate, deactivate or remove an object, if its row has a new word in an operand of
 * `leaver.when` or `scope`. Every word of a first read is new, so the first read only teaches the words.
 */
export function holdUnknownWords(config: Config, { work, history }: Stores): readonly GuardTrip[] {
  return ENTITIES.flatMap((entity) => {
    const vocabulary = loadVocabulary({ history }, entity);
    const flips = work.flipsByWords(entity).filter(({ operand }) => vocabulary.has(operand));
    const guard = `${entity}.unknown_word`;
    const held = work.withholdRefs(new Set(flips.map(({ ref }) => ref)), guard);
    if (held === 0) return [];
    const open = new Map<string, number>();
    for (const { operand, word, approved } of flips) {
      if (approved) continue;
      const name = `${JSON.stringify(word)} in \`${operand}\``;
      open.set(name, (open.get(name) ?? 0) + 1);
    }
    const words = [...open].slice(0, 5).map(([name, count]) => `${name} (${count})`);
    const expressions = [config.mappings[entity]?.leaver?.when, config.mappings[entity]?.scope].filter(Boolean);
    const detail = `words that were never seen before decide who is active: ${words.join(', ')}; the condition is ${expressions.map((text) => `\`${text}\``).join(' and ')}`;
    return [{ guard, limit: 0, found: held, held, cause: 'unknown word', detail } as const];
  });
}

/**
 * Holds each word that is another spelling of a word in `leaver.when`, in every run, until a person decides about it.
 * The guard of unknown words handles words that activate or deactivate a person.
 */
export function holdRespelled(
  config: Config,
  entity: Entity,
  work: Pick<Stores['work'], 'strangeWords' | 'flipsByWords' | 'hold'>,
): void {
  const flips = work.flipsByWords(entity);
  for (const { operand, word, respells, rows, place } of work.strangeWords(entity)) {
    if (respells === null || flips.some((flip) => flip.operand === operand && flip.word === word)) continue;
    const setting = entity === 'users' ? 'users.leaver.when' : `${entity}.remove.when`;
    const count = rows === 1 ? 'one row has' : `${rows} rows have`;
    const plain = JSON.stringify(respells.trim().toLowerCase());
    work.hold({
      entity,
      key: `${operand} ${JSON.stringify(word)}`,
      place,
      code: 'SYNC_WORD_RESPELLED',
      reason: `${count} ${JSON.stringify(word)} in \`${operand}\`. \`${setting}\` names ${JSON.stringify(respells)}, and treats the two as different: \`${config.mappings[entity]?.leaver?.when ?? ''}\`.`,
      about: `${operand} ${word}`,
      remedy: `Correct the word in the source, or ignore case in \`${setting}\`, as in \`${operand}.lower() == ${plain}\`. If it means something else, acknowledge it with \`talent-sync holds ack\`.`,
    });
  }
}

/** True for names, places and remarks, where nearly every row has a word of its own. */
function isFreeText(words: number, rows: number): boolean {
  return words > MOST_WORDS || (words > 10 && words * 2 > rows);
}

/**
 * Learns the words of a run. A word stays unknown while a change waits because of it, or while it is an unapproved
 * spelling of a known word.
 */
export function learnWords(
  mappers: Readonly<Partial<Record<Entity, Mapper>>>,
  staged: readonly StagedEntity[],
  { work, history }: Stores,
): void {
  for (const { entity, deciding } of staged) {
    const uses = mappers[entity]?.vocabulary ?? [];
    if (uses.length === 0 || deciding.some(({ error }) => error !== null)) continue;
    const learnt = readLearnt({ history }, entity);
    const flips = work.flipsByWords(entity);
    const [strange, free] = [work.strangeWords(entity), work.freeTexts(entity)];
    const next: Record<string, readonly string[] | null> = {};
    for (const { operand, named } of uses) {
      const isOf = (one: { readonly operand: string }): boolean => one.operand === operand;
      const before = learnt[operand];
      const words = learnOperand(before, named, strange.filter(isOf), flips.filter(isOf));
      const distinct = [...words].filter((digest) => !digest.startsWith('~')).length;
      const isFree = before === null || free.includes(operand) || isFreeText(distinct, work.keyCounts(entity).all);
      next[operand] = isFree ? null : [...words].sort();
    }
    const text = JSON.stringify(next);
    if (text !== JSON.stringify(learnt)) history.setFact(factOf(entity), text);
  }
}

/** @param before the words learnt for the operand so far; undefined the first time */
function learnOperand(
  before: readonly string[] | null | undefined,
  named: readonly string[],
  strange: readonly { readonly word: string; readonly respells?: string | null }[],
  flips: ReturnType<Stores['work']['flipsByWords']>,
): ReadonlySet<string> {
  const words = new Set(before ?? []);
  for (const word of named) words.add(digestOf(word)).add(spellingOf(word));
  for (const { word, respells = null } of strange) {
    const ofWord = flips.filter((flip) => flip.word === word);
    const waits = ofWord.some((flip) => flip.waits);
    const isRespelled = (respells !== null || words.has(spellingOf(word))) && !ofWord.some(({ approved }) => approved);
    if (respells === null && before === undefined) words.add(digestOf(word)).add(spellingOf(word));
    if (!waits && !isRespelled) words.add(digestOf(word)).add(spellingOf(word));
  }
  return words;
}
