import type { LookupFunction } from 'node:net';
import { createGuardedLookup, type Resolve, resolveAll } from '../base/http/guarded-lookup.js';
import { isLinkLocal, isLoopback, isPrivate, readAddress } from '../base/http/private-address.js';

/** Limits the hosts that a signed link may lead to: the internet, and private addresses only if the service itself has one. */
export interface LinkGuard {
  /** The reason for not following the link or its redirect; null if its host may be looked up. */
  findFault(link: URL): Promise<string | null>;
  /** The look-up for sockets; it fails with a `RefusedAddress`. */
  readonly lookup: LookupFunction;
}

export class RefusedAddress extends Error {
  constructor(readonly host: string) {
    super(`The link leads to ${host}, an address that is not public`);
    this.name = 'RefusedAddress';
  }
}

export function createLinkGuard(baseUrl: string, resolve: Resolve = resolveAll): LinkGuard {
  const own = new URL(baseUrl);

  async function isRefused(address: string): Promise<boolean> {
    if (!isPrivate(address)) return false;
    const mine = readAddress(own);
    const addresses = mine === null ? (await resolve(own.hostname)).map((one) => one.address) : [mine];
    return !addresses.some(isLinkLocal(address) ? isLinkLocal : isPrivate);
  }

  return {
    async findFault(link) {
      const address = readAddress(link);
      const isNear = address === null ? /^(.+\.)?localhost$/.test(link.hostname) : isLoopback(address);
      if (link.username !== '' || link.password !== '') return 'has a user name or password in it';
      const isPlain = link.protocol === 'http:' && (isNear || link.origin === own.origin);
      if (link.protocol !== 'https:' && !isPlain) return `uses ${link.protocol.slice(0, -1)}, not https`;
      if (address !== null && (await isRefused(address))) return `leads to ${address}, an address that is not public`;
      return null;
    },
    lookup: createGuardedLookup(async (address, name) => {
      if (await isRefused(address)) throw new RefusedAddress(name);
    }, resolve),
  };
}
