import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { test } from 'vitest';
import { closeOpened } from '../closing.js';
import { IS_THOROUGH, oneIn } from '../depth.js';
import { BothSides } from './both-sides-player.js';
import { type BothHistory, histories } from './both-sides-steps.js';

/**
 * `BOTH_SIDES_SEED=7 BOTH_SIDES_RUNS=2000` plays as many histories, others than last time, `BOTH_SIDES_MINUTES=10` as many as it can
 * in that time, and BOTH_SIDES_PATH the one whose path a failure has printed beside its seed.
 */
const {
  BOTH_SIDES_SEED: seed,
  BOTH_SIDES_PATH: path,
  BOTH_SIDES_COUNTS: counts,
  BOTH_SIDES_RUNS: runs = IS_THOROUGH ? '100' : '1',
} = process.env;
/** Histories that once ended otherwise, as short as they go. */
const KEPT: readonly [BothHistory][] = [
  // HR shows that a cell was emptied, as it was told, when the service has another value already: HR has changed nothing.
  [
    {
      conflicts: 'service',
      drift: 'report',
      owners: { title: 'source', title_no: 'source', phone: 'source', unit: 'source' },
      clears: true,
      steps: [
        { do: 'both edit', who: 'p2', column: 'phone', word: 'a', other: '' },
        { do: 'run', full: false },
        { do: 'both edit', who: 'p2', column: 'phone', word: '', other: 'a' },
        { do: 'run', full: false },
        { do: 'decide', side: 'source' },
      ],
    },
  ],
  // HR, which once said nothing of a value, has taken what it was sent, and been sent the next: what is under way is no question.
  [
    {
      conflicts: 'owner',
      drift: 'correct',
      owners: { title: 'source', title_no: 'source', phone: 'source', unit: 'newest' },
      clears: false,
      steps: [
        { do: 'both edit', who: 'p2', column: 'unit', word: '', other: 'a' },
        { do: 'run', full: false },
        { do: 'a colleague edits', who: 'p2', column: 'unit', word: 'b' },
        { do: 'HR delivers', takesIn: true },
        { do: 'run', full: false },
        { do: 'run', full: false },
      ],
    },
  ],
  // HR never took what it was sent, and both sides keep what they have since: that its row is touched makes nobody the winner.
  [
    {
      conflicts: 'owner',
      drift: 'correct',
      owners: { title: 'source', title_no: 'source', phone: 'newest', unit: 'source' },
      clears: false,
      steps: [
        { do: 'a colleague edits', who: 'p2', column: 'phone', word: 'a' },
        { do: 'run', full: false },
        { do: 'both edit', who: 'p2', column: 'phone', word: 'new', other: '' },
        { do: 'run', full: false },
        { do: 'run', full: false },
        { do: 'come back', who: 'p2' },
      ],
    },
  ],
  // The same, of somebody of whom something else is held.
  [
    {
      conflicts: 'owner',
      drift: 'correct',
      owners: { title: 'source', title_no: 'source', phone: 'source', unit: 'newest' },
      clears: false,
      steps: [
        { do: 'HR edits', who: 'p1', column: 'unit', word: 'a' },
        { do: 'a colleague edits', who: 'p1', column: 'unit', word: '' },
        { do: 'get a new number', who: 'p1' },
        { do: 'both edit', who: 'p1', column: 'phone', word: '', other: 'a' },
        { do: 'run', full: false },
        { do: 'undo' },
        { do: 'unpin', who: 'p1' },
        { do: 'come back', who: 'p1' },
      ],
    },
  ],
];
const examples = [...oneIn(1, KEPT)];
const minutes = Number(process.env.BOTH_SIDES_MINUTES ?? 0);
const tally = new Map([['histories', 0]]);

async function playHistory({ steps, ...rules }: BothHistory): Promise<void> {
  try {
    const company = await BothSides.open(rules, tally);
    for (const step of steps) await company.play(step);
    await company.settle();
    tally.set('histories', (tally.get('histories') ?? 0) + 1);
  } finally {
    // Of very many none stays open.
    await closeOpened();
  }
}

test('whatever both sides do to a value: who wins by the rules, nothing is written twice, and then all is quiet', {
  timeout: minutes > 0 ? minutes * 60_000 + 400_000 : 120_000 + Number(runs) * 10_000,
}, async () => {
  try {
    await fc.assert(fc.asyncProperty(histories, playHistory), {
      numRuns: minutes > 0 ? 1_000_000 : Number(runs) + examples.length,
      ...(path === undefined ? { examples } : { path }),
      ...(minutes > 0 ? { interruptAfterTimeLimit: minutes * 60_000 } : {}),
      ...(seed === undefined ? {} : { seed: Number(seed) }),
      endOnFailure: !IS_THOROUGH,
    });
  } finally {
    const rows = [...tally].toSorted().map(([name, count]) => [`both sides: ${name}`, count] as const);
    if (counts !== undefined) writeFileSync(counts, JSON.stringify(Object.fromEntries(rows)));
  }
});
