import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { codeOf, messageOf, SyncError } from '../../base/errors.js';
import { DAEMON_FILE } from '../../config/load-web.js';

/** A tenant's configuration as it is on disk now. */
export interface ConfigFile {
  /** The file's name without its ending. */
  readonly tenant: string;
  readonly file: string;
  /** What is in it, or why nobody can tell. */
  readonly content: string | SyncError;
}

const ENDING = /\.ya?ml$/;

/** What was read of a file, and how the file looked then. */
interface KnownConfig extends ConfigFile {
  readonly print: string;
}

/** By its path: files that look the same are not read again. */
export type KnownConfigs = Map<string, KnownConfig>;

/**
 * The configuration named, or every `*.yaml` and `*.yml` that lies directly in the folder named. Hidden files are left
 * out, and with them the folders behind the links of a mounted ConfigMap; so is `daemon.yaml`.
 *
 * @throws SyncError SYNC_CONFIG_UNREADABLE when there is nothing of that name
 */
export function* findConfigs(target: string, known: KnownConfigs, nowMs: number): Generator<ConfigFile> {
  const path = resolve(target);
  const names = listNames(path);
  if (names === null) {
    yield readConfig(path, known, nowMs);
    return;
  }
  const byTenant = new Map<string, ConfigFile>();
  const own = names.filter((name) => ENDING.test(name) && !name.startsWith('.') && name !== DAEMON_FILE);
  for (const name of own.toSorted()) {
    const one = readConfig(join(path, name), known, nowMs);
    const twin = byTenant.get(one.tenant);
    if (twin === undefined) byTenant.set(one.tenant, one);
    yield twin === undefined ? one : twinConfig(one, twin);
  }
}

/** null where it is a file. */
function listNames(path: string): readonly string[] | null {
  try {
    return statSync(path).isDirectory() ? readdirSync(path) : null;
  } catch (error) {
    throw describeUnreadable(path, error);
  }
}

/** A file that was written just now may be written once more without looking any different. */
const FRESH_MS = 2_000;

function readConfig(file: string, known: KnownConfigs, nowMs: number): ConfigFile {
  const tenant = basename(file).replace(ENDING, '');
  try {
    const stats = statSync(file, { bigint: true });
    // A pipe that nobody writes to would stop the whole process here, and all tenants with it.
    if (!stats.isFile()) throw new Error('it is no regular file');
    const print = `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
    const before = known.get(file);
    if (before?.print === print) return before;
    const read = { tenant, file, content: readFileSync(file, 'utf8'), print };
    if (Math.abs(nowMs - Number(stats.mtimeMs)) > FRESH_MS) known.set(file, read);
    return read;
  } catch (error) {
    known.delete(file);
    return { tenant, file, content: describeUnreadable(file, error) };
  }
}

function twinConfig({ file }: ConfigFile, twin: ConfigFile): ConfigFile {
  const content = new SyncError('SYNC_CONFIG_INVALID', {
    message: `There are two configurations of the tenant "${twin.tenant}": ${basename(twin.file)} and ${basename(file)}.`,
    place: file,
    remedy: 'Rename one of them, or take it away.',
  });
  return { tenant: basename(file), file, content };
}

function describeUnreadable(path: string, error: unknown): SyncError {
  const code = codeOf(error) ?? messageOf(error);
  return new SyncError('SYNC_CONFIG_UNREADABLE', {
    message: `The configuration cannot be read (${code}).`,
    place: path,
    remedy: 'Name a file, or a folder of one file per tenant, with --config, and see that it may be read.',
    cause: error,
  });
}
