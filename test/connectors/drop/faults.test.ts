import { expect, test } from 'vitest';
import { refuseUnwritable } from '../../../src/connectors/drop/faults.js';

const FULL = 'Free space on its disk.';
const RIGHTS = expect.stringMatching(/^Give the user permission to write in the folder/);

test.each([
  ['ENOSPC', FULL],
  ['EDQUOT', FULL],
  ['EACCES', RIGHTS],
  ['EROFS', RIGHTS],
])('suggests a remedy for a file that cannot be written because of %s', (code, remedy) => {
  const error = Object.assign(new Error(`${code}: write`), { code });
  expect(refuseUnwritable('/out/a.csv', error)).toMatchObject({ code: 'SYNC_SOURCE_UNWRITABLE', remedy });
});
