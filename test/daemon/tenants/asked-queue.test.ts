import { describe, expect, it } from 'vitest';
import { AskedQueue } from '../../../src/daemon/tenants/asked-work.js';
import type { Signal } from '../../../src/model/signal.js';
import type { WorkOrder } from '../../../src/operations/work-order.js';

const PLAIN = { only: null, full: false, asOf: null, ignoreQuietHours: false, isDetailed: false, look: null };

function signalled(source: string, atMs: number): WorkOrder {
  return { ...PLAIN, signals: [{ kind: 'hook', source, atMs }] };
}

describe('requests for a tenant', () => {
  it('become one run for all waiting signals, with the first signal of each source', () => {
    const queue = new AskedQueue();
    for (let at = 1; at <= 50; at += 1) queue.ask('run', 'signal', at, signalled(at % 2 === 0 ? 'hr' : 'crm', at));
    const waiting = queue.next();
    const { signals } = waiting?.order ?? {};
    expect([...(signals ?? [])].sort((a: Signal, b: Signal) => a.atMs - b.atMs)).toEqual([
      { kind: 'hook', source: 'crm', atMs: 1 },
      { kind: 'hook', source: 'hr', atMs: 2 },
    ]);
    if (waiting !== null) queue.begin(waiting, 'r1');
    expect(queue.next()).toBeNull();
    // A signal during a run may have come too late for that run.
    queue.ask('run', 'signal', 60, signalled('hr', 60));
    expect(queue.next()).toMatchObject({ order: { signals: [{ atMs: 60 }] } });
  });

  it("let a person's request go first while signals may not start a run", () => {
    const queue = new AskedQueue();
    queue.ask('run', 'signal', 1, signalled('hr', 1));
    expect(queue.next(false)).toBeNull();
    queue.ask('run', 'jane@example.com', 2);
    expect([queue.next(false)?.by, queue.next()?.by]).toEqual(['jane@example.com', 'signal']);
  });
});
