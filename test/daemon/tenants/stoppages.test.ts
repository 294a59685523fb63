import { expect, test } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import type { Registered } from '../../../src/daemon/tenants/registry.js';
import { listStoppages } from '../../../src/daemon/tenants/stoppages.js';
import type { TenantStatus } from '../../../src/daemon/tenants/tenant.js';
import { FACTS, STATUS, tenant } from '../web/operator/facts.js';

const NOW = Date.parse('2026-11-23T08:00:00.000Z');
const MINUTE = 60_000;
const problem = new SyncError('SYNC_CONFIG_INVALID', { message: 'It is wrong.', remedy: 'Fix it.' });
const pause = { at: '2026-11-22T08:00:00.000Z', until: '2026-11-24T08:00:00.000Z', by: 'kim', reason: 'payroll' };

function status(patch: Partial<TenantStatus>): Registered {
  return { ...tenant('acme'), status: { ...STATUS, ...patch } };
}

test.each<readonly [what: string, tenant: Registered, kinds: readonly string[]]>([
  ['a running tenant', status({}), []],
  ['a tenant that was not opened yet', tenant('acme'), []],
  ['a rejected configuration', { ...tenant('acme'), problem }, ['rejected']],
  ['a rejected edit', { ...status({}), problem }, ['edited']],
  ['a state that cannot be used', status({ phase: 'broken' }), ['broken']],
  ['a failed migration', status({ phase: 'stopped' }), ['stopped']],
  ['a short lock', status({ phase: 'locked', sinceMs: NOW - 14 * MINUTE }), []],
  ['a long lock', status({ phase: 'locked', sinceMs: NOW - 15 * MINUTE }), ['locked']],
  ['a pause', status({ facts: { ...FACTS, pause } }), ['paused']],
  ['an expired pause', status({ facts: { ...FACTS, pause: { ...pause, until: pause.at } } }), []],
  ['several', { ...status({ phase: 'broken', facts: { ...FACTS, pause } }), problem }, ['broken', 'edited', 'paused']],
])('lists what stops %s', (_what, registered, kinds) => {
  expect(listStoppages(registered, NOW).map(({ kind }) => kind)).toEqual(kinds);
});

test('gives the time since when a tenant is stopped', () => {
  const registered = {
    ...status({ phase: 'broken', sinceMs: NOW - MINUTE }),
    problem,
    problemSinceMs: NOW - 2 * MINUTE,
  };
  expect(listStoppages(registered, NOW).map(({ since }) => since)).toEqual([
    '2026-11-23T07:59:00.000Z',
    '2026-11-23T07:58:00.000Z',
  ]);
});
