import { type LookupAddress, lookup as lookUp } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Looks up a host name; Node's own function by default. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

/**
 * A lookup for sockets that checks every address before a connection is made. A name whose address changes a moment
 * later therefore cannot bypass the check.
 *
 * @param judge throws for an address that must not be reached
 */
export function createGuardedLookup(
  judge: (address: string, name: string) => void | Promise<void>,
  resolve: Resolve = resolveAll,
): LookupFunction {
  return (name, options, done) => {
    resolve(name)
      .then(async (addresses) => {
        for (const { address } of addresses) await judge(address, name);
        const [first] = addresses;
        if (first === undefined) throw new Error(`${name} has no address`);
        if (options.all === true) done(null, [...addresses]);
        else done(null, first.address, first.family);
      })
      .catch((error: unknown) => done(error instanceof Error ? error : new Error(String(error)), []));
  };
}

export function resolveAll(name: string): Promise<LookupAddress[]> {
  return new Promise((done, fail) => {
    lookUp(name, { all: true }, (error, addresses) => (error === null ? done(addresses) : fail(error)));
  });
}
