// The data of 300 tenants in a daemon's memory between their runs.
const TENANTS = 300;

export function listTenants() {
  return Array.from({ length: TENANTS }, (_, index) => ({
    name: `tenant-${String(index).padStart(3, '0')}`,
    problem: null,
    config: null,
    text: null,
    status: buildStatus(index),
  }));
}

function buildStatus(index) {
  const since = new Date(Date.UTC(2026, 0, 1) + index * 3_600_000).toISOString();
  const waits = { of: 'users', count: 1, resolve: 'Correct the address in the source.', since, until: null };
  const waiting = [
    {
      ...waits,
      id: `g${index}`,
      kind: 'guard',
      of: 'users.deactivate',
      count: 49,
      cause: '49 found',
      code: null,
      keys: [],
    },
    {
      ...waits,
      id: `r${index}`,
      kind: 'record',
      cause: 'email is not an address',
      code: 'SYNC_MAP_VALUE',
      keys: [`E${index}`],
    },
  ];
  const facts = {
    lastGoodRunMs: Date.UTC(2026, 0, 2),
    sources: [],
    mirror: [],
    kinds: [],
    waiting,
    pseudonymKey: null,
  };
  return {
    ...{ phase: 'idle', because: null, nextMs: Date.UTC(2027, 0, 1), awayInARow: 0, channels: [] },
    limiter: { waitedMs: 0, limited: 0, requestsPerSecond: null, inFlight: 0, queued: 0 },
    facts: { ...facts, nearMisses: null, documents: [], outbox: [] },
  };
}
