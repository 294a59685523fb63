import { expect, it } from 'vitest';
import { WrongTokens } from '../../../src/daemon/web/wrong-tokens.js';

const NEVER = new AbortController().signal;

function open() {
  const clock = { nowMs: 0 };
  const paused: number[] = [];
  const tokens = new WrongTokens(
    () => clock.nowMs,
    async (ms) => void paused.push(ms),
  );
  return { clock, paused, hold: (address: string) => tokens.holdBack(address, NEVER) };
}

it('delays wrong tokens from an address longer each time, then rejects them, and forgets them in time', async () => {
  const { clock, paused, hold } = open();
  const answers: (number | null)[] = [];
  for (let n = 0; n < 22; n++) answers.push(await hold('192.0.2.1'));
  expect(paused).toEqual([250, 500, 1_000, 2_000, ...Array.from({ length: 11 }, () => 4_000)]);
  expect(answers).toEqual([...Array.from({ length: 20 }, () => null), 10, 20]);
  expect(await hold('192.0.2.2')).toBeNull();
  clock.nowMs += 20_000;
  expect([await hold('192.0.2.1'), paused.length]).toEqual([10, 15]);
  clock.nowMs += 600_000;
  expect([await hold('192.0.2.1'), paused.length]).toEqual([null, 15]);
});

it('counts a /64 as one address, and remembers a limited number of addresses', async () => {
  const { paused, hold } = open();
  for (let n = 0; n < 6; n++) await hold(`2001:db8::${n}`);
  expect(paused).toEqual([250]);
  for (let n = 0; n < 5_000; n++) await hold(`10.0.${n >> 8}.${n & 255}`);
  await hold('2001:db8::1');
  expect(paused).toEqual([250]);
});

it('lets few wait at the same time, and asks others to retry', async () => {
  const ends: (() => void)[] = [];
  const tokens = new WrongTokens(
    () => 0,
    () => new Promise((resolve) => ends.push(resolve)),
  );
  for (let n = 0; n < 5; n++) await tokens.holdBack('192.0.2.1', NEVER);
  const waiting = Array.from({ length: 4 }, () => tokens.holdBack('192.0.2.1', NEVER));
  expect(await tokens.holdBack('192.0.2.1', NEVER)).toBe(10);
  for (const end of ends) end();
  expect(await Promise.all(waiting)).toEqual([null, null, null, null]);
});
