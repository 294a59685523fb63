import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SyncError } from '../../base/errors.js';

export interface Workplace {
  readonly folder: string;
  readonly config: string;
  readonly hr: string;
  /** Folder where HR picks up written-back values. */
  readonly toHr: string;
  readonly crm: string;
  /** The delivery to use after the story. */
  readonly next: string;
  /** Faulty deliveries, kept out of the drop folder. */
  readonly spoiled: string;
  readonly scimUsers: string;
  readonly serviceKey: string;
  readonly idpToken: string;
  readonly account: string;
  readonly plans: string;
  /** Output of all the story's commands. */
  readonly printed: string;
  /** A script that runs this program. */
  readonly command: string;
}

export function locateWorkplace(folder: string): Workplace {
  const at = (...names: string[]): string => join(folder, ...names);
  return {
    folder,
    config: at('talent-sync.yaml'),
    hr: at('drop', 'hr'),
    toHr: at('drop', 'to-hr'),
    crm: at('drop', 'crm'),
    next: at('next'),
    spoiled: at('spoiled'),
    scimUsers: at('idp', 'users.json'),
    serviceKey: at('secrets', 'service-key'),
    idpToken: at('secrets', 'idp-token'),
    account: at('service', 'account.db'),
    plans: at('var', 'plans'),
    printed: at('printed'),
    command: at('talent-sync'),
  };
}

/** Creates the folders. Rejects a folder that is not empty, because the story starts without data. */
export async function createWorkplace(wanted: string | null): Promise<Workplace> {
  const remedy = 'Give a new folder with --dir, or serve a finished demo again with --serve.';
  const folder =
    wanted === null ? await mkdtemp(join(tmpdir(), 'talent-sync-demo-')) : await claimFolder(wanted, remedy);
  const place = locateWorkplace(folder);
  const folders = [
    place.hr,
    place.toHr,
    place.crm,
    place.next,
    place.spoiled,
    place.printed,
    ...['idp', 'secrets', 'service'].map((name) => join(folder, name)),
  ];
  for (const path of folders) await mkdir(path, { recursive: true });
  return place;
}

/** The absolute path of a folder, which must be empty or not exist. */
export async function claimFolder(wanted: string, remedy: string): Promise<string> {
  const folder = resolve(wanted);
  const held = await readdir(folder).catch(() => []);
  if (held.length === 0) return folder;
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `The folder is not empty: ${held.slice(0, 5).join(', ')}.`,
    place: folder,
    remedy,
  });
}

/** The path is the same from `dist/cli/demo` in the package and from `src/cli/demo` in the checkout. */
const CONFIG = fileURLToPath(new URL('../../../config/demo/talent-sync.yaml', import.meta.url));

/** Writes the demo's configuration, with the addresses of its two services. */
export async function writeConfig(file: string, serviceUrl: string, idpUrl: string): Promise<void> {
  const text = await readFile(CONFIG, 'utf8');
  const here = text.replace('http://127.0.0.1:8080', serviceUrl).replace('http://127.0.0.1:8443/scim/v2', idpUrl);
  await writeFile(file, here);
}

/** A new secret for each demo, readable only by its owner. */
export async function writeSecret(file: string): Promise<string> {
  const secret = randomBytes(18).toString('base64url');
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  return secret;
}

/** Writes `./talent-sync` into the demo's folder, so that the printed commands work even if the program is not on the PATH. */
export async function writeCommand(file: string, program: string): Promise<void> {
  const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  await writeFile(file, `#!/bin/sh\nexec ${quote(process.execPath)} ${quote(program)} "$@"\n`, { mode: 0o755 });
}
