import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { closeAfterTest } from '../../closing.js';

/** The fate of the server’s bytes on a connection; connections are numbered from 1. */
export interface Fault {
  readonly onConnection: (number: number) => boolean;
  /** The number of server bytes after which the connection breaks. */
  readonly afterBytes: number;
  readonly kind: 'reset' | 'hang';
  /**
   * Replaces `afterBytes`: called before the server’s bytes are passed on, so the server has acted but its answer is
   * lost.
   */
  readonly when?: () => boolean;
}

/** Starts a wire between client and server that breaks as configured. */
export async function startWire(port: number, fault: Fault): Promise<{ readonly port: number; connections(): number }> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const isFaulty = fault.onConnection(++connections);
    const upstream = connect(port, '127.0.0.1');
    let seen = 0;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk) => {
      seen += chunk.length;
      const isBroken = fault.when === undefined ? seen > fault.afterBytes : fault.when();
      if (!isFaulty || !isBroken) client.write(chunk);
      else if (fault.kind === 'reset') client.resetAndDestroy();
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAfterTest({
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}
