import { expect, it } from 'vitest';
import { createPace } from '../../../src/connectors/http/pace.js';

/** A clock that advances only when every reader sleeps, and the times when calls were released. */
function openClock() {
  let now = 1_000_000;
  const sleepers: { readonly at: number; wake(): void }[] = [];
  const clock = {
    now: () => now,
    sleep: (ms: number) => new Promise<void>((wake) => void sleepers.push({ at: now + ms, wake })),
  };
  const pass = async (): Promise<void> => {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      const [next] = sleepers.sort((a, b) => a.at - b.at);
      if (next === undefined) return;
      sleepers.shift();
      now = next.at;
      next.wake();
    }
  };
  const set = (ms: number): void => {
    now = ms;
  };
  return { clock, pass, set };
}

it('spaces the calls of all readers of one host, without delaying those of another', async () => {
  const { clock, pass } = openClock();
  const pace = createPace(clock);
  const sent: string[] = [];
  const read = async (host: string, calls: number): Promise<void> => {
    for (let call = 0; call < calls; call++) {
      await pace(host, 250);
      sent.push(`${host} ${clock.now() - 1_000_000}`);
    }
  };
  const all = Promise.all([read('crm', 3), read('crm', 2), read('other', 1)]);
  await pass();
  await all;
  expect(sent.sort()).toEqual(['crm 0', 'crm 1000', 'crm 250', 'crm 500', 'crm 750', 'other 0']);
});

it('waits no longer than the distance after the clock is set back', async () => {
  const { clock, pass, set } = openClock();
  const pace = createPace(clock);
  await pace('crm', 250);
  set(0);
  const second = pace('crm', 250);
  await pass();
  await second;
  expect(clock.now()).toBe(250);
});
