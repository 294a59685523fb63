import { existsSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Logger } from '../../../src/base/logger.js';
import { DaemonMark } from '../../../src/daemon/tenants/daemon-mark.js';

const NOW = Date.UTC(2026, 10, 20, 8);

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'daemon-mark-'));
  const file = join(folder, 'daemon.json');
  const told: unknown[] = [];
  let nowMs = NOW;
  const clock = { now: () => nowMs, sleep: async () => undefined };
  const logger = { warn: (facts: { other: string }) => told.push(facts.other) } as unknown as Logger;
  const mark = new DaemonMark({ holder: 'daemon, process 1 here', clock, logger });
  const leaveOther = (pid: number, host: string): void => {
    writeFileSync(file, JSON.stringify({ holder: `daemon, process ${pid} on ${host}`, host, pid }));
    utimesSync(file, nowMs / 1_000, nowMs / 1_000);
  };
  const advance = (ms: number): void => {
    nowMs += ms;
  };
  return { folder, file, told, mark, leaveOther, advance };
}

it('warns once about a living daemon, and leaves its mark', () => {
  const { folder, file, told, mark, leaveOther } = open();
  const pid = process.ppid;
  leaveOther(pid, hostname());
  mark.renew(folder);
  mark.renew(folder);
  expect(told).toEqual([`daemon, process ${pid} on ${hostname()}`]);
  expect(() => mark.check(folder)).toThrow(`Another daemon serves this state: daemon, process ${pid}`);
  mark.remove(folder);
  expect(existsSync(file)).toBe(true);
});

it('takes over the mark of a daemon that was killed', () => {
  const { folder, told, mark, leaveOther } = open();
  leaveOther(2 ** 22 + 1, hostname());
  mark.check(folder);
  mark.renew(folder);
  expect(told).toEqual([]);
});

it('counts a daemon on another machine while it renews its mark', () => {
  const { folder, file, told, mark, leaveOther, advance } = open();
  leaveOther(1, 'worker-2');
  mark.renew(folder);
  expect(told).toEqual(['daemon, process 1 on worker-2']);
  advance(4 * 60_000);
  mark.renew(folder);
  expect(told).toHaveLength(1);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: process.pid });
});

it('marks a folder until the daemon leaves it, and repairs a damaged mark', () => {
  const { folder, file, told, mark } = open();
  writeFileSync(file, '{"holder"');
  mark.renew(folder);
  mark.renew(folder);
  mark.check(folder);
  expect(existsSync(file)).toBe(true);
  mark.remove(folder);
  expect([existsSync(file), told]).toEqual([false, []]);
  // The folder is gone.
  mark.renew(join(folder, 'nowhere'));
});
