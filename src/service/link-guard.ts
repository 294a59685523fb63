import { type LookupAddress, lookup as lookUp } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isLinkLocal, isLoopback, isPrivate, readAddress } from '../answers/private-address.js';

/** Looks a name up; Node's own unless told. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

/** Where a signed link may lead: into the internet, and into the service's own network only where the service itself is there. */
export interface LinkGuard {
  /** Why the link, or what it redirects to, is not followed; null when its host may be looked up. */
  findFault(link: URL): Promise<string | null>;
  /**
   * For sockets. What is checked is the address that is connected to, so that a name with another address a moment later is of no use.
   * Fails with a `RefusedAddress`.
   */
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
      if (link.protocol !== 'https:' && !isPlain) return `goes over ${link.protocol.slice(0, -1)}, and not over https`;
      if (address !== null && (await isRefused(address))) return `leads to ${address}, an address that is not public`;
      return null;
    },
    lookup(name, options, done) {
      resolve(name)
        .then(async (addresses) => {
          for (const { address } of addresses) if (await isRefused(address)) throw new RefusedAddress(name);
          const [first] = addresses;
          if (first === undefined) throw new Error(`${name} has no address`);
          if (options.all === true) done(null, [...addresses]);
          else done(null, first.address, first.family);
        })
        .catch((error: unknown) => done(error instanceof Error ? error : new Error(String(error)), []));
    },
  };
}

function resolveAll(name: string): Promise<LookupAddress[]> {
  return new Promise((done, fail) => {
    lookUp(name, { all: true }, (error, addresses) => (error === null ? done(addresses) : fail(error)));
  });
}
