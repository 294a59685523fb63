import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { test } from 'vitest';
import { closeOpened } from '../closing.js';
import { IS_THOROUGH, oneIn } from '../depth.js';
import { BothSides } from './both-sides-player.js';
import { type BothHistory, histories } from './both-sides-steps.js';

/**
 * `BOTH_SIDES_SEED=7 BOTH_SIDES_RUNS=2000` plays as many new histories, `BOTH_SIDES_MINUTES=10` as many as fit into
 * that time,
 * and BOTH_SIDES_PATH the one with the path that a failure printed next to its seed.
 */
const {
  BOTH_SIDES_SEED: seed,
  BOTH_SIDES_PATH: path,
  BOTH_SIDES_COUNTS: counts,
  BOTH_SIDES_RUNS: runs = IS_THOROUGH ? '100' : '1',
} = process.env;
/** Shortest histories that once ended differently. */
const KEPT: readonly [BothHistory][] = [
  // HR shows that a cell was emptied on request, while the service already has another value: HR has changed nothing.
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
  // HR once said nothing about a value, took the sent one, and was sent the next: a value in transit is not a question.
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
  // HR never took what it was sent, and both sides have kept their values since: a touched row decides nothing.
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
  // The same for a person with another hold.
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
    // Closes each story, so that a long test keeps none open.
    await closeOpened();
  }
}

test('decides by the rules for any events on both sides, writes nothing twice, and then is quiet', {
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
