import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refuseUnwritable } from '../../../src/connectors/drop/faults.js';

const FULL = 'Free space on its disk.';
const RIGHTS = 'Give the user that runs talent-sync permission to write in the folder.';

test.each([
  ['ENOSPC', FULL, FULL],
  ['EDQUOT', FULL, FULL],
  ['EACCES', RIGHTS, `${RIGHTS} A source that is only read needs \`after: leave\` and no \`rejects\`.`],
  ['ENOTDIR', expect.stringMatching(/^Correct the path/), expect.stringMatching(/^Correct the path/)],
])('suggests a remedy for a file that cannot be written because of %s', (code, ofDelivery, ofSource) => {
  const error = Object.assign(new Error(`${code}: write`), { code });
  const told = (use: 'source' | 'delivery') => refuseUnwritable('/out/a.csv', error, use);
  expect(told('delivery')).toMatchObject({ code: 'SYNC_SOURCE_UNWRITABLE', remedy: ofDelivery });
  expect(told('source').remedy).toEqual(ofSource);
});

test('names the file in a path where a folder is needed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'faults-'));
  const file = join(folder, 'outbox');
  writeFileSync(file, '');
  const error = Object.assign(new Error('ENOTDIR: mkdir'), { code: 'ENOTDIR' });
  const { message } = refuseUnwritable(join(file, 'people', 'people.csv'), error, 'delivery');
  rmSync(folder, { recursive: true });
  expect(message).toBe(`${file} is a file, and a folder is needed.`);
});
