import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closeOpened } from '../closing.js';
import { IS_THOROUGH } from '../depth.js';
import { months } from './decisions/month.js';
import { openTally, playDecisions } from './decisions/play-decisions.js';

/** In `npm test` the same month each time, with a kill, approvals and declines. */
const DEPTH = IS_THOROUGH ? { turns: 40, numRuns: 150 } : { turns: 14, numRuns: 1, seed: 4 };

test("keeps its limits and people's decisions through any month", async () => {
  const tally = openTally();
  const { turns, ...depth } = DEPTH;
  await fc.assert(
    fc.asyncProperty(months(turns), async (month) => {
      try {
        await playDecisions(month, tally);
      } finally {
        await closeOpened();
      }
    }),
    { ...depth, endOnFailure: !IS_THOROUGH },
  );
  // Otherwise the months were idle. One month need not contain everything.
  for (const [what, count] of Object.entries(tally))
    if (IS_THOROUGH || ['runs', 'held', 'approvals', 'declines'].includes(what))
      expect([what, count > 0]).toEqual([what, true]);
}, 1_800_000);
