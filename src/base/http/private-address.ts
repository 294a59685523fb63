import { BlockList, isIP } from 'node:net';

/** Addresses outside the public internet: this machine, its networks, and ranges for special use. */
const PRIVATE = build([
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 128, 'ipv6'],
  ['::1', 128, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 9, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
]);
/** Cloud providers serve a machine's credentials at these addresses. */
const LINK_LOCAL = build([
  ['169.254.0.0', 16, 'ipv4'],
  ['fe80::', 10, 'ipv6'],
]);
const LOOPBACK = build([
  ['127.0.0.0', 8, 'ipv4'],
  ['::1', 128, 'ipv6'],
]);

function build(nets: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[]): BlockList {
  const list = new BlockList();
  for (const [net, bits, family] of nets) list.addSubnet(net, bits, family);
  return list;
}

export const isPrivate = (address: string): boolean => isIn(PRIVATE, address);
export const isLinkLocal = (address: string): boolean => isIn(LINK_LOCAL, address);
export const isLoopback = (address: string): boolean => isIn(LOOPBACK, address);

/** The IP address in a URL; null if the URL has a host name. `new URL` has already parsed decimal and octal forms. */
export function readAddress({ hostname }: URL): string | null {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? null : host;
}

function isIn(list: BlockList, address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  const inner = readInner(plain);
  if (inner !== null) return list.check(inner, 'ipv4');
  const family = isIP(plain);
  // Text that is not an address counts as private, because it may be harmful.
  return family === 0 ? list === PRIVATE : list.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

/**
 * The IPv4 address embedded in an IPv6 one: mapped or compatible (RFC 4291), NAT64 (RFC 6052), 6to4 (RFC 3056), or
 * Teredo, which inverts it (RFC 4380).
 */
function readInner(address: string): string | null {
  if (isIP(address) !== 6) return null;
  const groups = expandIpv6(address);
  const from = (at: number, turned = 0): string => {
    const [high = 0, low = 0] = groups.slice(at).map((group) => group ^ turned);
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  };
  const begins = (...first: readonly number[]): boolean => first.every((group, at) => groups[at] === group);
  if (begins(0, 0, 0, 0, 0, 0xffff) || begins(0, 0, 0, 0, 0xffff, 0) || begins(0x64, 0xff9b, 0, 0, 0, 0))
    return from(6);
  if (begins(0, 0, 0, 0, 0, 0) && (groups[6] !== 0 || (groups[7] ?? 0) > 1)) return from(6);
  if (begins(0x2001, 0)) return from(6, 0xffff);
  return begins(0x2002) ? from(1) : null;
}

/** The eight groups of an IPv6 address. */
export function expandIpv6(address: string): readonly number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const [, before = '', a, b, c, d] = dotted ?? [];
  const plain =
    dotted === null
      ? address
      : `${before}${((Number(a) << 8) | Number(b)).toString(16)}:${((Number(c) << 8) | Number(d)).toString(16)}`;
  const [head = '', tail] = plain.split('::');
  const read = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  if (tail === undefined) return read(head);
  const [start, end] = [read(head), read(tail)];
  return [...start, ...Array.from({ length: 8 - start.length - end.length }, () => 0), ...end];
}
