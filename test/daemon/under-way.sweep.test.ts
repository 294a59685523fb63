import { expect, test } from 'vitest';
import { person } from '../scenarios/company.js';
import { openGate } from '../scenarios/gate.js';
import { runProgram, startDaemon, waitUntil } from './daemon-process.js';
import { openDue } from './due-story.js';

interface Shown {
  readonly under_way: object | null;
  readonly runs: readonly { readonly id: string; readonly ended_at: string | null; readonly under_way?: object }[];
}

test('status and runs show who runs, since when and in which stage, and report a dead process', async () => {
  const story = await openDue([person('E1')]);
  let meet: () => void = () => undefined;
  const met = new Promise<void>((resolve) => {
    meet = resolve;
  });
  const gate = await openGate(story.sandbox.url, 1, () => {
    meet();
    return new Promise<never>(() => undefined);
  });
  story.configure({ service: { base_url: gate.url } });
  const daemon = startDaemon(story);
  await met;
  const time = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/);
  const holder = expect.stringContaining(`daemon, process ${daemon.pid} on `);
  const working = { holder, since: time, stage: 'applying', stage_since: time };
  const { json: status } = await runProgram<Shown>(story, 'status');
  expect(status.under_way).toEqual(working);
  expect(status.runs[0]).toMatchObject({ ended_at: null, under_way: working });
  const { json: all } = await runProgram<Shown>(story, 'runs');
  expect(all.runs.map(({ under_way }) => under_way !== undefined)).toEqual([true, false]);
  expect((await story.type('status')).stdout).toMatch(/^Now {6}daemon, process \d+ on \S+ since .*: applying, since /m);
  expect((await story.type('runs')).stdout).toMatch(/daemon {3}applying, since .*\n.*, under way: daemon, process /);

  daemon.send('SIGKILL');
  await waitUntil('it is gone', () => !daemon.isRunning());
  await daemon.ended;
  const { json: dead } = await runProgram<Shown>(story, 'status');
  expect(dead.under_way).toBeNull();
  expect(dead.runs[0]).not.toHaveProperty('under_way');
  expect((await story.type('status')).stdout).toMatch(
    /daemon {3}its process died; the next run finishes what it began\n.*did not end/,
  );
});
