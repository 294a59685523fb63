import type { Reads, Writes, Writing } from './answer.js';
import { type ChangesOptions, type ChangesQuery, readChanges, readChangesPage } from './user-changes.js';
import { type SearchOptions, searchUsers } from './user-search.js';
import { WireImport, WireUser } from './wire.js';
import type { NeverEmpty, PlainBody } from './wire-plain.js';

/** If several are given, all must match exactly (spec, Users). */
export interface UserKey {
  readonly email?: string;
  readonly external_unique_id?: string;
  readonly upn?: string;
}

/** Fields that no call on the user accepts, only a call on the master CV (spec, CV update body fields). */
type MasterCvField = 'name_multilang' | 'place_of_residence';

/**
 * The fields of a user under the service's names. The service silently ignores any other name (spec, Conventions 2), so
 * the fields are typed here.
 */
export interface UserFields extends Omit<NeverEmpty<PlainBody<'users'>, 'email'>, MasterCvField> {
  /** Always sent together with the `country_id` of the same country. */
  readonly office_id?: string;
  readonly country_id?: string;
  readonly role?: string;
  readonly extra_roles?: readonly string[];
  /** Sent in the same call as the departmentmanager role. */
  readonly role_allowed_office_ids?: readonly string[];
  readonly role_allowed_tag_ids?: readonly string[];
  /** Tag category id → tag id; both are internal ids. */
  readonly ensure_unique_custom_tag_ids_by_category?: Readonly<Record<string, string>>;
  readonly send_email?: boolean;
}
export type UserCreate = UserFields & Required<Pick<UserFields, 'email' | 'country_id' | 'office_id'>>;
export type UserUpdate = UserFields & { readonly deactivated?: boolean };

export interface UserImport {
  /** `default`, or a named import setting. */
  readonly setting?: string;
  /** Checks the file and changes nothing. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export function createUsersReader(read: Reads) {
  return {
    /** All users, including deactivated ones. */
    search: (options: SearchOptions = {}) => searchUsers(read.call, options),
    /** Reads one user; null if the account has no such user. No other read is certain to show `role_allowed_*`. */
    get: (userId: string, signal?: AbortSignal): Promise<WireUser | null> =>
      read.record('getUser', WireUser, { path: [userId], signal }),
    /** Finds one user; null if no user matches. */
    find: (key: UserKey, signal?: AbortSignal): Promise<WireUser | null> =>
      read.record('findUser', WireUser, { query: { ...key }, signal }),
    readChangesPage: (query: ChangesQuery): Promise<readonly WireUser[]> => readChangesPage(read.call, query),
    readChanges: (options: ChangesOptions) => readChanges(read.call, options),
  };
}

export function createUsersWriter(send: Writes) {
  return {
    create: (user: UserCreate, signal?: AbortSignal): Writing<WireUser> =>
      send.record('createUser', WireUser, { body: { user: { ...user } }, signal }),
    /** Changes only the given fields; a multilingual value is replaced with all its languages. */
    update: (userId: string, user: UserUpdate, signal?: AbortSignal): Writing<WireUser> =>
      send.record('updateUser', WireUser, {
        path: [userId],
        body: { user: { ...user } },
        mails: user.send_email === true,
        signal,
      }),
    /** Deletes the user permanently. */
    delete: (userId: string, signal?: AbortSignal): Writing<null> =>
      send.empty('deleteUser', { path: [userId], signal }),
    /**
     * Uploads a file of users, separated by commas or semicolons, in UTF-8 (spec, CSV import). The answer only says
     * that the synchronisation has started; its result appears later, and no read shows when it is complete.
     */
    importCsv(csv: string | Uint8Array, { setting = 'default', dryRun, signal }: UserImport = {}): Writing<WireImport> {
      const content = { type: 'text/csv', bytes: csv };
      return send.record('importUsers', WireImport, { path: [setting], query: { dry_run: dryRun }, content, signal });
    },
  };
}
