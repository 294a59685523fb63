import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { DAEMON_FILE } from '../config/load-web.js';
import { codeOf, messageOf, SyncError } from '../errors.js';

/** A tenant's configuration as it is on disk now. */
export interface ConfigFile {
  /** The file's name without its ending. */
  readonly tenant: string;
  readonly file: string;
  /** What is in it, or why nobody can tell. */
  readonly content: string | SyncError;
}

const ENDING = /\.ya?ml$/;

/**
 * The configuration named, or every `*.yaml` and `*.yml` that lies directly in the folder named. Hidden files are left
 * out, and with them the folders behind the links of a mounted ConfigMap; so is `daemon.yaml`.
 *
 * @throws SyncError SYNC_CONFIG_UNREADABLE when there is nothing of that name
 */
export function findConfigs(target: string): readonly ConfigFile[] {
  const path = resolve(target);
  const names = listNames(path);
  if (names === null) return [readConfig(path, basename(path).replace(ENDING, ''))];
  const own = names.filter((name) => ENDING.test(name) && !name.startsWith('.') && name !== DAEMON_FILE).toSorted();
  const files = own.map((name) => readConfig(join(path, name), name.replace(ENDING, '')));
  return files.map((one, index) => {
    const twin = files.slice(0, index).find(({ tenant }) => tenant === one.tenant);
    return twin === undefined ? one : refuseTwin(one, twin);
  });
}

/** null where it is a file. */
function listNames(path: string): readonly string[] | null {
  try {
    return statSync(path).isDirectory() ? readdirSync(path) : null;
  } catch (error) {
    throw describeUnreadable(path, error);
  }
}

function readConfig(file: string, tenant: string): ConfigFile {
  try {
    // A pipe that nobody writes to would stop the whole process here, and all tenants with it.
    if (!statSync(file).isFile()) throw new Error('it is no regular file');
    return { tenant, file, content: readFileSync(file, 'utf8') };
  } catch (error) {
    return { tenant, file, content: describeUnreadable(file, error) };
  }
}

function refuseTwin({ file }: ConfigFile, twin: ConfigFile): ConfigFile {
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
