import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SyncError } from '../../base/errors.js';

/** The demo's folder and what is where in it. */
export interface Workplace {
  readonly folder: string;
  readonly config: string;
  readonly hr: string;
  /** Where HR picks up what is written back. */
  readonly toHr: string;
  readonly crm: string;
  /** The delivery after the story. */
  readonly next: string;
  /** Deliveries that went wrong, kept out of the drop folder. */
  readonly spoiled: string;
  /** What the identity provider lists. */
  readonly scimUsers: string;
  readonly serviceKey: string;
  readonly idpToken: string;
  /** The sandbox's account. */
  readonly account: string;
  readonly plans: string;
  /** All that the commands of the story have printed. */
  readonly printed: string;
  /** A script that runs this very program. */
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

/** Makes the folders; a folder that holds anything is left alone, because the story begins with nothing. */
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

/** A folder that holds nothing yet, by its whole name. */
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

/** The checkout's or package's own, seen from `dist/cli/demo` as from `src/cli/demo`. */
const CONFIG = fileURLToPath(new URL('../../../config/demo/talent-sync.yaml', import.meta.url));

/** The configuration of the demo, with the addresses that its two services got. */
export async function writeConfig(file: string, serviceUrl: string, idpUrl: string): Promise<void> {
  const text = await readFile(CONFIG, 'utf8');
  const here = text.replace('http://127.0.0.1:8080', serviceUrl).replace('http://127.0.0.1:8443/scim/v2', idpUrl);
  await writeFile(file, here);
}

/** A secret of its own for each demo, readable by its owner only. */
export async function writeSecret(file: string): Promise<string> {
  const secret = randomBytes(18).toString('base64url');
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  return secret;
}

/** `./talent-sync` in the demo's folder: the printed commands work whether or not the program is on the path. */
export async function writeCommand(file: string, program: string): Promise<void> {
  const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  await writeFile(file, `#!/bin/sh\nexec ${quote(process.execPath)} ${quote(program)} "$@"\n`, { mode: 0o755 });
}
