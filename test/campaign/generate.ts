import { FAULT_KINDS, type Fault, type FaultKind, spareCalls } from './door.js';
import {
  type Account,
  type Act,
  applyEdits,
  type Cells,
  type Edit,
  type Hand,
  type History,
  type Passing,
  PRELUDES,
  type PreludeName,
  type Round,
  type Settings,
  startTables,
  type Tables,
} from './history.js';
import { isUnusable } from './in-use.js';
import { text } from './part.js';
import { PARTS } from './parts.js';
import { createRandom, type Random } from './random.js';
import { isWritten, listSystems } from './systems.js';

export interface Scope {
  /** The possible kinds of faults. */
  readonly faults: readonly FaultKind[];
  /** Accounts may hide people's tags everywhere. */
  readonly hidesTags: boolean;
  /** The maximum of days. */
  readonly days: number;
}

export const EVERYTHING: Scope = { faults: FAULT_KINDS, hidesTags: true, days: 4 };
/** For histories that are longer than a test may take. */
export const A_HUNDRED_DAYS: Scope = { ...EVERYTHING, days: 100 };
/** The approximate length of a round with its faults. */
const DAYS_A_ROUND = 7;

/** Generates a random company and its events: the same for the same seed. */
export function generateHistory(seed: number, { faults, hidesTags, days }: Scope): History {
  const random = createRandom(seed);
  const settings: Settings = {
    afterId: random.pick(['exclude', 'keyset']),
    tagsOnCvs: random.chance(0.5) || !hidesTags,
    afterMissingReads: random.pick([0, 1, 1, 2, 3]),
    concurrency: random.pick([1, 2, 4]),
    titleMark: '',
    emptyPhone: 'keep',
    crm: random.pick(['files', 'lists', 'changes']),
    writesBack: random.chance(0.7),
    protects: random.chance(0.5),
    purgeDays: random.pick([null, null, null, 20, 40]),
    // Not drawn at random, so that each seed keeps its history.
    mails: seed % 2 === 1,
  };
  let tables = startTables();
  let number = 0;
  const fresh = (): number => ++number;
  const rounds: Round[] = [];
  let accounts: readonly Account[] = [];
  const count = 2 + random.below(Math.max(3, Math.floor(days / DAYS_A_ROUND) - 1));
  for (let index = 0; index < count; index++) {
    const edits: Edit[] = [];
    const hands: Hand[] = [];
    for (const part of PARTS) {
      const most = index === 0 ? 9 : 4;
      for (let turn = random.below(most) + (index === 0 ? 3 : 0); turn > 0; turn--) {
        const made = part.edit(random, tables, fresh);
        // If more addresses change together, they are held as slipped values.
        if (made === null || (made.do === 'pass round' && edits.some((edit) => edit.do === 'pass round'))) continue;
        edits.push(made);
        tables = applyEdits(tables, [made], ALWAYS);
      }
      for (let turn = index === 0 ? 0 : random.below(3); turn > 0; turn--) {
        const made = part.hand?.(random, tables) ?? null;
        if (made !== null) hands.push(made);
      }
    }
    // As when the first delivery is played: nobody passes an address on before it.
    if (index === 0) accounts = listAccounts(random, applyEdits(startTables(), edits, NEVER));
    rounds.push({
      edits,
      hands,
      delivers: edits.length > 0 || random.chance(0.7),
      full: random.chance(0.5),
      faults: Array.from({ length: 1 + random.below(2) }, () => randomFault(random, faults, settings)),
      losesMirrorAt: [0, 1, 2, 3].filter(() => random.chance(0.15)),
      restHours: index === 0 ? 0 : Math.floor(((days * 24) / (count - 1)) * (0.5 + random.next())),
      settings: index === 0 || random.chance(0.7) ? {} : randomSettings(random),
      prelude: random.chance(0.7) ? null : random.pick(Object.keys(PRELUDES) as PreludeName[]),
      looksFirst: index === 0 || random.chance(0.5),
      acts: random.chance(0.6) ? [] : randomActs(random, tables, settings),
    });
  }
  return { seed, settings, accounts, rounds };
}

const ALWAYS: Passing = { canPass: () => true, canRenumber: () => true };
const NEVER: Passing = { canPass: () => false, canRenumber: () => false };

function randomSettings(random: Random): Round['settings'] {
  return random.chance(0.5)
    ? { titleMark: random.pick(['', ' II'] as const) }
    : { emptyPhone: random.pick(['keep', 'clear'] as const) };
}

function randomActs(random: Random, { people }: Tables, { purgeDays }: Settings): readonly Act[] {
  // The state no longer knows the run that a later undo would concern.
  if (random.chance(0.25)) return [{ do: 'restore' }];
  return Array.from({ length: 1 + random.below(2) }, () => {
    const what = random.pick(['undo', 'undo', 'erase', 'unlink'] as const);
    if (what === 'undo') return { do: what, back: random.pick(['undo', 'unpin'] as const) };
    // A row with an erased link may belong to anyone while it is unusable, and then nobody is purged.
    const known = [...people].flatMap(([key, cells]) => (purgeDays === null || !isUnusable(cells) ? [key] : []));
    return { do: what, key: random.pick(known.length > 0 ? known : [...people.keys()]) };
  });
}

/** First contact: some people of the first delivery exist already, and one whom no source knows. */
function listAccounts(random: Random, { people }: Tables): readonly Account[] {
  const isJoiner = (cells: Cells): boolean => text(cells, 'status') === '' && !isUnusable(cells);
  const joiners = [...people.values()].filter((cells) => isJoiner(cells) && random.chance(0.4));
  const known = joiners.map((cells) => ({
    email: text(cells, 'email'),
    // An account with an entirely different name may belong to another person, which a person is asked about.
    name: random.pick([text(cells, 'name'), `${text(cells, 'name')} as the service has it`]),
    place: random.pick(['no/Oslo', 'no/Bergen']),
    title: random.pick(['', 'Lead']),
  }));
  return [...known, { email: 'stranger@example.com', name: 'A Stranger', place: 'no/Oslo', title: '' }];
}

function randomFault(random: Random, kinds: readonly FaultKind[], settings: Settings): Fault {
  const kind = random.pick(kinds);
  const ofReads = kind === 'empty list' || kind === 'short list';
  const sources = listSystems(settings).filter((name) => name !== 'service');
  const system = !spareCalls(kind) && random.chance(0.4) ? random.pick(sources) : 'service';
  return {
    kind,
    system,
    of: ofReads || !isWritten(system, settings) || random.chance(0.3) ? 'calls' : 'writes',
    at: random.next(),
    lasts: random.chance(0.3),
    jumpHours: random.chance(0.3) ? random.below(97) - 48 : 0,
  };
}

/** The same history without its faults. */
export function withoutFaults({ rounds, ...history }: History): History {
  return { ...history, rounds: rounds.map((round) => ({ ...round, faults: [], losesMirrorAt: [] })) };
}
