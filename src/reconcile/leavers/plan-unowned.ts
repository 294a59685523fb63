import type { Observed } from '../../model/observed.js';
import { isAdministrator } from '../../model/power.js';
import { correlate, createFinder } from '../match/correlate.js';
import type { EntitySettings, ReconcilePorts } from '../ports.js';
import { planRemoval } from './plan-leavers.js';

export interface UnownedPorts extends ReconcilePorts {
  /** Active accounts without a link that no record claims, not even in doubt. */
  strangers(): Iterable<string>;
  /** The proof that an account is unowned, in words; null if this run has not seen enough. */
  unownedProof(): string | null;
}

/**
 * Reports or deactivates accounts that talent-sync neither created nor adopted, and that no row of the sources matches:
 *
 * | `unowned`    | →                                                                           |
 * |--------------|-----------------------------------------------------------------------------|
 * | `keep`       | left alone, and not mentioned                                               |
 * | `report`     | reported, one by one                                                        |
 * | `deactivate` | deactivated, under the guards, if a full read and a complete source prove it |
 *
 * If only the declared rule of `match` distinguishes a record from an account, the account is reported in both cases,
 * and not deactivated. The two may be one, depending on how a key is written.
 *
 * Guests (role external), administrators and protected accounts are never treated as unowned, and are not named here.
 */
export function planUnowned(settings: EntitySettings, ports: UnownedPorts): void {
  const { unowned, policy } = settings;
  const proof = ports.unownedProof();
  if (unowned === 'keep' || proof === null) return;
  claimOutsiders(settings, ports);
  for (const stranger of ports.strangers()) {
    const account = ports.service.observed('users', stranger);
    if (account === null || isApart(account, ports)) continue;
    const record = { key: `id:${stranger}`, place: 'absent' };
    const [alike] = ports.plan.claimants('users.apart', stranger);
    if (alike !== undefined) holdUnowned(account, record.key, describeAlike(alike), ports);
    else if (unowned === 'report') holdUnowned(account, record.key, proof, ports);
    else if (policy === 'sync')
      planRemoval({ observed: account, record, reason: { kind: 'unowned', text: proof } }, settings, ports);
  }
}

/** Rows out of scope claim their accounts, which are then not unowned. */
function claimOutsiders({ match }: EntitySettings, ports: UnownedPorts): void {
  const { plan, service } = ports;
  for (const { key, values } of ports.sources.outsiders('users')) {
    const found = correlate({ entity: 'users', values }, match, createFinder('users', service));
    if (found.kind === 'match') plan.claim('users.maybe', found.id, key);
    if (found.kind === 'ambiguous') for (const id of found.candidates) plan.claim('users.maybe', id, key);
    if (found.kind === 'none') for (const id of found.setApart) plan.claim('users.apart', id, key);
  }
}

function isApart(account: Observed, ports: UnownedPorts): boolean {
  const { role, roles } = account.values;
  const isGuest = role === 'external' || (Array.isArray(roles) && roles.includes('external'));
  return isGuest || isAdministrator(account) || ports.service.protectedBy(account) !== null;
}

function describeAlike(key: string): string {
  return `no record matches it by \`match\`, but record ${key} differs from it only in case, blanks or Unicode form`;
}

function holdUnowned(account: Observed, key: string, text: string, ports: UnownedPorts): void {
  ports.plan.hold({
    entity: 'users',
    key,
    place: 'the service',
    code: 'SYNC_ACCOUNT_UNOWNED',
    reason: `${account.label} (${account.id}): ${text}.`,
    about: 'unowned',
    remedy: 'Add the person to the source, protect the account, or deactivate it in the service.',
  });
}
