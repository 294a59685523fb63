import { hostname } from 'node:os';
import { asSyncError, isUnavailable, SyncError } from '../../../base/errors.js';
import { hideSecrets } from '../../../base/secrets/secret.js';
import { proofOf } from '../../../config/access/identity.js';
import { mayActAs, type Role } from '../../../config/access/roles.js';
import type { Config } from '../../../config/config.js';
import type { TenantOperation } from '../../../operations/operation.js';
import { parseUntil } from '../../../operations/parse-until.js';
import type { LockContext } from '../../../operations/with-locked-stores.js';
import type { DecisionContext } from '../../../operations/with-stores.js';
import { WebRefusal, type WebRequest } from './route.js';

/** @throws WebRefusal 409 if the tenant has no valid configuration */
export function configOf({ tenant }: Pick<WebRequest, 'tenant'>): Config {
  const config = tenant?.config ?? null;
  if (config === null) throw new WebRefusal(409, tenant?.problem?.message ?? 'This tenant has no configuration yet.');
  return config;
}

/** The context of a person's decision. The audit log uses the name from the person's log-in. */
export function decisionOf(request: WebRequest): DecisionContext {
  const { parts, person, tenant, accessTo } = request;
  const isVeiled = accessTo(tenant?.name ?? '')?.pseudonyms === true;
  return {
    config: configOf(request),
    clock: parts.clock,
    by: person?.who ?? '',
    via: person === null ? 'nobody' : proofOf(person),
    isVeiled,
  };
}

/** The context of a decision that needs the run lock. The decision fails if the lock is held. */
export function lockedDecisionOf(request: WebRequest): DecisionContext & LockContext {
  const { logger } = request.parts;
  return { ...decisionOf(request), logger, holder: `operator pages, process ${process.pid} on ${hostname()}` };
}

/** True if the person has at least this role for the tenant. */
export function mayHere({ accessTo, tenant }: Pick<WebRequest, 'accessTo' | 'tenant'>, role: Role): boolean {
  return mayActAs(accessTo(tenant?.name ?? ''), role);
}

/** @throws WebRefusal 403 for a reader of pseudonyms, who could not type a person's name */
export function requireNames({ accessTo, tenant }: Pick<WebRequest, 'accessTo' | 'tenant'>): void {
  if (accessTo(tenant?.name ?? '')?.pseudonyms !== false)
    throw new WebRefusal(403, 'You see people under pseudonyms, so you cannot name a person.');
}

/** `/tenants/acme` */
export function tenantPath({ tenant }: Pick<WebRequest, 'tenant'>): string {
  return `/tenants/${encodeURIComponent(tenant?.name ?? '')}`;
}

/** A trimmed field of the form; '' if it is missing. */
export function fieldOf({ form }: Pick<WebRequest, 'form'>, name: string): string {
  return (form.get(name) ?? '').trim();
}

/** The reason for a decision. Secrets are hidden, in case someone pasted one. */
export function reasonOfForm(request: Pick<WebRequest, 'form'>): string {
  return hideSecrets(fieldOf(request, 'reason'));
}

/** Reads a reason that the decision requires. @throws WebRefusal 400 */
export function demandReason(request: Pick<WebRequest, 'form'>): string {
  const reason = reasonOfForm(request);
  if (reason === '') throw new WebRefusal(400, 'Give a reason. It is kept in the audit log.');
  return reason;
}

/**
 * Reads the end of a decision: a day or a time in the tenant's time zone, as the commands read it.
 *
 * @returns ISO 8601; null for an empty field
 * @throws WebRefusal 400 for a malformed or past time
 */
export function readEnd(request: WebRequest): string | null {
  const text = fieldOf(request, 'until');
  if (text === '') return null;
  try {
    return parseUntil(text, request.parts.clock.now(), configOf(request).timezone);
  } catch (thrown) {
    const { message, remedy } = asSyncError(thrown);
    throw new WebRefusal(400, `${message} ${remedy}`);
  }
}

const MISSING: ReadonlySet<string> = new Set(['SYNC_NOT_FOUND', 'SYNC_HOLD_UNKNOWN', 'SYNC_PLAN_MISSING']);

/** HTTP status for an operation's error. The default is 409, because the current state does not allow the operation. */
export function statusOf(error: SyncError): number {
  if (isUnavailable(error)) return 503;
  return MISSING.has(error.code) ? 404 : 409;
}

/**
 * Performs an operation for the tenant of the address, on this daemon or on the one that holds the tenant.
 *
 * @throws WebRefusal with the error of the operation
 */
export async function perform<Input, Document>(
  request: WebRequest,
  operation: TenantOperation<Input, Document>,
  input: Input,
): Promise<Document> {
  const { parts, tenant } = request;
  const performed = parts.daemon.perform(tenant?.name ?? '', operation, lockedDecisionOf(request), input);
  return (await decided(performed)).document;
}

/** Converts an error to an HTTP response with the same text as on the command line. */
export async function decided<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (!(thrown instanceof SyncError)) throw thrown;
    const error = asSyncError(thrown);
    throw new WebRefusal(statusOf(error), `${error.message} ${error.remedy}`, error);
  }
}
