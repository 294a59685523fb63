import type { Registered } from '../../../../src/daemon/tenants/registry.js';
import type { TenantStatus } from '../../../../src/daemon/tenants/tenant.js';
import type { TenantFacts } from '../../../../src/daemon/tenants/tenant-facts.js';

/** Facts of a tenant with nothing to report. */
export const FACTS: TenantFacts = {
  ...{ lastGoodRunMs: null, pause: null, sources: [], mirror: [], waiting: [], pseudonymKey: 'key' },
  ...{ nearMisses: null, documents: [], outbox: [] },
};

/** Status of a tenant between its runs. */
export const STATUS: TenantStatus = {
  ...{ phase: 'idle', because: null, nextMs: null, awayInARow: 0, facts: null, channels: [] },
  limiter: { waitedMs: 0, limited: 0, requestsPerSecond: null, inFlight: 0, queued: 0 },
};

export function tenant(name: string): Registered {
  return { name, problem: null, config: null, text: null, status: null };
}
