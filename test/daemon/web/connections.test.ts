import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Connections } from '../../../src/daemon/web/connections.js';

class FakeSocket extends EventEmitter {
  destroyed = false;
  constructor(readonly remoteAddress: string) {
    super();
  }
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function open(proxy = 'none') {
  const clock = { nowMs: 0 };
  const connections = new Connections(
    (address) => address === proxy,
    () => clock.nowMs,
  );
  const dial = (address: string, times = 1): FakeSocket[] =>
    Array.from({ length: times }, () => {
      const socket = new FakeSocket(address);
      connections.admit(socket as unknown as Socket);
      return socket;
    });
  const prove = (socket: FakeSocket | undefined): void => connections.prove(socket as unknown as Socket);
  const left = (sockets: readonly FakeSocket[]): number => sockets.filter(({ destroyed }) => !destroyed).length;
  return { clock, dial, prove, left };
}

describe('connections without a valid token', () => {
  it('from one address: drops the oldest, once their headers had time to arrive', () => {
    const { clock, dial, left } = open();
    const first = dial('192.0.2.1', 200);
    const other = dial('192.0.2.2', 20);
    expect(left(first)).toBe(200);
    clock.nowMs = 1_500;
    const [last] = dial('192.0.2.1');
    expect([left(first), last?.destroyed, left(other)]).toEqual([31, false, 20]);
    expect(first.findIndex(({ destroyed }) => !destroyed)).toBe(169);
  });

  it('from one /64: counts them as one address, but not behind a proxy', () => {
    const { clock, dial, left } = open('10.0.0.1');
    const same = [...Array(100).keys()].flatMap((n) => dial(`2001:db8::${n.toString(16)}`));
    const proxied = dial('10.0.0.1', 100);
    clock.nowMs = 1_500;
    dial('2001:db8::ffff');
    dial('10.0.0.1');
    expect([left(same), left(proxied)]).toEqual([31, 100]);
  });

  it('from everywhere: drops those of the busiest address immediately for new ones', () => {
    const { dial, left } = open();
    const few = dial('192.0.2.1', 3);
    const many = dial('192.0.2.2', 2_000);
    const late = dial('192.0.2.3', 5);
    expect([left(few), left(many), left(late)]).toEqual([3, 504, 5]);
  });

  it('stop counting after a valid token or when they end', () => {
    const { clock, dial, prove, left } = open();
    const [friend] = dial('192.0.2.1');
    prove(friend);
    prove(friend);
    for (let n = 0; n < 50; n++) {
      clock.nowMs += 2_000;
      const crowd = dial('192.0.2.1', 40);
      for (const socket of crowd.slice(1)) socket.destroy();
      expect(left(crowd)).toBe(1);
    }
    expect(friend?.destroyed).toBe(false);
  });
});
