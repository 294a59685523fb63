import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadFleet } from '../../src/config/load-fleet.js';
import { loadWeb } from '../../src/config/load-web.js';
import { closeAfterTest } from '../closing.js';

function folderWith(daemonYaml: string | null): string {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-fleet-'));
  closeAfterTest({ close: () => rmSync(folder, { recursive: true }) });
  if (daemonYaml !== null) writeFileSync(join(folder, 'daemon.yaml'), daemonYaml);
  return folder;
}

const FLEET = 'fleet: { daemons: 3, volume: ./volume, hand_over: /hand-over, tenants: [acme, north] }\n';
const WEB = 'web: { listen: "127.0.0.1:0", state: ./web }\n';

test('a fleet, with paths from the folder, and beside it or without it the pages', () => {
  const folder = folderWith(FLEET);
  const tenants = ['acme', 'north'];
  const fleet = { daemons: 3, volume: join(folder, 'volume'), handOver: '/hand-over', tenants };
  expect(loadFleet(folder)).toEqual(fleet);
  expect(loadWeb(folder, {}, false)).toBeNull();
  expect(loadFleet(folderWith(FLEET + WEB))?.tenants).toEqual(tenants);
  expect(loadWeb(folderWith(FLEET + WEB), {}, false)).not.toBeNull();
  expect(loadWeb(folderWith(WEB), {}, false)).not.toBeNull();
});

test.each([null, WEB])('none in %j', (text) => {
  expect(loadFleet(folderWith(text))).toBeNull();
});

test.each([
  ['fleet: { daemons: 0, volume: ./v, hand_over: /h, tenants: [] }\n', 'daemons'],
  ['fleet: { daemons: 2, volume: ./v, tenants: [] }\n', 'hand_over'],
  ['fleet: { daemons: 2, volume: ./v, hand_over: /h, tenants: ["../a"] }\n', 'tenants'],
])('%j is refused', (text, place) => {
  expect(() => loadFleet(folderWith(text))).toThrow(
    expect.objectContaining({ problems: [expect.objectContaining({ place: expect.stringContaining(place) })] }),
  );
});

test('a daemon of one configuration, of nothing, and of a folder without daemon.yaml has no fleet', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-'));
  const file = join(folder, 'talent-sync.yaml');
  writeFileSync(file, 'policy: sync\n');
  expect([folder, file, join(folder, 'nowhere')].map(loadFleet)).toEqual([null, null, null]);
  rmSync(folder, { recursive: true });
});
