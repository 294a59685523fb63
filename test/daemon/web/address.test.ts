import { expect, it } from 'vitest';
import { findClient, groupAddress } from '../../../src/daemon/web/address.js';

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('counts %s as %s', (address, group) => {
  expect(groupAddress(address)).toBe(group);
});

const PROXIES = ['10.0.0.0/8', '192.0.2.7', 'fd00::/8'];

it.each<[string, Record<string, string>, string]>([
  // Only trusted proxies are believed.
  ['203.0.113.9', { 'x-forwarded-for': '198.51.100.1' }, '203.0.113.9'],
  ['10.0.0.1', {}, '10.0.0.1'],
  ['10.0.0.1', { 'x-forwarded-for': '198.51.100.1' }, '198.51.100.1'],
  ['::ffff:10.0.0.1', { 'x-forwarded-for': '198.51.100.1:4711' }, '198.51.100.1'],
  // Entries that the client wrote itself do not count.
  ['10.0.0.1', { 'x-forwarded-for': '1.2.3.4, 198.51.100.1' }, '198.51.100.1'],
  ['10.0.0.1', { 'x-forwarded-for': '1.2.3.4, 198.51.100.1, 192.0.2.7,10.9.9.9' }, '198.51.100.1'],
  ['10.0.0.1', { 'x-forwarded-for': 'nonsense, 10.0.0.2' }, '10.0.0.2'],
  ['10.0.0.1', { 'x-forwarded-for': 'nonsense' }, '10.0.0.1'],
  ['fd00::1', { forwarded: 'for=1.2.3.4, for="[2001:db8::5]:4711";proto=https' }, '2001:db8::5'],
  ['10.0.0.1', { forwarded: 'By=x;For=198.51.100.1' }, '198.51.100.1'],
  ['10.0.0.1', { forwarded: 'for=_hidden' }, '10.0.0.1'],
  // One of the two headers went through unchecked.
  ['10.0.0.1', { forwarded: 'for=1.2.3.4', 'x-forwarded-for': '198.51.100.1' }, '10.0.0.1'],
])('finds the client from %s, %o: %s', (peer, headers, client) => {
  expect(findClient(peer, headers, PROXIES)).toBe(client);
});
