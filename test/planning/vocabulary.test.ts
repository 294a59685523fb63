import { describe, expect, it } from 'vitest';
import type { Mapper } from '../../src/mapping/mapper.js';
import type { StagedEntity } from '../../src/planning/staging/stage-sources.js';
import { MOST_WORDS } from '../../src/planning/staging/take-words.js';
import { holdUnknownWords, learnWords, loadVocabulary } from '../../src/planning/vocabulary.js';
import type { Stores } from '../../src/store/open-stores.js';
import { change, loadSample, SAMPLE } from '../config/sample.js';
import { changeOf, openTestStores } from '../samples.js';

interface Flip {
  readonly operand: string;
  readonly word: string;
  readonly waits?: boolean;
  readonly approved?: boolean;
}

interface Run {
  /** Unknown words of the rows, by operand. */
  readonly strange?: Readonly<Record<string, readonly string[]>>;
  readonly flips?: readonly Flip[];
  /** Operands with too many words in their rows to check. */
  readonly free?: readonly string[];
  readonly rows?: number;
  readonly failed?: boolean;
  /** Words that the expression itself names. */
  readonly named?: readonly string[];
  readonly operands?: readonly string[];
}

function open() {
  const { history } = openTestStores();
  const learn = ({
    strange = {},
    flips = [],
    free = [],
    rows = 1000,
    failed = false,
    named = [],
    operands = ['record.status'],
  }: Run) => {
    const work = {
      flipsByWords: () => flips.map((flip) => ({ waits: false, approved: false, ...flip })),
      strangeWords: () =>
        Object.entries(strange).flatMap(([operand, words]) => words.map((word) => ({ operand, word }))),
      freeTexts: () => free,
      keyCounts: () => ({ all: rows }),
    };
    const staged = [
      { entity: 'users', deciding: [{ error: failed ? new Error('x') : null }] },
    ] as unknown as readonly StagedEntity[];
    const mapper = { vocabulary: operands.map((operand) => ({ operand, named })) } as unknown as Mapper;
    learnWords({ users: mapper }, staged, { work, history } as unknown as Stores);
  };
  const knows = (word: string, operand = 'record.status') => loadVocabulary({ history }, 'users').knows(operand, word);
  const has = (operand = 'record.status') => loadVocabulary({ history }, 'users').has(operand);
  return { learn, knows, has };
}

const of = (...words: readonly string[]) => ({ 'record.status': words });
const flip = (word: string, more: Partial<Flip> = {}): Flip => ({ operand: 'record.status', word, ...more });

describe('words that decide who is active', () => {
  it('are all learnt in a first read, whatever is pending', () => {
    const { learn, knows, has } = open();
    expect([has(), knows('Active')]).toEqual([false, false]);
    learn({ strange: of('Active', 'Left'), flips: [flip('Left', { waits: true })], named: ['Gone'] });
    expect([has(), knows('Active'), knows('Left'), knows('Gone'), knows('Other')]).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(has('record.other')).toBe(false);
  });

  it('are learnt later, one by one, unless a pending change depends on them', () => {
    const { learn, knows } = open();
    learn({ strange: of('Active') });
    learn({ strange: of('Left', 'Leave'), flips: [flip('Left', { waits: true }), flip('Leave')] });
    expect([knows('Active'), knows('Left'), knows('Leave')]).toEqual([true, false, true]);
    learn({ strange: of('Left') });
    expect(knows('Left')).toBe(true);
  });

  it('are learnt in another spelling once a person approved it', () => {
    const { learn, knows } = open();
    learn({ strange: of('Left') });
    learn({ strange: of(' left') });
    expect(knows(' left')).toBe(false);
    learn({ strange: of(' left'), flips: [flip(' left', { approved: true })] });
    expect(knows(' left')).toBe(true);
  });

  it('are not learnt from a source that failed', () => {
    const { learn, has } = open();
    learn({ strange: of('Active'), failed: true });
    expect(has()).toBe(false);
  });

  it('are not checked in a free text, where every word counts as known', () => {
    const words = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `w${at}`);
    const isFree = (run: Run): boolean => {
      const { learn, knows } = open();
      learn(run);
      return knows('never seen');
    };
    expect(isFree({ strange: of('a'), free: ['record.status'] })).toBe(true);
    expect(isFree({ strange: of(...words(10)), rows: 10 })).toBe(false);
    expect(isFree({ strange: of(...words(11)), rows: 21 })).toBe(true);
    expect(isFree({ strange: of(...words(11)), rows: 22 })).toBe(false);
    expect(isFree({ strange: of(...words(MOST_WORDS)), rows: 1_000_000 })).toBe(false);
    expect(isFree({ strange: of(...words(MOST_WORDS + 1)), rows: 1_000_000 })).toBe(true);
    const { learn, knows } = open();
    learn({ strange: of('a'), free: ['record.status'] });
    learn({ strange: of('b') });
    expect(knows('never seen')).toBe(true);
  });

  it('belong to their own operand', () => {
    const { learn, knows } = open();
    const operands = ['record.status', 'record.kind'];
    learn({ operands, strange: { 'record.status': ['Active'], 'record.kind': ['Fixed'] }, free: [] });
    expect([knows('Fixed'), knows('Fixed', 'record.kind'), knows('Active', 'record.kind')]).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe('an unknown word that decides who is active', () => {
  const ACTIONS = { E1: 'deactivate', E2: 'deactivate', E3: 'reactivate', E4: 'update' } as const;

  function hold({ learnt = true, approved = [] as readonly string[], text = SAMPLE } = {}) {
    const stores = openTestStores();
    const mapper = { vocabulary: [{ operand: 'record.status', named: [] }] } as unknown as Mapper;
    const staged = [{ entity: 'users', deciding: [] }] as unknown as readonly StagedEntity[];
    if (learnt) learnWords({ users: mapper }, staged, stores);
    for (const [key, action] of Object.entries(ACTIONS)) {
      stores.work.plan(changeOf('users', key, { action, target: `u-${key}` }));
      const word = {
        operand: 'record.status',
        word: key === 'E3' ? 'Back' : 'Gone',
        isOfLeavers: true,
        respells: null,
      };
      stores.work.noteWord('users', { key, place: { source: 'hr', at: 'hr.csv' } }, word);
    }
    for (const key of approved) stores.work.approveId(`id-users-${key}`, 'a1');
    const trips = holdUnknownWords(loadSample(text), stores);
    const held = [...stores.work.inOrder('all')].filter(({ withheld }) => withheld !== null).map(({ key }) => key);
    return { trips, held: held.toSorted() };
  }

  it('holds every change that activates or deactivates an account, with the words and their expressions', () => {
    const { trips, held } = hold();
    expect(held).toEqual(['E1', 'E2', 'E3']);
    expect(trips).toEqual([
      {
        ...{ guard: 'users.unknown_word', limit: 0, found: 3, held: 3, cause: 'unknown word' },
        detail:
          'words that were never seen before decide who is active: "Back" in `record.status` (1), "Gone" in `record.status` (2); the condition is `record.?left.orValue(false)` and `record.dept != "x"`',
      },
    ]);
    const alone = hold({ text: change('  scope: record.dept != "x"\n', '', SAMPLE) });
    expect(alone.trips[0]?.detail).toMatch(/; the condition is `record\.\?left\.orValue\(false\)`$/);
  });

  it('releases approved changes, and everything in a first read', () => {
    expect(hold({ approved: ['E1'] })).toMatchObject({
      held: ['E2', 'E3'],
      trips: [{ found: 2, detail: expect.stringContaining('"Gone" in `record.status` (1)') }],
    });
    expect(hold({ approved: ['E1', 'E2', 'E3'] })).toEqual({ held: [], trips: [] });
    expect(hold({ learnt: false })).toEqual({ held: [], trips: [] });
  });
});
