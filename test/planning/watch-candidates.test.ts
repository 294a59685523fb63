import { expect, test } from 'vitest';
import type { ProgressStep } from '../../src/model/progress.js';
import { derivePlan } from '../../src/planning/derive-plan.js';
import { sweep } from '../depth.js';
import { contextOf, rowOf } from './world.js';

async function listReports(people: number, serviceRead = false): Promise<readonly ProgressStep[]> {
  const told: ProgressStep[] = [];
  const rows = Array.from({ length: people }, (_one, i) => rowOf(`E${i}`));
  const shows = { 'users.find': Promise.resolve(null) };
  const { context } = contextOf({ rows, serviceRead, shows });
  await derivePlan({ ...context, refresh: { ...context.refresh, onProgress: (step) => void told.push(step) } });
  return told;
}

test('reports how many of the candidates are planned', async () => {
  const step = { step: 'planning users', of: 'records', total: 1_200 };
  expect(await listReports(1_200)).toEqual([
    { ...step, more: 500 },
    { ...step, more: 500 },
    { ...step, more: 200 },
  ]);
});

sweep('reports nothing for a few, or when the same is derived again for a comparison', async () => {
  expect(await listReports(499)).toEqual([]);
  expect(await listReports(1_200, true)).toEqual([]);
});
