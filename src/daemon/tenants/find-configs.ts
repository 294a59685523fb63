import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { codeOf, messageOf, SyncError } from '../../base/errors.js';
import { DAEMON_FILE } from '../../config/load-web.js';

export interface ConfigFile {
  /** The file's name without its ending. */
  readonly tenant: string;
  readonly file: string;
  /** The text, or the error that kept it from being read. */
  readonly content: string | SyncError;
}

const ENDING = /\.ya?ml$/;

/** A file's content, and its stat fingerprint when it was read. */
interface KnownConfig extends ConfigFile {
  readonly print: string;
}

/** Files read so far, by path. A file with an unchanged fingerprint is not read again. */
export type KnownConfigs = Map<string, KnownConfig>;

/**
 * Finds the named configuration, or every `*.yaml` and `*.yml` directly in the named folder. Skips `daemon.yaml` and hidden
 * files, and therefore the folders behind the links of a mounted ConfigMap.
 *
 * @throws SyncError SYNC_CONFIG_UNREADABLE if the path cannot be read
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

/** Lists the names in a folder; null if the path is a file. */
function listNames(path: string): readonly string[] | null {
  try {
    return statSync(path).isDirectory() ? readdirSync(path) : null;
  } catch (error) {
    throw describeUnreadable(path, error);
  }
}

/** A file that has just been written may be written again without a visible change to its stats. */
const FRESH_MS = 2_000;

function readConfig(file: string, known: KnownConfigs, nowMs: number): ConfigFile {
  const tenant = basename(file).replace(ENDING, '');
  try {
    const stats = statSync(file, { bigint: true });
    // Reading a pipe without a writer would block the process, and all tenants with it.
    if (!stats.isFile()) throw new Error('it is not a regular file');
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
    remedy: 'Rename or remove one of them.',
  });
  return { tenant: basename(file), file, content };
}

function describeUnreadable(path: string, error: unknown): SyncError {
  const code = codeOf(error) ?? messageOf(error);
  return new SyncError('SYNC_CONFIG_UNREADABLE', {
    message: `The configuration cannot be read (${code}).`,
    place: path,
    remedy: 'Name a file, or a folder with one file per tenant, with --config, and make sure that it can be read.',
    cause: error,
  });
}
