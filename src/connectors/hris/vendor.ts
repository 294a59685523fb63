import type { Secret } from '../../base/secrets/secret.js';
import type { HttpAuth } from '../http/resolve-http.js';
import type { Vendor } from '../listed/listed-system.js';

/** Parts of a login, as the vendors name them. */
export const LOGIN_PARTS = [
  'client_id',
  'client_secret',
  'key',
  'token',
  'user',
  'tenant',
  'company',
  'refresh_token',
  'private_key',
  'subject',
] as const;
export type LoginPart = (typeof LOGIN_PARTS)[number];
/** Those that anyone may know. */
export const PUBLIC_PARTS: ReadonlySet<LoginPart> = new Set(['client_id', 'user', 'tenant', 'company', 'subject']);

/** How the vendor lets a program in. */
export interface VendorLogin {
  readonly needs: readonly LoginPart[];
  /** Those that may be left out. */
  readonly takes?: readonly LoginPart[];
  /**
   * @param baseUrl without a slash at its end
   * @param writes mappings may write to its people, so that the login asks for that right too
   */
  build(given: Readonly<Record<LoginPart, Secret>>, baseUrl: string, writes: boolean): HttpAuth;
}

/** The rule for vendors whose status words are each customer's own. */
export const PAST_LAST_DAY = 'has(record.end_date) && record.end_date < today';

/** An HR system or a directory: one stream of people. */
export interface PeopleVendor extends Vendor {
  /** As people call it: `HR system`, `directory`. */
  readonly noun: string;
  readonly login: VendorLogin;
  /** An expression that says who has left; null where nothing but a deletion does. */
  readonly leaver: string | null;
  /**
   * Why somebody's absence from a complete list proves nothing, as the rest of a sentence about the source; null where it proves that
   * the person is gone. People leave by status or date then, or by a deletion that the vendor reports.
   */
  readonly absence: string | null;
}
