import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closeOpened } from '../closing.js';
import { IS_THOROUGH, oneIn } from '../depth.js';
import { History } from './from-scratch-history.js';
import { type StoryOfSteps, stories } from './from-scratch-steps.js';
import { describePlan, planFromScratch } from './plan-from-scratch.js';

/**
 * A run looks at what has changed and maps what is new. After any history, it must plan the same as a run that looks at
 * everything and maps every row, over the same mirror and the same deliveries.
 *
 * `FROM_SCRATCH_SEED=7 FROM_SCRATCH_RUNS=2000` plays as many new histories, and `FROM_SCRATCH_MINUTES=10` plays as many
 * as
 * fit into that time.
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
    // Closes each story, so that a long test keeps none open.
    await closeOpened();
  }
}

/** Shortest stories that once led to two different plans. */
const KEPT: readonly [StoryOfSteps][] = [
  // The one row of a truncated file is from the last run, and by then it belongs to a person whom the service does not
  // have.
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
          how: 'intact',
        },
        { do: 'sync', full: false, fault: 'refused' },
        { do: 'deliver', table: 'people', changes: [], how: 'intact' },
        { do: 'approve' },
        { do: 'deliver', table: 'people', changes: [{ row: 0, column: 14, word: 0 }], how: 'intact' },
        { do: 'deliver', table: 'people', changes: [], how: 'cut' },
        { do: 'deliver', table: 'people', changes: [], how: 'intact' },
        { do: 'approve' },
      ],
    },
  ],
  // Another record names the link of one that the run does not look at.
  [
    {
      estate: 'staffing',
      steps: [
        { do: 'approve' },
        { do: 'edit', row: 0 },
        { do: 'approve' },
        { do: 'deliver', table: 'staffing', changes: [{ row: 0, column: 6, word: 2 }], how: 'intact' },
        { do: 'configure', patch: 0 },
      ],
    },
  ],
];

const examples = [...oneIn(1, KEPT)];
const { FROM_SCRATCH_SEED: seed, FROM_SCRATCH_RUNS: runs = IS_THOROUGH ? '500' : '0' } = process.env;
const minutes = Number(process.env.FROM_SCRATCH_MINUTES ?? 0);
const numRuns = minutes > 0 ? 1_000_000 : Number(runs);

test('plans after any history what it would plan from scratch', {
  timeout: minutes > 0 ? minutes * 60_000 + 400_000 : 120_000 + numRuns * 30_000,
}, async () => {
  await fc.assert(fc.asyncProperty(stories, expectSamePlans), {
    numRuns: numRuns + examples.length,
    examples,
    ...(minutes > 0 ? { interruptAfterTimeLimit: minutes * 60_000 } : {}),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
  });
});
