import { FAULT_KINDS, type Fault, type FaultKind } from './door.js';
import {
  type Account,
  applyEdits,
  type Edit,
  type Hand,
  type History,
  type Round,
  type Settings,
  startTables,
  type Tables,
} from './history.js';
import { text } from './part.js';
import { PARTS } from './parts.js';
import { createRandom, type Random } from './random.js';

export interface Scope {
  /** The kinds of fault that come up. */
  readonly faults: readonly FaultKind[];
  /** Whether accounts come up where the tags of people show nowhere. */
  readonly hidesTags: boolean;
}

export const EVERYTHING: Scope = { faults: FAULT_KINDS, hidesTags: true };
/** A random company, and what becomes of it: the same for the same seed. */
export function generateHistory(seed: number, { faults, hidesTags }: Scope): History {
  const random = createRandom(seed);
  const settings: Settings = {
    afterId: random.pick(['exclude', 'keyset']),
    tagsOnCvs: random.chance(0.5) || !hidesTags,
    afterMissingReads: random.pick([0, 1, 1, 2, 3]),
    concurrency: random.pick([1, 2, 4]),
  };
  let tables = startTables();
  let number = 0;
  const fresh = (): number => ++number;
  const rounds: Round[] = [];
  let accounts: readonly Account[] = [];
  const count = 2 + random.below(3);
  for (let index = 0; index < count; index++) {
    const edits: Edit[] = [];
    const hands: Hand[] = [];
    for (const part of PARTS) {
      const most = index === 0 ? 9 : 4;
      for (let turn = random.below(most) + (index === 0 ? 3 : 0); turn > 0; turn--) {
        const made = part.edit(random, tables, fresh);
        if (made === null) continue;
        edits.push(made);
        tables = applyEdits(tables, [made], () => true);
      }
      for (let turn = index === 0 ? 0 : random.below(3); turn > 0; turn--) {
        const made = part.hand?.(random, tables) ?? null;
        if (made !== null) hands.push(made);
      }
    }
    // As the first delivery is played: nobody passes an address on before it.
    if (index === 0)
      accounts = listAccounts(
        random,
        applyEdits(startTables(), edits, () => false),
      );
    rounds.push({
      edits,
      hands,
      delivers: edits.length > 0 || random.chance(0.7),
      full: random.chance(0.5),
      faults: Array.from({ length: 1 + random.below(2) }, () => randomFault(random, faults)),
      losesMirrorAt: [0, 1, 2, 3].filter(() => random.chance(0.15)),
    });
  }
  return { seed, settings, accounts, rounds };
}

/** First contact: some of the people of the first delivery are there already, and somebody whom no source knows. */
function listAccounts(random: Random, { people }: Tables): readonly Account[] {
  const joiners = [...people.values()].filter((cells) => text(cells, 'status') === '' && random.chance(0.4));
  const known = joiners.map((cells) => ({
    email: text(cells, 'email'),
    name: random.pick([text(cells, 'name'), 'As the service has it']),
    place: random.pick(['no/Oslo', 'no/Bergen']),
    title: random.pick(['', 'Lead']),
  }));
  return [...known, { email: 'stranger@example.com', name: 'A Stranger', place: 'no/Oslo', title: '' }];
}

function randomFault(random: Random, kinds: readonly FaultKind[]): Fault {
  const kind = random.pick(kinds);
  const ofReads = kind === 'empty list' || kind === 'short list';
  return {
    kind,
    of: ofReads || random.chance(0.3) ? 'calls' : 'writes',
    at: random.next(),
    lasts: random.chance(0.3),
    jumpHours: random.chance(0.3) ? random.below(97) - 48 : 0,
  };
}

/** The same history where nothing goes wrong. */
export function withoutFaults({ rounds, ...history }: History): History {
  return { ...history, rounds: rounds.map((round) => ({ ...round, faults: [], losesMirrorAt: [] })) };
}
