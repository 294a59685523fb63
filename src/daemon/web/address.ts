import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { expandIpv6 } from '../../base/http/private-address.js';

/** What requests are counted under: an IPv4 address itself, of an IPv6 address its /64, since who has one has all of them. */
export function groupAddress(address: string): string {
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return plain;
  const network = expandIpv6(plain).slice(0, 4);
  return `${network.map((group) => group.toString(16)).join(':')}::/64`;
}

/**
 * Who sent a request: the client that the nearest trusted proxies name, else the peer of the connection. Each proxy appends
 * the address that called it, so the list is read from its end, up to the first address that is no trusted proxy: anybody
 * may have written what is before it. Where both headers are there, one of them came through unchecked, and neither is believed.
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

/** `::ffff:192.0.2.1` is 192.0.2.1; a zone (`fe80::1%eth0`) is this machine's own word. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
}

/** Addresses from the farthest to the nearest, as the proxies wrote them: `for="[2001:db8::1]:4711"`, `192.0.2.1:80`. */
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
