import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeAfterTest } from './closing.js';

/** Lets a server listen on loopback until the test ends, and returns its address. */
export async function listenOnLoopback(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAfterTest({
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
