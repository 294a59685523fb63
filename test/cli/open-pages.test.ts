import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { openPages } from '../../src/cli/open-pages.js';
import { closeAfterTest } from '../closing.js';
import { noDaemon } from '../daemon/web/operator/no-daemon.js';

async function takePort(): Promise<number> {
  const other = createServer();
  closeAfterTest({ close: () => void other.close() });
  await new Promise<void>((resolve) => {
    other.listen(0, '127.0.0.1', resolve);
  });
  const address = other.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

it.each([
  ["the daemon's own port", 0, 'because this daemon uses port'],
  ['the port of another program', 1, 'EADDRINUSE'],
])('names %s', async (_, offset, message) => {
  const port = await takePort();
  const target = join(mkdtempSync(join(tmpdir(), 'open-pages-')), 'tenants');
  mkdirSync(target);
  const web = `web:\n  listen: 127.0.0.1:${port}\n  state: ../web\n  public_url: https://sync.example.com\n`;
  writeFileSync(join(target, 'daemon.yaml'), web);
  const logger = pino({ level: 'silent' });
  const parts = { target, env: {}, isLocal: false, clock: systemClock, logger, daemon: noDaemon([]) };
  await expect(openPages({ ...parts, besides: port + offset })).rejects.toMatchObject({
    code: 'SYNC_WEB_LISTEN',
    message: expect.stringContaining(message),
  });
});
