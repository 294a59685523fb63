import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.js';
import { openPages } from '../../../src/cli/open-pages.js';
import { closeAfterTest } from '../../closing.js';
import { noDaemon } from '../../daemon/web/operator/no-daemon.js';

it("gives tenants the address of their daemon's pages: web.public_url of daemon.yaml", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pages-link-'));
  mkdirSync(join(folder, 'tenants'));
  const target = join(folder, 'tenants');
  writeFileSync(
    join(target, 'daemon.yaml'),
    'web:\n  listen: 127.0.0.1:0\n  state: ../web\n  public_url: https://sync.example.com\n',
  );
  const pages = await openPages({
    ...{ target, env: {}, isLocal: false, clock: systemClock, logger: pino({ level: 'silent' }) },
    daemon: noDaemon([]),
  });
  if (pages !== null) closeAfterTest(pages);
  expect(pages?.link).toBe('https://sync.example.com');
});
