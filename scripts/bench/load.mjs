// A first load: all people of a file are created in an empty account.
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { buildConfig, writeRows } from './company.mjs';
import { main, measure, startLeanService } from './measure.mjs';
import { CONNECTIONS, LATENCY_MS } from './rounds.mjs';

/**
 * @returns the usage of the load; `bound`, the seconds of the calls alone; and `floor`, the seconds of a program that only
 * sends them
 */
export async function measureLoad(people) {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-load-'));
  const service = await startLeanService(0);
  try {
    mkdirSync(join(folder, 'drop'));
    await pipeline(Readable.from(writeRows(people)), createWriteStream(join(folder, 'drop', 'employees-1.csv')));
    const config = join(folder, 'load.yaml');
    writeFileSync(config, buildConfig(service.url).replace('update: off', 'update: off, create: off'));
    await service.control({ delayMs: LATENCY_MS });
    const measured = await measure(folder, [main, 'sync', '--config', config, '--json']);
    const { calls } = JSON.parse(measured.text);
    const { changed } = await (await service.control({})).json();
    if (changed !== people) throw new Error(`${changed} people were created, and ${people} expected`);
    await service.control({ reset: true });
    const env = { BASE_URL: service.url };
    const program = new URL('load-floor.mjs', import.meta.url).pathname;
    const floor = await measure(folder, [program, join(folder, 'drop', 'employees-1.csv')], { env });
    return { ...measured, floor: floor.seconds, bound: (calls.writes * LATENCY_MS) / CONNECTIONS / 1_000 };
  } finally {
    service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
