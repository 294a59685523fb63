import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createTransferLimit } from '../../../src/connectors/drop/open-store.js';
import { FileWatch } from '../../../src/daemon/signals/file-watch.js';
import { closeAfterTest } from '../../closing.js';
import { loadSample, SAMPLE } from '../../config/sample.js';

const NOW = Date.parse('2026-11-21T08:00:00Z');
const SETTLE_S = 60;

/** A folder with files of these ages in seconds, and a watch over it. */
function open(ages: Readonly<Record<string, number>>, isShared = false) {
  const folder = join(mkdtempSync(join(tmpdir(), 'file-watch-')), 'drop');
  const config = loadSample(SAMPLE.replace('drop: ./drop', `drop: ${folder}\n    settle: ${SETTLE_S}s`));
  let now = NOW;
  let signals = 0;
  const drop = (name: string, ageS: number): void => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), 'id\n1\n');
    utimesSync(join(folder, name), now / 1_000 - ageS, now / 1_000 - ageS);
  };
  for (const [name, ageS] of Object.entries(ages)) drop(name, ageS);
  const watch = new FileWatch({
    logger: pino({ level: 'silent' }),
    signals: { signal: () => void signals++ },
    context: {
      clock: { now: () => now, sleep: async () => undefined },
      downloads: tmpdir(),
      limitTransfers: createTransferLimit(),
    },
    isShared,
    tenants: () => [{ name: 'acme', config }],
  });
  closeAfterTest(watch);
  return {
    ...{ folder, drop },
    /** The number of signals from all looks so far, after another look this many seconds later. */
    async look(laterS: number): Promise<number> {
      now += laterS * 1_000;
      await watch.look();
      return signals;
    },
  };
}

test.each([
  ['leaves a file that was complete before the daemon started to the schedule', 61, false, [0, 0]],
  ['signals an incomplete file once it is complete', 30, false, [0, 1]],
  ['signals a file that may have arrived while no daemon watched', 100, true, [1, 1]],
  ['ignores an older file that an earlier daemon has seen', 151, true, [0, 0]],
] as const)('%s', async (_, ageS, isShared, expected) => {
  const { look } = open({ 'employees-1.csv': ageS }, isShared);
  expect([await look(0), await look(SETTLE_S)]).toEqual(expected);
});

test('watches a folder that is created later, and does not signal files that are moved away', async () => {
  const { folder, drop, look } = open({});
  expect(await look(0)).toBe(0);
  drop('employees-1.csv', 0);
  expect([await look(60), await look(60)]).toEqual([1, 1]);
  drop('employees-2.csv', 0);
  expect([await look(60), await look(60)]).toEqual([2, 2]);
  rmSync(join(folder, 'employees-1.csv'));
  expect([await look(60), await look(60)]).toEqual([2, 2]);
  rmSync(join(folder, 'employees-2.csv'));
  expect([await look(60), await look(60)]).toEqual([2, 2]);
  drop('employees-3.csv', 0);
  expect([await look(60), await look(60)]).toEqual([3, 3]);
});
