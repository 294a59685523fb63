import { describe, expect, test } from 'vitest';
import { createLogger } from '../../../src/base/logger.js';
import { createWorkSlots } from '../../../src/daemon/tenants/work-slots.js';

const MINUTE_MS = 60_000;

function openSlots(parallel: number) {
  const log: { readonly tenant: string; readonly minutes: number }[] = [];
  let nowMs = 0;
  const slots = createWorkSlots({
    what: 'a run',
    parallel,
    clock: { now: () => nowMs, sleep: async () => undefined },
    logger: createLogger('info', { write: (line) => void log.push(JSON.parse(line)) }),
  });
  const working: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    ...{ log, working, slots },
    /** Asks for a slot, and works until `end` is called. */
    come(tenant: string, givesWay = false) {
      const work = (): Promise<void> => {
        working.push(tenant);
        return new Promise<void>((resolve) => ends.set(tenant, resolve));
      };
      return slots.take(tenant, work, givesWay);
    },
    async end(tenant: string) {
      working.splice(working.indexOf(tenant), 1);
      ends.get(tenant)?.();
      await letOthersWork();
    },
    async pass(minutes: number) {
      nowMs += minutes * MINUTE_MS;
      slots.look();
      await letOthersWork();
    },
  };
}

/** Tasks pass two queues and start with a pause, which takes a few turns of the event loop. */
async function letOthersWork(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('a limited number of work slots', () => {
  test('lets the other tenants start in order, as slots become free', async () => {
    const { come, end, working } = openSlots(2);
    for (const tenant of ['a', 'b', 'c', 'd']) void come(tenant);
    await letOthersWork();
    expect(working).toEqual(['a', 'b']);
    await end('b');
    expect(working).toEqual(['a', 'c']);
    await end('a');
    expect(working).toEqual(['c', 'd']);
  });

  test('serves low-priority tenants last, with at most half of the slots', async () => {
    const { come, end, pass, working } = openSlots(4);
    for (const tenant of ['away1', 'away2', 'away3']) void come(tenant, true);
    await letOthersWork();
    expect(working).toEqual(['away1', 'away2']);
    for (const tenant of ['a', 'b', 'c']) void come(tenant);
    await letOthersWork();
    expect(working).toEqual(['away1', 'away2', 'a', 'b']);
    await end('away1');
    // Its low-priority slot is free, but a normal tenant asked first.
    expect(working).toEqual(['away2', 'a', 'b', 'c']);
    await end('a');
    expect(working).toEqual(['away2', 'b', 'c', 'away3']);
    // A hanging run keeps neither a slot nor a low-priority slot.
    void come('away4', true);
    await pass(15);
    expect(working).toContain('away4');
  });

  test('lets other work run between the end of one run and the start of the next', async () => {
    const { slots } = openSlots(1);
    const order: string[] = [];
    const first = async (): Promise<void> => {
      setImmediate(() => order.push('others'));
      order.push('first ends');
    };
    const second = async (): Promise<void> => void order.push('second starts');
    await Promise.all([slots.take('a', first, false), slots.take('b', second, false)]);
    expect(order).toEqual(['first ends', 'others', 'second starts']);
  });

  test('frees the slot of failing work, and passes the error to its caller only', async () => {
    const { slots, come, working } = openSlots(1);
    const failing = slots.take('a', () => Promise.reject(new Error('away')), false);
    void come('b');
    await expect(failing).rejects.toThrow('away');
    await letOthersWork();
    expect(working).toEqual(['b']);
  });
});

describe('a run that never ends', () => {
  test('loses its slot after a quarter of an hour, with one log line, and the others work', async () => {
    const { come, end, pass, working, log } = openSlots(1);
    void come('slow');
    void come('next');
    await letOthersWork();
    await pass(14);
    expect(working).toEqual(['slow']);
    await pass(1);
    expect(working).toEqual(['slow', 'next']);
    await pass(1);
    expect(log).toMatchObject([{ tenant: 'slow', minutes: 15 }]);
    // Its end does not free a second slot.
    void come('last');
    await end('slow');
    expect(working).toEqual(['next']);
    await end('next');
    expect(working).toEqual(['last']);
  });

  test('keeps its caller waiting until its end', async () => {
    const { come, end, pass } = openSlots(1);
    let isDone = false;
    void come('slow').then(() => {
      isDone = true;
    });
    await letOthersWork();
    await pass(20);
    expect(isDone).toBe(false);
    await end('slow');
    expect(isDone).toBe(true);
  });
});
