import { parse } from 'yaml';
import { SyncError } from '../../../src/base/errors.js';
import type { PeopleVendorName } from '../../../src/connectors/hris/vendors.js';
import type { VendorServer } from '../crm/imitations/vendor-server.js';
import type { Time } from '../crm/vendor.js';
import { openPeople as openSource, type People } from './vendor.js';

export type { People };

export interface OpenedAs {
  readonly preset: PeopleVendorName;
  /** Further keys of the source, in YAML’s flow style: `auth: { … }`. */
  readonly rest: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Follows the server’s address. */
  readonly path?: string;
}

/** Opens the people of a preset whose further keys are given as text. */
export function openPeople(server: VendorServer, time: Time, { preset, rest, env, path = '' }: OpenedAs): People {
  return openSource(server, time, { preset, base_url: `${server.url}${path}`, ...parse(`{ ${rest} }`) }, env);
}

/** Returns a successful read, or the code and message of its error. */
export async function readOrFail(people: People) {
  try {
    return await people.read();
  } catch (error) {
    if (error instanceof SyncError) return { code: error.code, message: error.message, place: error.place };
    throw error;
  }
}
