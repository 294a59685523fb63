import type { History, Round } from './history.js';
import type { Broken } from './violation.js';

interface Found {
  readonly history: History;
  readonly broken: Broken;
}

/** Leaves out parts of a history while it still breaks a rule, in passes until nothing more can go. */
export async function shrinkHistory(
  found: Found,
  breaks: (history: History) => Promise<Broken | null>,
): Promise<Found> {
  let shortest = found;
  for (let goesOn = true; goesOn; ) {
    goesOn = false;
    for (const make of listCuts(shortest.history)) {
      const history = make(shortest.history);
      if (size(history) >= size(shortest.history)) continue;
      const broken = await breaks(history);
      // If a shorter story breaks another rule, it is another story.
      if (broken?.rule !== found.broken.rule) continue;
      shortest = { history, broken };
      goesOn = true;
    }
  }
  return shortest;
}

type Cut = (history: History) => History;

function size(history: History): number {
  return JSON.stringify(history).length;
}

/** Large cuts first. A cut that no longer fits after an earlier one changes nothing. */
function listCuts({ rounds }: History): readonly Cut[] {
  const cuts: Cut[] = rounds.map((_, index) => (history) => ({
    ...history,
    rounds: history.rounds.filter((_round, at) => at !== rounds.length - 1 - index),
  }));
  const inRound = (index: number, change: (round: Round) => Partial<Round>): void => {
    cuts.push((history) => ({
      ...history,
      rounds: history.rounds.map((round, at) => (at === index ? { ...round, ...change(round) } : round)),
    }));
  };
  for (const [index, round] of rounds.entries()) {
    for (const name of ['faults', 'acts', 'hands', 'losesMirrorAt', 'edits'] as const) {
      inRound(index, () => ({ [name]: [] }));
      const length = round[name].length;
      for (let part = Math.ceil(length / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2)) {
        for (let from = length - part; from > -part; from -= part) {
          inRound(index, (now) => ({
            [name]: (now[name] as readonly unknown[]).filter((_item, at) => at < from || at >= from + part),
          }));
        }
      }
    }
    inRound(index, () => ({ prelude: null }));
    inRound(index, () => ({ settings: {} }));
    inRound(index, ({ faults }) => ({ faults: faults.map((fault) => ({ ...fault, lasts: false as const })) }));
  }
  return cuts;
}
