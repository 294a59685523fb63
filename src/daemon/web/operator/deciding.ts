import { hostname } from 'node:os';
import { asSyncError, isUnavailable, SyncError } from '../../../base/errors.js';
import { hideSecrets } from '../../../base/secrets/secret.js';
import { proofOf } from '../../../config/access/identity.js';
import { mayActAs, type Role } from '../../../config/access/roles.js';
import type { Config } from '../../../config/config.js';
import type { TenantOperation } from '../../../operations/operation.js';
import type { LockContext } from '../../../operations/with-locked-stores.js';
import type { DecisionContext } from '../../../operations/with-stores.js';
import { WebRefusal, type WebRequest } from './route.js';

/** @throws WebRefusal 409 where the tenant has none that could be used */
export function configOf({ tenant }: Pick<WebRequest, 'tenant'>): Config {
  const config = tenant?.config ?? null;
  if (config === null) throw new WebRefusal(409, tenant?.problem?.message ?? 'This tenant has no configuration yet.');
  return config;
}

/** What a person decides with: the audit names them as the log-in did. */
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

/** The same for what only the holder of the run lock may do: it waits for nobody. */
export function lockedDecisionOf(request: WebRequest): DecisionContext & LockContext {
  const { logger } = request.parts;
  return { ...decisionOf(request), logger, holder: `operator pages, process ${process.pid} on ${hostname()}` };
}

/** True if the person may use what is open to a role of the tenant. */
export function mayHere({ accessTo, tenant }: Pick<WebRequest, 'accessTo' | 'tenant'>, role: Role): boolean {
  return mayActAs(accessTo(tenant?.name ?? ''), role);
}

/** @throws WebRefusal 403 for a reader of pseudonyms, who could not type the name of somebody */
export function requireNames({ accessTo, tenant }: Pick<WebRequest, 'accessTo' | 'tenant'>): void {
  if (accessTo(tenant?.name ?? '')?.pseudonyms !== false)
    throw new WebRefusal(403, 'You see people under pseudonyms, so you cannot say who is meant.');
}

/** `/tenants/acme` */
export function tenantPath({ tenant }: Pick<WebRequest, 'tenant'>): string {
  return `/tenants/${encodeURIComponent(tenant?.name ?? '')}`;
}

/** A field of the form, trimmed; blank where it is missing. */
export function fieldOf({ form }: Pick<WebRequest, 'form'>, name: string): string {
  return (form.get(name) ?? '').trim();
}

/** Why somebody decided it: nobody's key, should one have been pasted there. */
export function reasonOfForm(request: Pick<WebRequest, 'form'>): string {
  return hideSecrets(fieldOf(request, 'reason'));
}

/** The same where nothing is decided without one. @throws WebRefusal 400 */
export function demandReason(request: Pick<WebRequest, 'form'>): string {
  const reason = reasonOfForm(request);
  if (reason === '') throw new WebRefusal(400, 'Say why: it is kept in the audit.');
  return reason;
}

/**
 * A day counts until its end, UTC; none for none given.
 *
 * @throws WebRefusal 400 for what is no day, or one that is over
 */
export function readDay(text: string, nowMs: number): string | null {
  if (text === '') return null;
  const at = Date.parse(`${text}T23:59:59Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(at) || at <= nowMs)
    throw new WebRefusal(400, 'Name a day to come.');
  return new Date(at).toISOString();
}

const MISSING: ReadonlySet<string> = new Set(['SYNC_NOT_FOUND', 'SYNC_HOLD_UNKNOWN', 'SYNC_PLAN_MISSING']);

/** HTTP status for an operation's error. 409 is the default: it cannot be done as things are now. */
export function statusOf(error: SyncError): number {
  if (isUnavailable(error)) return 503;
  return MISSING.has(error.code) ? 404 : 409;
}

/**
 * Has something done about the tenant of the address, here or by the daemon that holds it.
 *
 * @throws WebRefusal for what cannot be done
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

/** What cannot be done is said as it is on the command line. */
export async function decided<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (!(thrown instanceof SyncError)) throw thrown;
    const error = asSyncError(thrown);
    throw new WebRefusal(statusOf(error), `${error.message} ${error.remedy}`, error);
  }
}
