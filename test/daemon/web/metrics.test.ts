import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SyncError } from '../../../src/base/errors.js';
import type { Registered } from '../../../src/daemon/tenants/registry.js';
import { createMetrics } from '../../../src/daemon/web/metrics.js';
import type { PushEvent } from '../../../src/daemon/web/scim/receiver.js';
import type { PlannedChange } from '../../../src/model/plan.js';
import type { WaitingItem } from '../../../src/model/waiting.js';
import type { RunEnd } from '../../../src/operations/run.js';
import { ROOT } from '../../module-graph.js';
import { createHandClock } from '../fleet.js';

const NOW = '2026-06-01T10:00:00Z';

function waits(item: Pick<WaitingItem, 'kind' | 'of' | 'count'> & Partial<WaitingItem>): WaitingItem {
  return { id: 'h1', cause: 'why', resolve: 'how', code: null, since: null, until: null, keys: [], ...item };
}

const STATUS = {
  phase: 'idle',
  because: null,
  awayInARow: 3,
  nextMs: Date.parse('2026-06-01T10:15:00Z'),
  limiter: { waitedMs: 1_500, limited: 2, requestsPerSecond: 4.5, inFlight: 1, queued: 0 },
  channels: [
    {
      ...{ channel: 'ops', waiting: 2, oldest: '2026-06-01T09:30:00Z', sent: 8, failed: 3, lapsed: 1, times: 2 },
      ...{ nextAt: null, sentAt: null, failingSince: '2026-06-01T09:40:00Z', failure: 'answered 500' },
    },
    {
      ...{ channel: 'mail', sent: 4, failed: 0, lapsed: 0, times: 0 },
      ...{ nextAt: null, sentAt: '2026-06-01T09:40:00Z', failingSince: null, failure: null },
    },
  ],
  facts: {
    lastGoodRunMs: Date.parse('2026-06-01T09:45:00Z'),
    pause: null,
    sources: [
      {
        source: 'hr',
        completeMs: Date.parse('2026-06-01T09:00:00Z'),
        sameMs: Date.parse('2026-05-31T10:00:00Z'),
        overlooked: 2,
      },
      { source: 'idp', completeMs: null, sameMs: null, overlooked: 0 },
    ],
    mirror: [{ entity: 'users', objects: 20_000 }],
    waiting: [
      waits({ kind: 'guard', of: 'users.deactivate', count: 70, since: '2026-05-31T10:00:00Z' }),
      waits({ kind: 'source', of: 'sources.hr.older_content', count: 1 }),
      waits({ kind: 'conflict', of: 'users', code: 'SYNC_CONFLICT', count: 2 }),
      waits({ kind: 'record', of: 'users', code: 'SYNC_ROW_CELL', count: 1, since: '2026-06-01T09:00:00Z' }),
      waits({ kind: 'record', of: 'users', code: 'SYNC_ROW_CELL', count: 2, since: '2026-06-01T08:00:00Z' }),
      waits({ kind: 'field', of: 'users', code: 'SYNC_REFERENCE_UNKNOWN', count: 282 }),
    ],
    pseudonymKey: null,
    nearMisses: 5,
    documents: [{ delivery: 'cvs', left: 12, failing: 1 }],
    outbox: [{ source: 'hr', records: 7, sinceMs: Date.parse('2026-06-01T08:00:00Z') }],
  },
} as const;

function openMetrics(tenants: readonly Registered[]) {
  return createMetrics({ clock: createHandClock(NOW), version: '1.2.3', list: () => tenants });
}

async function linesOf(metrics: ReturnType<typeof openMetrics>): Promise<readonly string[]> {
  return (await metrics.render())
    .split('\n')
    .filter((line) => line.startsWith('talent_sync_') && !line.includes('_bucket'));
}

describe('docs/reference/metrics.md', () => {
  const text = readFileSync(join(ROOT, 'docs/reference/metrics.md'), 'utf8');
  const documented = [...text.matchAll(/^\| `(\w+)` \| (\w+) \| ([^|]*)\| (.+) \|$/gm)].map(
    ([, name = '', type = '', labels = '', meaning = '']) => ({
      name: `talent_sync_${name}`,
      type,
      labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
      meaning,
    }),
  );

  it('lists each metric once with its type and labels, and no others', () => {
    const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
    const shapes = documented.map(({ name, type, labels }) => ({ name, type, labels }));
    expect(shapes.toSorted(byName)).toEqual([...openMetrics([]).describe()].toSorted(byName));
    expect(documented.filter(({ meaning }) => meaning.length < 10)).toEqual([]);
  });

  it('names only existing metrics in its example alerts', () => {
    const alerts = text.slice(text.indexOf('## Worth an alert'));
    const named = [...alerts.matchAll(/talent_sync_\w+/g)].map(([name]) => name);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !documented.some((one) => one.name === name))).toEqual([]);
  });
});

it.each([
  [true, ['talent_sync_backend_answers{} 1']],
  [false, ['talent_sync_backend_answers{} 0']],
  // Without PostgreSQL, each state is a folder on this machine.
  [null, []],
])('reports PostgreSQL as answering: %s', async (answers, lines) => {
  const options = { clock: createHandClock(NOW), version: '1', list: () => [] };
  const text = await createMetrics({ ...options, backendAnswers: () => answers }).render();
  expect(text.split('\n').filter((line) => line.startsWith('talent_sync_backend'))).toEqual(lines);
});

describe('a thousand tenants', () => {
  const names = Array.from({ length: 1_000 }, (_, at) => `t${at}`);
  const quiet = { ...STATUS, facts: { ...STATUS.facts, waiting: [], outbox: [], documents: [] }, channels: [] };
  const all = names.map((name) => ({ name, problem: null, config: null, text: null, status: quiet }));
  const metrics = openMetrics(all);
  const call = { method: 'GET', kind: 'read', requestId: null, dateMs: null, status: 200, ms: 3, attempt: 1 } as const;
  for (const name of names) {
    metrics.watcher.onReload(name, true);
    metrics.watcher.onMissed(name, 0);
    metrics.watcher.onRun(name, { exitCode: 0, document: { guards: [] }, bySource: [] } as unknown as RunEnd, 1);
    for (const template of ['GET /api/v1/countries', 'GET /api/v2/users/search', 'GET /api/v1/users/changes'])
      metrics.watcher.onCall(name, { ...call, template });
  }

  it('share series, such as buckets, and have none for kinds with nothing waiting', async () => {
    const lines = (await metrics.render()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines.length / names.length).toBeLessThan(26);
    expect(lines.join('\n').length).toBeLessThan(1.5 * 1_024 * 1_024);
    expect(lines).toContain('talent_sync_run_seconds_count 1000');
    expect(lines).toContain('talent_sync_call_seconds_bucket{le="0.05",kind="read"} 3000');
  });

  it('are rendered in turns with other work, and two renderings agree', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    count();
    const [one, other] = await Promise.all([metrics.render(), metrics.render()]);
    isOver = true;
    const own = (text: string): readonly string[] => text.split('\n').filter((line) => line.startsWith('talent_sync_'));
    expect(own(other)).toEqual(own(one));
    // 25,000 lines, with one pause for other work per 5,000.
    expect(turns).toBeGreaterThanOrEqual(5);
  });
});

describe('the current state', () => {
  it.each([
    ['from its row in PostgreSQL', '2026-06-01T09:50:00Z', 600],
    ['from the state, if the holder was lost before it noted the run', null, 900],
  ])('includes the age of the last good run %s', async (_, lastGood, seconds) => {
    const row = {
      ...{ tenant: 'acme', holder: null, nextMs: null, pausedUntilMs: null, hasLeft: false, schema: 0 },
      ...{ lastGoodMs: lastGood === null ? null : Date.parse(lastGood) },
      ...{ erasedAgoMs: null, facts: undefined, doing: null, seenMs: Date.parse(NOW) },
    };
    const status = { ...STATUS, row };
    const lines = await linesOf(openMetrics([{ name: 'acme', problem: null, config: null, text: null, status }]));
    expect(lines).toContain(`talent_sync_tenant_last_good_age_seconds{tenant="acme"} ${seconds}`);
  });

  it('includes ages, sizes and rates at the moment of the scrape', async () => {
    const lines = await linesOf(
      openMetrics([{ name: 'acme', problem: null, config: null, text: null, status: STATUS }]),
    );
    expect(lines).toEqual(
      expect.arrayContaining([
        'talent_sync_build_info{version="1.2.3"} 1',
        'talent_sync_tenant_ready{tenant="acme"} 1',
        'talent_sync_run_active{tenant="acme"} 0',
        'talent_sync_config_good{tenant="acme"} 1',
        'talent_sync_last_good_run_age_seconds{tenant="acme"} 900',
        'talent_sync_next_run_seconds{tenant="acme"} 900',
        'talent_sync_away_in_a_row{tenant="acme"} 3',
        'talent_sync_source_complete_age_seconds{tenant="acme",source="hr"} 3600',
        'talent_sync_source_content_age_seconds{tenant="acme",source="hr"} 86400',
        'talent_sync_source_overlooked_files{tenant="acme",source="hr"} 2',
        'talent_sync_mirror_objects{tenant="acme",entity="users"} 20000',
        'talent_sync_held_records{tenant="acme",entity="users",code="SYNC_ROW_CELL"} 3',
        'talent_sync_held_fields{tenant="acme",entity="users",code="SYNC_REFERENCE_UNKNOWN"} 282',
        'talent_sync_waiting{tenant="acme",kind="record"} 3',
        'talent_sync_waiting_oldest_age_seconds{tenant="acme",kind="record"} 7200',
        'talent_sync_guard_held_changes{tenant="acme",guard="sources.hr.older_content"} 1',
        'talent_sync_guard_held_changes{tenant="acme",guard="users.deactivate"} 70',
        'talent_sync_waiting{tenant="acme",kind="conflict"} 2',
        'talent_sync_near_misses{tenant="acme"} 5',
        'talent_sync_outbox_waiting_records{tenant="acme",source="hr"} 7',
        'talent_sync_outbox_oldest_age_seconds{tenant="acme",source="hr"} 7200',
        'talent_sync_messages_waiting{tenant="acme",channel="ops"} 2',
        'talent_sync_messages_waiting{tenant="acme",channel="mail"} 0',
        'talent_sync_messages_oldest_age_seconds{tenant="acme",channel="ops"} 1800',
        'talent_sync_messages_sent_total{tenant="acme",channel="ops"} 8',
        'talent_sync_messages_failed_total{tenant="acme",channel="ops"} 3',
        'talent_sync_messages_lapsed_total{tenant="acme",channel="ops"} 1',
        'talent_sync_limiter_requests_per_second{tenant="acme"} 4.5',
        'talent_sync_limiter_waited_seconds_total{tenant="acme"} 1.5',
        'talent_sync_limiter_refused_calls_total{tenant="acme"} 2',
        'talent_sync_limiter_calls_in_flight{tenant="acme"} 1',
      ]),
    );
    expect(lines.filter((line) => line.includes('messages_oldest') && line.includes('mail'))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('talent_sync_waiting{'))).toHaveLength(5);
    // A source that was never read completely has no age. Alert on its absence with another rule.
    expect(lines.filter((line) => line.includes('idp'))).toEqual([]);
  });

  it('drops the figures of a removed tenant, and counts nothing twice on a second scrape', async () => {
    const tenants: Registered[] = [{ name: 'acme', problem: null, config: null, text: null, status: STATUS }];
    const metrics = createMetrics({ clock: createHandClock(NOW), version: '1', list: () => tenants });
    await metrics.render();
    expect(await linesOf(metrics)).toContain('talent_sync_limiter_waited_seconds_total{tenant="acme"} 1.5');
    tenants.pop();
    expect((await linesOf(metrics)).filter((line) => line.includes('acme'))).toEqual([]);
  });

  it('reports a tenant with a rejected configuration as not ready', async () => {
    const problem = new SyncError('SYNC_CONFIG_INVALID', { message: 'broken', remedy: 'mend it' });
    const lines = await linesOf(openMetrics([{ name: 'acme', problem, config: null, text: null, status: null }]));
    expect(lines).toEqual(
      expect.arrayContaining(['talent_sync_tenant_ready{tenant="acme"} 0', 'talent_sync_config_good{tenant="acme"} 0']),
    );
  });
});

describe('events', () => {
  it('counts calls, changes, runs, trips and reloads by their labels', async () => {
    const metrics = openMetrics([{ name: 'acme', problem: null, config: null, text: null, status: STATUS }]);
    const { watcher } = metrics;
    const call = {
      method: 'PUT',
      template: 'PUT /api/v1/users/{user_id}',
      kind: 'write',
      requestId: null,
      dateMs: null,
    } as const;
    watcher.onCall('acme', { ...call, status: 200, ms: 40, attempt: 1 });
    watcher.onCall('acme', { ...call, status: null, ms: 2_000, attempt: 1 });
    watcher.onChange('acme', { entity: 'users', action: 'update' } as PlannedChange, 'not taken');
    watcher.onRun('acme', null, 3);
    const bySource = [{ source: 'hr', done: 3, refused: 1, lost: 0, left: 2, at: null, examples: [] }];
    const deliveries = [{ report: 'people', status: 'delivered' }];
    watcher.onRun('acme', { exitCode: 0, document: { guards: [], deliveries }, bySource } as unknown as RunEnd, 1);
    watcher.onMissed('acme', 4);
    watcher.onReload('acme', false);
    expect(await linesOf(metrics)).toEqual(
      expect.arrayContaining([
        'talent_sync_calls_total{tenant="acme",endpoint="PUT /api/v1/users/{user_id}",status="200"} 1',
        'talent_sync_calls_total{tenant="acme",endpoint="PUT /api/v1/users/{user_id}",status="none"} 1',
        'talent_sync_call_seconds_count{kind="write"} 2',
        'talent_sync_call_seconds_sum{kind="write"} 2.04',
        'talent_sync_tenant_call_seconds_total{tenant="acme"} 2.04',
        'talent_sync_changes_total{tenant="acme",entity="users",action="update",result="not_taken"} 1',
        'talent_sync_told_records_total{tenant="acme",source="hr",result="done"} 3',
        'talent_sync_told_records_total{tenant="acme",source="hr",result="refused"} 1',
        'talent_sync_told_records_total{tenant="acme",source="hr",result="left"} 2',
        'talent_sync_reports_total{tenant="acme",report="people",result="delivered"} 1',
        'talent_sync_runs_total{tenant="acme",result="broken"} 1',
        'talent_sync_run_seconds_sum 4',
        'talent_sync_tenant_run_seconds_total{tenant="acme"} 4',
        'talent_sync_slots_missed_total{tenant="acme"} 4',
        'talent_sync_config_reloads_total{tenant="acme",result="refused"} 1',
      ]),
    );
  });
});

it('escapes a name with quotes in its label', async () => {
  const metrics = openMetrics([]);
  metrics.onPush({ source: { tenant: 'none', name: 'a"b\\c\nd' }, result: 'taken' } as unknown as PushEvent);
  const [line] = (await linesOf(metrics)).filter((one) => one.startsWith('talent_sync_pushes_total'));
  expect(line).toBe('talent_sync_pushes_total{tenant="none",source="a\\"b\\\\c\\nd",result="taken"} 1');
});

it('counts hooks by source and result, and unknown sources under one label', async () => {
  const metrics = openMetrics([]);
  const event = { form: null, status: 403, ms: 1 };
  metrics.onHook({ ...event, source: null, result: 'forged' });
  metrics.onHook({ ...event, source: null, result: 'forged' });
  metrics.onHook({ ...event, source: { tenant: 'none', name: 'hr' }, result: 'accepted' });
  expect((await linesOf(metrics)).filter((one) => one.startsWith('talent_sync_hooks_total'))).toEqual([
    'talent_sync_hooks_total{tenant="none",source="none",result="forged"} 2',
    'talent_sync_hooks_total{tenant="none",source="hr",result="accepted"} 1',
  ]);
});

describe('missing series', () => {
  it('drops the counts of a removed tenant, and keeps those of others', async () => {
    const tenants: Registered[] = ['acme', 'beta'].map((name) => ({
      name,
      problem: null,
      config: null,
      text: null,
      status: STATUS,
    }));
    const metrics = createMetrics({ clock: createHandClock(NOW), version: '1', list: () => tenants });
    for (const { name } of tenants) {
      metrics.watcher.onRun(name, null, 3);
      metrics.watcher.onMissed(name, 1);
    }
    expect((await metrics.render()).match(/tenant="acme"/g)?.length).toBe(
      (await metrics.render()).match(/tenant="beta"/g)?.length,
    );
    tenants.shift();
    const text = await metrics.render();
    expect(text).not.toContain('acme');
    expect(text).toContain('talent_sync_runs_total{tenant="beta",result="broken"} 1');
    expect(text).toContain('talent_sync_tenant_run_seconds_total{tenant="beta"} 3');
    // Its last run ends after the removal.
    metrics.watcher.onRun('acme', null, 3);
    expect(await metrics.render()).not.toContain('acme');
  });

  it('prints nothing for a metric without series, not even its name', async () => {
    const text = await openMetrics([]).render();
    expect(text.match(/^# TYPE talent_sync_\w+/gm)).toEqual([
      '# TYPE talent_sync_build_info',
      // The durations cover all tenants and start at zero.
      '# TYPE talent_sync_call_seconds',
      '# TYPE talent_sync_signal_seconds',
      '# TYPE talent_sync_run_seconds',
    ]);
    expect(text).toMatch(/^# HELP[\s\S]*[^\n]\n$/);
  });
});
