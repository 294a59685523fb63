import type { Socket } from 'node:net';
import { groupAddress } from './address.js';

/** Maximum number of connections without a valid token, in total, and per address for those older than `YOUNG_MS`. */
const MOST_OF_ADDRESS = 32;
const MOST_UNPROVEN = 512;
/** A separate limit for connections that sent a valid token. */
const MOST_PROVEN = 256;
/** Time for the headers of a request to arrive. A burst of newer connections is not yet an attack. */
const YOUNG_MS = 1_000;

/**
 * Accepts every new connection, because a valid token may be about to arrive. To make room, the server closes the oldest
 * connection without a token. The connection is from the same address if that address has too many, else from the address
 * with the most.
 */
export class Connections {
  /** Address → its connections with their time of arrival, oldest first. */
  private readonly unproven = new Map<string, Map<Socket, number>>();
  private count = 0;
  private proven = 0;

  /** @param isProxy true for an address shared by many clients, which may have many connections */
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

  /** Notes that a valid token arrived. The connection is no longer closed to make room. */
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
