import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadFleet } from '../../src/config/load-fleet.js';

test('a daemon of one configuration, of nothing, and of a folder without daemon.yaml has no fleet', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-'));
  const file = join(folder, 'talent-sync.yaml');
  writeFileSync(file, 'policy: sync\n');
  expect([folder, file, join(folder, 'nowhere')].map(loadFleet)).toEqual([null, null, null]);
  rmSync(folder, { recursive: true });
});
