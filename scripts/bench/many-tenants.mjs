// A daemon with many small tenants, and one large tenant that reads everyone for the first time.
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { buildConfig, writeRows } from './company.mjs';
import { main, startLeanService, startMeasured } from './measure.mjs';

/** Due once a year. */
const RARELY = '0 3 1 1 *';
/** By then, the daemon has loaded all tenants. */
const FIRST_RUN_MS = 90_000;

/** @returns the delays of the event loop in milliseconds, from the start of the first run to its end */
export async function measureManyTenants(tenants, people) {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-tenants-'));
  const service = await startLeanService(people);
  try {
    for (const name of ['tenants', 'state', 'drop']) mkdirSync(join(folder, name));
    await pipeline(Readable.from(writeRows(people)), createWriteStream(join(folder, 'drop', 'employees-1.csv')));
    const due = new Date(Date.now() + FIRST_RUN_MS);
    const one = buildConfig(service.url).replaceAll('./', '../');
    for (let number = 0; number < tenants; number += 1) {
      const own = one.replace(/^state: .*$/m, `state: ../state/t${number}`);
      const every = number === 0 ? `${due.getUTCMinutes()} ${due.getUTCHours()} * * *` : RARELY;
      writeFileSync(
        join(folder, 'tenants', `t${number}.yaml`),
        `${own}schedule: { every: "${every}", timezone: UTC, spread: 0s }\n`,
      );
    }
    const daemon = startMeasured([main, 'daemon', '--config', join(folder, 'tenants'), '--port', '0']);
    try {
      for (let ready = 0; ready < tenants; ready += 1) await daemon.until(({ msg }) => msg === 'tenant ready');
      await daemon.readUsage();
      const ended = await daemon.until(({ msg }) => msg === 'run ended' || msg === 'run failed');
      if (ended.exit_code !== 0) throw new Error(JSON.stringify(ended));
      return await daemon.readUsage();
    } finally {
      await daemon.close();
    }
  } finally {
    service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
