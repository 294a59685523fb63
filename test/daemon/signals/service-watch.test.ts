import { pino } from 'pino';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.js';
import { ServiceWatch } from '../../../src/daemon/signals/service-watch.js';
import { closeAfterTest } from '../../closing.js';
import { sweep } from '../../depth.js';
import { person } from '../../scenarios/company.js';
import { CREATE_USER, openStory, type Story } from '../../scenarios/kit.js';

const CROWD = Array.from({ length: 40 }, (_, at) => `C${at}`);

let story: Story;
let watch: ServiceWatch;
let signals: unknown[];

/** Everyone has the same timestamp, which is also the cursor's. */
async function open(ids: readonly string[]): Promise<void> {
  story = await openStory();
  story.clock.stop();
  story.configure({ schedule: { watch_service: '1m' } });
  story.deliver(ids.map((id) => person(id)));
  for (let runs = 0; runs < 2; runs += 1) await story.sync();
  signals = [];
  watch = new ServiceWatch({
    clock: story.clock,
    logger: pino({ level: 'silent' }),
    signals: { signal: (of) => void signals.push(of) },
    tenants: () => [{ name: 'acme', config: loadConfig(story.configFile, story.env) }],
  });
  closeAfterTest(watch);
  // Each tenant's first look comes at a moment of its own.
  await watch.look();
  story.clock.advance(60_000);
}

/** Returns the signals and calls of the next look. */
async function look(): Promise<{ readonly signals: number; readonly calls: number }> {
  story.takeReads();
  signals = [];
  await watch.look();
  story.clock.advance(60_000);
  return { signals: signals.length, calls: story.takeReads().length };
}

sweep("signals an edit in the cursor's second until a run has read it", async () => {
  await open(['E1', 'E2']);
  expect(await look()).toEqual({ signals: 0, calls: 1 });
  await open(['E1', 'E2']);
  await story.editUser('E2', { name: 'Somebody Else' });
  expect(await look()).toEqual({ signals: 1, calls: 1 });
  await story.sync();
  expect(await look()).toEqual({ signals: 0, calls: 1 });
});

test("does not signal talent-sync's own writes", async () => {
  await open(CROWD.slice(0, -1));
  story.clock.advance(60_000);
  story.deliver(CROWD.map((id) => person(id)));
  story.takeWrites();
  await story.sync();
  expect(story.takeWrites()).toEqual([CREATE_USER]);
  expect(await look()).toEqual({ signals: 0, calls: 1 });
  await story.editUser('C7', { name: 'Somebody Else' });
  expect((await look()).signals).toBe(1);
});
