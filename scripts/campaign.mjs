// Runs the campaign of test/campaign for a given time: random companies, faults and kills, each history held against a
// reference. It prints counts; on a failure it ends with the seed and the shortest story that still fails, which
// --story FILE tells again. With --all it goes on instead, and lists every seed that failed.
// Usage: npm run campaign -- [--minutes 60] [--seed 7] [--all] [--story FILE]
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string' },
    all: { type: 'boolean', default: false },
    story: { type: 'string' },
  },
});
const env = {
  ...process.env,
  CAMPAIGN_MINUTES: values.minutes,
  CAMPAIGN_SEED: values.seed ?? String(Math.floor(Math.random() * 1e9)),
  ...(values.all ? { CAMPAIGN_PATIENT: 'yes' } : {}),
  ...(values.story === undefined ? {} : { CAMPAIGN_STORY: values.story }),
};
const vitest = new URL('../node_modules/vitest/vitest.mjs', import.meta.url).pathname;
const args = [
  vitest,
  'run',
  '--mode',
  'all',
  '--maxWorkers=1',
  '--disable-console-intercept=true',
  'test/campaign/campaign.test.ts',
];
process.exitCode = spawnSync(process.execPath, args, { env, stdio: 'inherit' }).status ?? 1;
