import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolderSync } from '../../src/base/new-file.js';
import { checkShare } from '../../src/store/network-share.js';
import { makePrivate } from '../../src/store/private-file.js';
import { makeFolder } from '../samples.js';

const refuse = (code: string) => () => {
  throw Object.assign(new Error(`${code}: not permitted, chmod`), { code });
};

test.each([
  ['as its owner', chmodSync, true, 0o600],
  ['as another user, with fsGroup', refuse('EPERM'), false, 0o660],
])('makes a file private: %s', (_who, change, isPrivate, mode) => {
  const file = join(makeFolder(), 'state.db');
  writeFileSync(file, '');
  chmodSync(file, 0o660);
  expect(makePrivate(file, change)).toBe(isPrivate);
  expect(statSync(file).mode & 0o777).toBe(mode);
});

test('throws any other error of the file system', () => {
  const file = join(makeFolder(), 'state.db');
  writeFileSync(file, '');
  chmodSync(file, 0o660);
  expect(() => makePrivate(file, refuse('EROFS'))).toThrow('EROFS');
});

test('reports the first missing folder if a folder cannot be created', () => {
  const folder = makeFolder();
  writeFileSync(join(folder, 'a'), '');
  expect(() => makeFolderSync(join(folder, 'a', 'b', 'c'))).toThrow(/EEXIST.*a'/);
  // Not even root can create a folder there.
  expect(() => makeFolderSync('/proc/talent-sync/var/state')).toThrow("mkdir '/proc/talent-sync'");
  makeFolderSync(join(folder, 'b', 'c'));
  expect(statSync(join(folder, 'b', 'c')).isDirectory()).toBe(true);
});

test.each([
  ['a disk', 0xef53, false, false, null],
  ['NFS', 0x6969, false, false, 'refused'],
  ['SMB, as a signed number', 0xff534d42 | 0, false, false, 'refused'],
  ['allowed NFS', 0x6969, false, true, 'NFS'],
  ['NFS with an existing state', 0x6969, true, false, 'NFS'],
])('checks a state on %s', (_where, type, isThere, isAllowed, expected) => {
  const folder = join(makeFolder(), 'var');
  if (isThere) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'state.db'), '');
  }
  const check = () => checkShare(folder, isAllowed, () => ({ type }));
  if (expected === 'refused') expect(check).toThrow(/network share \((NFS|SMB)\)/);
  else expect(check()).toBe(expected);
});
