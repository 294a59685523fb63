import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findDaemonNextTo, findDaemonTarget } from '../../src/cli/find-daemon-target.js';

function folderWith(...files: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'target-'));
  for (const file of files) writeFileSync(join(folder, file), '');
  return folder;
}

test.each([
  ['only daemon.yaml', ['daemon.yaml'], ''],
  ['both', ['daemon.yaml', 'talent-sync.yaml'], ''],
  ['one tenant', ['talent-sync.yaml'], 'talent-sync.yaml'],
  ['nothing', [], 'talent-sync.yaml'],
])('finds the configuration of the daemon in a folder with %s', (_what, files, found) => {
  const folder = folderWith(...files);
  expect(findDaemonTarget(undefined, folder)).toBe(join(folder, found));
});

test('keeps a named configuration, and finds the daemon next to it', () => {
  const folder = folderWith('daemon.yaml');
  expect(findDaemonTarget('acme.yaml', folder)).toBe('acme.yaml');
  expect(findDaemonNextTo(join(folder, 'acme.yaml'))).toBe(folder);
  expect(findDaemonNextTo(join(folderWith(), 'acme.yaml'))).toBeNull();
});
