import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closeOpened } from '../closing.js';
import { IS_THOROUGH, oneIn } from '../depth.js';
import { History } from './from-scratch-history.js';
import { type StoryOfSteps, stories } from './from-scratch-steps.js';
import { describePlan, planFromScratch } from './plan-from-scratch.js';

/**
 * A run looks at what has moved and maps what is new. Whatever happened before, it plans what a run plans that looks at
 * everything and maps every row, over the same mirror and the same deliveries.
 *
 * `FROM_SCRATCH_SEED=7 FROM_SCRATCH_RUNS=2000` plays as many histories, others than last time, and `FROM_SCRATCH_MINUTES=10` as
 * many as it can in that time.
 */

async function expectSamePlans({ estate, steps }: StoryOfSteps): Promise<void> {
  try {
    const history = await History.open(estate);
    const { story } = history;
    for (const step of steps) {
      await history.play(step);
      const scratch = await planFromScratch(story);
      expect(describePlan(await story.plan())).toEqual(scratch);
    }
    const held = (await story.plan({ full: true })).json.held ?? [];
    expect(held.filter(({ code }) => code === 'SYNC_ENGINE_DRIFT')).toEqual([]);
  } finally {
    // Of very many none stays open.
    await closeOpened();
  }
}

/** Stories that once ended in two plans, as short as they go. */
const KEPT: readonly [StoryOfSteps][] = [
  // The one row of a file that was cut is the last run's, and of somebody whom the service does not have by that.
  [
    {
      estate: 'people',
      steps: [
        {
          do: 'deliver',
          table: 'people',
          changes: [
            { row: 0, column: 6, word: 10 },
            { row: 3, column: 0, word: 0 },
          ],
          how: 'as it is',
        },
        { do: 'sync', full: false, fault: 'refused' },
        { do: 'deliver', table: 'people', changes: [], how: 'as it is' },
        { do: 'approve' },
        { do: 'deliver', table: 'people', changes: [{ row: 0, column: 14, word: 0 }], how: 'as it is' },
        { do: 'deliver', table: 'people', changes: [], how: 'cut' },
        { do: 'deliver', table: 'people', changes: [], how: 'as it is' },
        { do: 'approve' },
      ],
    },
  ],
  // Another record names the link of one that is not looked at.
  [
    {
      estate: 'staffing',
      steps: [
        { do: 'approve' },
        { do: 'edit', row: 0 },
        { do: 'approve' },
        { do: 'deliver', table: 'staffing', changes: [{ row: 0, column: 6, word: 2 }], how: 'as it is' },
        { do: 'configure', patch: 0 },
      ],
    },
  ],
];

const examples = [...oneIn(1, KEPT)];
const { FROM_SCRATCH_SEED: seed, FROM_SCRATCH_RUNS: runs = IS_THOROUGH ? '500' : '0' } = process.env;
const minutes = Number(process.env.FROM_SCRATCH_MINUTES ?? 0);
const numRuns = minutes > 0 ? 1_000_000 : Number(runs);

test('whatever happened, a run plans what it would plan from scratch', {
  timeout: minutes > 0 ? minutes * 60_000 + 400_000 : 120_000 + numRuns * 30_000,
}, async () => {
  await fc.assert(fc.asyncProperty(stories, expectSamePlans), {
    numRuns: numRuns + examples.length,
    examples,
    ...(minutes > 0 ? { interruptAfterTimeLimit: minutes * 60_000 } : {}),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
  });
});
