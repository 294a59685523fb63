import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { NOTE_PEAK, readPeak } from './note-peak.js';

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname;

/** The outcome of one process: its exit code, its document, and its peak memory. */
export interface Measured {
  readonly code: number | null;
  readonly text: string;
  readonly mib: number;
  /** From the signal to the end; null if none was sent. */
  readonly stopMs: number | null;
}

/** Writes a file of any size piece by piece. */
export function writePieces(folder: string, name: string, pieces: Iterable<string | Buffer>): string {
  mkdirSync(folder, { recursive: true });
  const handle = openSync(join(folder, name), 'w');
  for (const piece of pieces) writeSync(handle, piece as string);
  closeSync(handle);
  return folder;
}

export function* repeat(
  times: number,
  piece: (index: number) => string | Buffer,
  before = '',
  after = '',
): Iterable<string | Buffer> {
  yield before;
  for (let index = 0; index < times; index++) yield piece(index);
  yield after;
}

export const HEADER = 'id;first;last;email;country;office\n';

export function configurePeople(folder: string, url: string, drop: string): string {
  const columns = Object.fromEntries(
    ['id', 'first', 'last', 'email', 'country', 'office'].map((one) => [one, 'string']),
  );
  return configure(folder, url, {
    sources: { hr: { type: 'csv', drop, pattern: '*.csv', key: 'id', settle: '0s', columns } },
    users: {
      existence: 'hr',
      match: ['external_unique_id'],
      leaver: { after_missing_reads: 1 },
      fields: {
        external_unique_id: 'record.id',
        email: 'record.email',
        name: 'record.first + " " + record.last',
        office: { country: 'record.country', name: 'record.office' },
      },
    },
  });
}

export function configureCompanies(folder: string, url: string, drop: string): string {
  const columns = { id: 'string', name: 'string' };
  return configure(folder, url, {
    sources: { crm: { type: 'crm', drop, streams: { companies: { pattern: '*', key: 'id', settle: '0s', columns } } } },
    customers: {
      from: ['crm.companies'],
      fields: { external_unique_id: 'record.id', customer_name: { en: 'record.name' } },
    },
  });
}

function configure(folder: string, url: string, parts: object): string {
  const file = join(folder, 'talent-sync.yaml');
  const service = { base_url: url, api_key: { env: 'TALENT_API_KEY' } };
  writeFileSync(file, stringify({ service, state: join(folder, 'var'), policy: 'sync', ...parts }));
  return file;
}

/** Runs the built program in its own process. */
export async function measure(
  args: readonly string[],
  key: string,
  folder: string,
  stopAfterMs: number | null = null,
): Promise<Measured> {
  const peak = join(folder, 'peak');
  const child = spawn(process.execPath, ['--import', NOTE_PEAK, MAIN, ...args], {
    env: { ...process.env, TALENT_API_KEY: key, PEAK_FILE: peak },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let text = '';
  let stoppedAt: number | null = null;
  const take = (chunk: Buffer): void => {
    text += chunk.toString('utf8');
  };
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', take);
  let timer: NodeJS.Timeout | undefined;
  // The time does not start with the process: a busy machine may take seconds until the process listens.
  child.once('message', () => {
    if (stopAfterMs === null) return;
    timer = setTimeout(() => {
      stoppedAt = performance.now();
      child.kill('SIGTERM');
    }, stopAfterMs);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  return { code, text, mib: readPeak(peak), stopMs: stoppedAt === null ? null : performance.now() - stoppedAt };
}
