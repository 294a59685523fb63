import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const FIRST_PORT = 10_000;
const LAST_PORT = 32_000;
const RANGE_FILE = '/proc/sys/net/ipv4/ip_local_port_range';

/**
 * A loopback port for a process that starts later. The port is below the system's range for connections, because another
 * test's connection could take a port of that range before the process listens.
 */
export async function findFreePort(): Promise<number> {
  const end = Math.min(LAST_PORT, readFirstOfSystem() - 1);
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * (end - FIRST_PORT));
    if (await isFree(port)) return port;
  }
}

function readFirstOfSystem(): number {
  try {
    return Math.max(Number.parseInt(readFileSync(RANGE_FILE, 'utf8'), 10), FIRST_PORT + 1000);
  } catch {
    return LAST_PORT;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
