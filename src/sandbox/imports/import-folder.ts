import { mkdir, readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { World } from '../account/world.js';
import { Refusal } from '../fields/refusal.js';
import { acceptImport, decodeFile } from './accept-import.js';

const POLL_MS = 200;

/**
 * Imports CSV files from a folder, as if they arrived by SFTP. Files in the folder itself use the setting `default`; files in a
 * subfolder use the setting with its name. A file is imported once its size is the same in two checks. It is then moved to
 * `taken/` or `refused/` in its folder.
 */
export function watchImportFolder(world: World, folder: string): { close(): Promise<void> } {
  let sizes = new Map<string, number>();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    const seen = new Map<string, number>();
    for (const { file, place, config } of await listFiles(folder)) {
      const path = join(place, file);
      const size = (await stat(path)).size;
      if (sizes.get(path) === size) await takeFile(world, place, file, config);
      else seen.set(path, size);
    }
    sizes = seen;
  }

  function schedule(): void {
    if (isClosed) return;
    timer = setTimeout(() => {
      round = look()
        .catch((error: unknown) => {
          process.stderr.write(`sandbox: the import folder cannot be read: ${String(error)}\n`);
        })
        .then(schedule);
    }, POLL_MS);
  }

  schedule();
  return {
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await round;
    },
  };
}

interface Arrival {
  readonly file: string;
  readonly place: string;
  readonly config: string;
}

async function listFiles(folder: string): Promise<readonly Arrival[]> {
  const arrivals: Arrival[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && entry.name !== 'taken' && entry.name !== 'refused') {
      const place = join(folder, entry.name);
      for (const file of await readdir(place)) if (isCsv(file)) arrivals.push({ file, place, config: entry.name });
    } else if (entry.isFile() && isCsv(entry.name)) {
      arrivals.push({ file: entry.name, place: folder, config: 'default' });
    }
  }
  return arrivals.sort((a, b) => (a.file < b.file ? -1 : 1));
}

function isCsv(file: string): boolean {
  return file.toLowerCase().endsWith('.csv');
}

async function takeFile(world: World, place: string, file: string, config: string): Promise<void> {
  const text = await readFile(join(place, file));
  let end = 'taken';
  try {
    world.store.write(() => acceptImport(world, config, decodeFile(text), false));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    end = 'refused';
    process.stderr.write(`sandbox: ${join(place, file)} is rejected: ${error.message}\n`);
  }
  await mkdir(join(place, end), { recursive: true });
  await rename(join(place, file), join(place, end, file));
}
