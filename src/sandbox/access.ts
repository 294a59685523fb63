import type { KeySettings } from './fixture.js';
import { Refusal } from './route.js';

/** The roles that may do what, as the spec names them (Authentication 3 and 4). */
export function isAdministrator(key: KeySettings): boolean {
  return key.role === 'internationalmanager';
}

export function isReadOnly(key: KeySettings): boolean {
  return key.role === 'readonly_internationalmanager' || key.role === 'readonly_proposal';
}

export function requireAdministrator(key: KeySettings): void {
  if (!isAdministrator(key)) throw new Refusal(403, 'this needs a key with the internationalmanager role');
}

/** People and offices of a country: administrators anywhere, a countrymanager in the own country. */
export function requireCountry(key: KeySettings, countryCode: string | undefined): void {
  if (isAdministrator(key)) return;
  if (key.role === 'countrymanager' && key.country !== undefined && key.country === countryCode) return;
  throw new Refusal(403, 'this key has no write access in that country');
}

/** Customers and reference projects (spec, Project rules 1); both roles have the publish permission. */
export function requireReferenceManager(key: KeySettings): void {
  if (isAdministrator(key) || key.role === 'referencemanager') return;
  throw new Refusal(403, 'this needs a key with the referencemanager or internationalmanager role');
}

/** Draft and ready_for_review projects (spec, Reference project workflow_stage, Readability). */
export function canReadDrafts(key: KeySettings): boolean {
  return ['internationalmanager', 'readonly_internationalmanager', 'referencemanager', 'countrymanager'].includes(
    key.role,
  );
}
