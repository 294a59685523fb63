import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { closeOpened } from '../closing.js';
import { IS_THOROUGH } from '../depth.js';
import { History } from './from-scratch-history.js';
import { type StoryOfSteps, stories } from './from-scratch-steps.js';
import type { Story } from './kit.js';

/**
 * A run looks at what has moved and maps what is new. Whatever happened before, it plans what a run plans that looks at
 * everything and maps every row, over the same mirror and the same deliveries.
 *
 * `FROM_SCRATCH_SEED=7 FROM_SCRATCH_RUNS=2000` plays as many histories, others than last time, and `FROM_SCRATCH_MINUTES=10` as
 * many as it can in that time.
 */

/** Plans over a copy of the state in which nothing of what was staged, is known to have moved, or was found equal, is left. */
async function planFromScratch(story: Story): Promise<unknown> {
  const [state, kept] = [join(story.folder, 'var'), join(story.folder, 'kept')];
  cpSync(state, kept, { recursive: true });
  try {
    if (existsSync(join(state, 'mirror.db'))) {
      const mirror = new Database(join(state, 'mirror.db'));
      for (const table of ['staged_rows', 'staged_contents', 'staged_places', 'pending', 'moved_objects', 'counted'])
        mirror.exec(`DELETE FROM ${table}`);
      mirror.exec("DELETE FROM marks WHERE name LIKE 'staged%' OR name LIKE 'pending%'");
      mirror.close();
    }
    if (existsSync(join(state, 'state.db'))) {
      const links = new Database(join(state, 'state.db'));
      links.exec("UPDATE links SET context_hash = NULL WHERE entity = 'users'");
      links.close();
    }
    return describe(await story.plan());
  } finally {
    rmSync(state, { recursive: true });
    renameSync(kept, state);
  }
}

/** All that a plan says, but for its name and times. */
function describe({ code, json: { file, ...printed } }: Awaited<ReturnType<Story['plan']>>): unknown {
  const saved = file === undefined ? null : (JSON.parse(readFileSync(file, 'utf8')) as object);
  const text = JSON.stringify({ printed, saved }, (name, value: unknown) => (VARYING.has(name) ? undefined : value));
  return { code, ...(JSON.parse(text) as object) };
}

const VARYING: ReadonlySet<string> = new Set(['plan', 'created', 'expires', 'meta', 'sha256', 'seal']);

async function expectSamePlans({ estate, steps }: StoryOfSteps): Promise<void> {
  try {
    const history = await History.open(estate);
    const { story } = history;
    for (const step of steps) {
      await history.play(step);
      const scratch = await planFromScratch(story);
      expect(describe(await story.plan())).toEqual(scratch);
    }
    const held = (await story.plan({ full: true })).json.held ?? [];
    expect(held.filter(({ code }) => code === 'SYNC_ENGINE_DRIFT')).toEqual([]);
  } finally {
    // Of very many none stays open.
    await closeOpened();
  }
}

const { FROM_SCRATCH_SEED: seed, FROM_SCRATCH_RUNS: runs = IS_THOROUGH ? '500' : '8' } = process.env;
const minutes = Number(process.env.FROM_SCRATCH_MINUTES ?? 0);
const numRuns = minutes > 0 ? 1_000_000 : Number(runs);

test('whatever happened, a run plans what it would plan from scratch', {
  timeout: minutes > 0 ? minutes * 60_000 + 400_000 : 60_000 + numRuns * 20_000,
}, async () => {
  await fc.assert(fc.asyncProperty(stories, expectSamePlans), {
    numRuns,
    ...(minutes > 0 ? { interruptAfterTimeLimit: minutes * 60_000 } : {}),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
  });
});
