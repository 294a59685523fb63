import type { Secret } from '../../base/secrets/secret.js';
import type { HttpAuth } from '../http/resolve-http.js';
import type { Vendor } from '../listed/listed-system.js';

/** The parts of a login, with the names that vendors use. */
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
/** The parts of a login that are not secret. */
export const PUBLIC_PARTS: ReadonlySet<LoginPart> = new Set(['client_id', 'user', 'tenant', 'company', 'subject']);

/** Describes the login of a program at the vendor. */
export interface VendorLogin {
  readonly needs: readonly LoginPart[];
  /** The parts of a login that are optional. */
  readonly takes?: readonly LoginPart[];
  /**
   * @param baseUrl the address without a trailing slash
   * @param writes true if mappings may write to the people; the login then also asks for this permission
   */
  build(given: Readonly<Record<LoginPart, Secret>>, baseUrl: string, writes: boolean): HttpAuth;
}

/** The leaver rule for vendors with customer-defined status words. */
export const PAST_LAST_DAY = 'has(record.end_date) && record.end_date < today';

/** An HR system or a directory with one stream of people. */
export interface PeopleVendor extends Vendor {
  /** The noun in messages: `HR system` or `directory`. */
  readonly noun: string;
  readonly login: VendorLogin;
  /** An expression that is true for people who have left; null if only a deletion shows that they have. */
  readonly leaver: string | null;
  /**
   * The reason why an absence from a complete list proves nothing, as the rest of a sentence about the source. People
   * then leave by status, by date, or by a deletion that the vendor reports. null if an absence proves that the person
   * is gone.
   */
  readonly absence: string | null;
}
