import { objectOf } from '../../model/json.js';
import { ADMINISTRATOR, rulingRoles } from '../../model/power.js';
import type { Stores } from '../open-stores.js';
import type { AuditEntry } from './audit-entry.js';
import { parseRow } from './audit-log.js';

const CARRIED_OUT: ReadonlySet<AuditEntry['result']> = new Set(['done', 'already so', 'in part', 'not taken']);

/**
 * Returns the run in which this program made a person an administrator, if both sides still agree on that. Returns null
 * if others did so, or if there is no proof. The newest change of the roles decides.
 */
export function findPowerGiven({ links, audit }: Pick<Stores, 'links' | 'audit'>, id: string): string | null {
  const agreed = links.findByServiceId('users', id)?.base?.roles;
  if (agreed === undefined || !isPower(agreed)) return null;
  for (const row of audit.rowsNaming(JSON.stringify(id))) {
    const line = parseRow(row);
    if (line?.kind !== 'change' || line.target !== id || !CARRIED_OUT.has(line.result)) continue;
    const { roles } = objectOf(line.after);
    if (roles !== undefined) return isPower(roles) && !isPower(objectOf(line.before).roles) ? line.run : null;
  }
  return null;
}

function isPower(roles: Parameters<typeof objectOf>[0]): boolean {
  return rulingRoles({ roles: roles ?? null }).includes(ADMINISTRATOR);
}
