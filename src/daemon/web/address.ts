import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { expandIpv6 } from '../../base/http/private-address.js';

/** The key for counting requests: an IPv4 address, or the /64 of an IPv6 address, because one client owns all of it. */
export function groupAddress(address: string): string {
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return plain;
  const network = expandIpv6(plain).slice(0, 4);
  return `${network.map((group) => group.toString(16)).join(':')}::/64`;
}

/**
 * Finds the client that sent a request: the address named by the nearest trusted proxies, else the peer of the connection.
 * Each proxy appends its caller's address. The list is therefore read from the end, up to the first address that is not a
 * trusted proxy. Anyone may have written the entries before that address. If both headers are present, one of them is
 * unchecked, and neither is used.
 */
export function findClient(peer: string, headers: IncomingHttpHeaders, proxies: readonly string[]): string {
  let client = plainAddress(peer);
  if (!isWithin(client, proxies)) return client;
  const forwarded = headers.forwarded;
  const listed = headers['x-forwarded-for'];
  if (forwarded !== undefined && listed !== undefined) return client;
  for (const hop of readHops(forwarded, listed).toReversed()) {
    if (isIP(hop) === 0) break;
    client = hop;
    if (!isWithin(client, proxies)) break;
  }
  return client;
}

/** @param ranges addresses and CIDR ranges */
export function isWithin(address: string, ranges: readonly string[]): boolean {
  if (ranges.length === 0) return false;
  const plain = plainAddress(address);
  return isIP(plain) !== 0 && blockListOf(ranges).check(plain, familyOf(plain));
}

const lists = new WeakMap<readonly string[], BlockList>();

function blockListOf(ranges: readonly string[]): BlockList {
  const known = lists.get(ranges);
  if (known !== undefined) return known;
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  lists.set(ranges, list);
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

/** Converts `::ffff:192.0.2.1` to 192.0.2.1. Drops a zone (`fe80::1%eth0`), which has a meaning on this machine only. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
}

/** Addresses from the farthest to the nearest, in the formats that proxies use: `for="[2001:db8::1]:4711"`, `192.0.2.1:80`. */
function readHops(forwarded: string | undefined, listed: string | readonly string[] | undefined): readonly string[] {
  if (forwarded !== undefined)
    return forwarded.split(',').map((hop) => bareHop(/(?:^|;)\s*for\s*=\s*"?([^";]*)/i.exec(hop)?.[1] ?? ''));
  return [listed ?? []].flat().join(',').split(',').map(bareHop);
}

function bareHop(text: string): string {
  const hop = text.trim();
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1];
  return plainAddress(bracketed ?? hop.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1'));
}
