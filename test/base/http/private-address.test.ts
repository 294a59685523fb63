import { expect, test } from 'vitest';
import { isLinkLocal, isLoopback, isPrivate, readAddress } from '../../../src/base/http/private-address.js';

test.each([
  ['127.0.0.1', true],
  ['10.255.255.255', true],
  ['172.15.255.255', false],
  ['172.16.0.1', true],
  ['172.31.255.255', true],
  ['172.32.0.1', false],
  ['192.168.1.1', true],
  ['169.254.169.254', true],
  ['100.64.0.1', true],
  ['100.128.0.1', false],
  ['0.0.0.0', true],
  ['255.255.255.255', true],
  ['8.8.8.8', false],
  ['203.0.113.9', false],
  ['::1', true],
  ['::', true],
  ['fe80::1%eth0', true],
  ['fd12:3456::1', true],
  ['2001:4860:4860::8888', false],
  ['::ffff:10.0.0.1', true],
  ['::ffff:8.8.8.8', false],
  ['::ffff:a00:1', true],
  ['64:ff9b::a00:1', true],
  ['64:ff9b::808:808', false],
  ['2002:a00:1::', true],
  ['2002:808:808::', false],
  ['2001::f5ff:fffe', true],
  ['2001:0:4136:e378:8000:63bf:3f57:fefe', true],
  ['2001::f7f7:f7f7', false],
  ['2001:4860::f5ff:fffe', false],
  ['no address', true],
])('judges %s as private: %s', (address, expected) => {
  expect(isPrivate(address)).toBe(expected);
});

test('recognises different spellings of an address', () => {
  for (const host of ['2130706433', '0x7f.1', '0177.0.0.1', '127.1', '[::ffff:127.0.0.1]', '[::1]'])
    expect(isLoopback(readAddress(new URL(`https://${host}/`)) ?? '')).toBe(true);
  expect(isLinkLocal('::ffff:169.254.1.1')).toBe(true);
  expect(readAddress(new URL('https://files.example.com/'))).toBeNull();
});
