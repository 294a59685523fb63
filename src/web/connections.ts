import type { Socket } from 'node:net';
import { groupAddress } from './address.js';

/** Connections that no token has proven, of one address once they are older than `YOUNG_MS`, and of all. */
const MOST_OF_ADDRESS = 32;
const MOST_UNPROVEN = 512;
/** Places of their own for those over which a right token came. */
const MOST_PROVEN = 256;
/** Time for the headers of a request to arrive: many at once are no attack yet. */
const YOUNG_MS = 1_000;

export interface Connections {
  admit(socket: Socket): void;
  /** A right token came over it: it need make room for nobody. */
  prove(socket: Socket): void;
}

/**
 * Nobody who arrives is turned away, since a right token may be about to come: the oldest connection over which none came
 * makes room, of the same address where that has many, else of the address that has the most.
 *
 * @param isProxy whether many may come from an address, because it stands for many
 */
export function createConnections(isProxy: (address: string) => boolean, now = () => performance.now()): Connections {
  /** Address → its connections, the oldest first, each with when it came. */
  const unproven = new Map<string, Map<Socket, number>>();
  const addresses = new WeakMap<Socket, string>();
  let count = 0;
  let proven = 0;

  function takeOut(socket: Socket): boolean {
    const address = addresses.get(socket) ?? '';
    const sockets = unproven.get(address);
    if (sockets?.delete(socket) !== true) return false;
    count--;
    if (sockets.size === 0) unproven.delete(address);
    return true;
  }

  function shut(socket: Socket): void {
    takeOut(socket);
    socket.destroy();
  }

  function makeRoom(address: string): void {
    const sockets = unproven.get(address);
    const [oldest] = sockets ?? [];
    if (sockets === undefined || oldest === undefined) return;
    const [socket, sinceMs] = oldest;
    const isMany = sockets.size > MOST_OF_ADDRESS && now() - sinceMs > YOUNG_MS;
    if (!isMany || isProxy(address)) return;
    shut(socket);
    makeRoom(address);
  }

  return {
    admit(socket) {
      const address = groupAddress(socket.remoteAddress ?? '');
      addresses.set(socket, address);
      const sockets = unproven.get(address) ?? new Map<Socket, number>();
      unproven.set(address, sockets.set(socket, now()));
      count++;
      socket.once('close', () => takeOut(socket));
      makeRoom(address);
      if (count <= MOST_UNPROVEN) return;
      const [most] = [...unproven.values()].toSorted((a, b) => b.size - a.size);
      const [oldest] = most?.keys() ?? [];
      if (oldest !== undefined) shut(oldest);
    },
    prove(socket) {
      if (proven >= MOST_PROVEN || socket.destroyed || !takeOut(socket)) return;
      proven++;
      socket.once('close', () => proven--);
    },
  };
}
