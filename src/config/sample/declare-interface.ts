import { isAbsolute, relative, resolve } from 'node:path';
import { SyncError } from '../../base/errors.js';
import { LOGIN_PARTS, type LoginPart, PUBLIC_PARTS } from '../../connectors/hris/vendor.js';
import { PEOPLE_VENDOR_NAMES, PEOPLE_VENDORS, type PeopleVendorName } from '../../connectors/hris/vendors.js';
import { adviseAmong } from '../../model/nearest.js';
import { writeText } from './yaml-text.js';

/** The parts of an interface source that flags specify. */
export interface NamedInterface {
  readonly preset: string | undefined;
  /** `client_id=env:NAME`, `key=file:/run/secrets/key` */
  readonly secrets: readonly string[];
  readonly baseUrl: string | undefined;
  /**
   * Folder of the configuration. Paths in the configuration start there; paths of secrets on the command line start at the
   * current folder.
   */
  readonly folder: string;
}

/** An interface in the form in which a configuration declares it. */
export interface DeclaredInterface {
  readonly preset: PeopleVendorName;
  /** The condition for people who have left; null if only a deletion shows it. */
  readonly leaver: string | null;
  /** The lines of YAML that declare the source. */
  readonly lines: readonly string[];
}

/**
 * Declares a source of people that is read through an interface. Null if no flag names one.
 *
 * @throws SyncError SYNC_CLI_USAGE for values that do not fit the preset
 */
export function declareInterface({ preset, secrets, baseUrl, folder }: NamedInterface): DeclaredInterface | null {
  if (preset === undefined) {
    if (secrets.length === 0 && baseUrl === undefined) return null;
    const remedy = `Name it: --source, one of ${PEOPLE_VENDOR_NAMES.join(', ')}.`;
    throw usageError('--source', '--secret and --base-url need the name of an HR system or directory.', remedy);
  }
  if (isPreset(preset))
    return {
      preset,
      leaver: PEOPLE_VENDORS[preset].leaver,
      lines: writeSource(
        preset,
        secrets.map((text) => readPart(preset, text, folder)),
        baseUrl,
      ),
    };
  throw usageError('--source', `"${preset}" is not a preset.`, adviseAmong(preset, PEOPLE_VENDOR_NAMES, 'Accepted'));
}

function isPreset(name: string): name is PeopleVendorName {
  return Object.hasOwn(PEOPLE_VENDORS, name);
}

function writeSource(
  preset: PeopleVendorName,
  given: readonly (readonly [LoginPart, string])[],
  baseUrl: string | undefined,
): readonly string[] {
  const { login, preset: shipped } = PEOPLE_VENDORS[preset];
  const parts = new Map(given);
  const missing = login.needs.filter((part) => !parts.has(part));
  if (missing.length > 0) {
    const flags = missing.map((part) => `--secret ${part}=env:NAME`);
    throw usageError(
      '--secret',
      `The login of ${preset} needs ${missing.join(', ')}.`,
      `Add ${flags.join(' ')}, or file:PATH instead of env:NAME.`,
    );
  }
  if (baseUrl === undefined && shipped.baseUrl === null) {
    throw usageError(
      '--base-url',
      `Each customer of ${preset} has its own address.`,
      'Add --base-url with the address of your account there.',
    );
  }
  return [
    'type: hris',
    `preset: ${preset}`,
    ...(baseUrl === undefined ? [] : [`base_url: ${JSON.stringify(baseUrl)}`]),
    'auth:',
    ...[...parts].map(([part, yaml]) => `  ${part}: ${yaml}`),
  ];
}

/** @throws SyncError SYNC_CLI_USAGE */
function readPart(preset: PeopleVendorName, text: string, folder: string): readonly [LoginPart, string] {
  const { needs, takes = [] } = PEOPLE_VENDORS[preset].login as {
    needs: readonly LoginPart[];
    takes?: readonly LoginPart[];
  };
  const [, name = '', from, value = ''] = /^([a-z_]+)=(?:(env|file):)?(.+)$/s.exec(text) ?? [];
  const part = LOGIN_PARTS.find((one) => one === name);
  const known = [...needs, ...takes];
  if (part === undefined || !known.includes(part)) {
    throw usageError('--secret', `The login of ${preset} has no part "${name}".`, adviseAmong(name, known, 'Accepted'));
  }
  const place = from === 'file' && !isAbsolute(value) ? relative(folder, resolve(value)) : value;
  if (from !== undefined) return [part, `{ ${from}: ${writeText(place)} }`];
  if (PUBLIC_PARTS.has(part)) return [part, JSON.stringify(value)];
  throw usageError(
    '--secret',
    `The value of ${part} must not be on the command line, which others can read.`,
    `Write where it is: --secret ${part}=env:NAME, or --secret ${part}=file:PATH.`,
  );
}

function usageError(place: string, message: string, remedy: string): SyncError {
  return new SyncError('SYNC_CLI_USAGE', { message, place, remedy });
}
