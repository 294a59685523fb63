import type { Socket } from 'node:net';
import { groupAddress } from './address.js';

/** Connections that no token has proven, of one address once they are older than `YOUNG_MS`, and of all. */
const MOST_OF_ADDRESS = 32;
const MOST_UNPROVEN = 512;
/** Places of their own for those over which a right token came. */
const MOST_PROVEN = 256;
/** Time for the headers of a request to arrive: many at once are no attack yet. */
const YOUNG_MS = 1_000;

/**
 * Nobody who arrives is turned away, since a right token may be about to come: the oldest connection over which none came
 * makes room, of the same address where that has many, else of the address that has the most.
 */
export class Connections {
  /** Address → its connections, the oldest first, each with when it came. */
  private readonly unproven = new Map<string, Map<Socket, number>>();
  private count = 0;
  private proven = 0;

  /** @param isProxy whether an address is that of many clients, so that many connections may come from it */
  constructor(
    private readonly isProxy: (address: string) => boolean,
    private readonly now = () => performance.now(),
  ) {}

  admit(socket: Socket): void {
    const address = addressOf(socket);
    const sockets = this.unproven.get(address) ?? new Map<Socket, number>();
    this.unproven.set(address, sockets.set(socket, this.now()));
    this.count++;
    socket.once('close', () => this.takeOut(socket, address));
    this.makeRoom(address, sockets);
    if (this.count <= MOST_UNPROVEN) return;
    const [[most, crowd] = []] = [...this.unproven].toSorted(([, a], [, b]) => b.size - a.size);
    const [oldest] = crowd?.keys() ?? [];
    if (most !== undefined && oldest !== undefined) this.shut(oldest, most);
  }

  /** A right token came over it: it need make room for nobody. */
  prove(socket: Socket): void {
    if (this.proven >= MOST_PROVEN || socket.destroyed || !this.takeOut(socket, addressOf(socket))) return;
    this.proven++;
    socket.once('close', () => this.proven--);
  }

  private makeRoom(address: string, sockets: ReadonlyMap<Socket, number>): void {
    for (const [socket, sinceMs] of sockets) {
      const isMany = sockets.size > MOST_OF_ADDRESS && this.now() - sinceMs > YOUNG_MS;
      if (!isMany || this.isProxy(address)) return;
      this.shut(socket, address);
    }
  }

  private shut(socket: Socket, address: string): void {
    this.takeOut(socket, address);
    socket.destroy();
  }

  private takeOut(socket: Socket, address: string): boolean {
    const sockets = this.unproven.get(address);
    if (sockets?.delete(socket) !== true) return false;
    this.count--;
    if (sockets.size === 0) this.unproven.delete(address);
    return true;
  }
}

function addressOf(socket: Socket): string {
  return groupAddress(socket.remoteAddress ?? '');
}
