import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../src/cli/program.js';
import { oneIn, sweep } from '../depth.js';
import { ROOT } from '../module-graph.js';
import { lazily, renderChart, valuesOf } from './chart.js';
import { DOCUMENTED, namesIn, WORTH_AN_ALERT } from './documented-metrics.js';
import { type Manifest, pick, readAt } from './manifest.js';
import { runPromtool } from './promtool.js';

const METRICS = { enabled: true, tokenSecret: { name: 'token' }, prometheusRule: { enabled: true } };
const JOB = { mode: 'cronjob', cronJob: { schedule: '@hourly' } };

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly description: string };
}

function rulesOf(manifest: Manifest): readonly Rule[] {
  return readAt(manifest, 'spec.groups.0.rules') as readonly Rule[];
}

const rule = lazily(() => pick(renderChart(valuesOf({}, { metrics: METRICS })), 'PrometheusRule'));
const ofJob = lazily(() =>
  pick(renderChart(valuesOf(JOB, { metrics: { prometheusRule: { enabled: true } } })), 'PrometheusRule'),
);

const RUN = 'kubectl -n hr exec deploy/prod-talent-sync-acme -c talent-sync -- talent-sync';
const CONFIG = '--config /etc/talent-sync/acme.yaml';
const PODS = 'kubectl -n hr get pods -l app.kubernetes.io/instance=prod,talent-sync/tenant=acme';

interface Case {
  readonly alert: string;
  /** A metric with its labels other than namespace and tenant. */
  readonly series: string;
  /**
   * A value per ten minutes over 25 hours, in Prometheus' notation: the alert must fire for `bad` and not for `good`.
   */
  readonly bad: string;
  readonly good: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly description: string;
}

const CASES: readonly Case[] = [
  {
    alert: 'TalentSyncAbsent',
    series: 'talent_sync_run_active',
    bad: '0x150',
    good: '',
    labels: { severity: 'critical' },
    summary: 'The daemon of acme shows no metrics.',
    description: `Check that its pod runs, and read its log. \`${PODS}\``,
  },
  {
    alert: 'TalentSyncNotReady',
    series: 'talent_sync_tenant_phase{phase="stopped"}',
    bad: '1x150',
    good: '0x150',
    labels: { severity: 'critical', phase: 'stopped' },
    summary: 'acme is stopped: its state cannot be used. Nothing is synchronised.',
    description: 'Read the error in the log. `kubectl -n hr logs deploy/prod-talent-sync-acme -c talent-sync`',
  },
  {
    alert: 'TalentSyncFirstConfigRefused',
    series: 'talent_sync_tenant_phase{phase="refused"}',
    bad: '1x150',
    good: '0x150',
    labels: { severity: 'critical', phase: 'refused' },
    summary: 'The first configuration of acme was rejected, and there is no earlier one. Nothing is synchronised.',
    description: `Correct what \`check\` names. \`${RUN} check ${CONFIG}\``,
  },
  {
    alert: 'TalentSyncConfigRefused',
    series: 'talent_sync_config_good',
    bad: '0x150',
    good: '1x150',
    labels: { severity: 'warning' },
    summary: 'The newest configuration of acme was rejected. The previous one stays in force.',
    description: `Correct what \`check\` names. \`${RUN} check ${CONFIG}\``,
  },
  {
    alert: 'TalentSyncNoGoodRun',
    series: 'talent_sync_last_good_run_age_seconds',
    bad: '10801x150',
    good: '10800x150',
    labels: { severity: 'critical' },
    summary: 'No run of acme has succeeded for 3h 0m 1s.',
    description: `Check how the last runs ended. \`${RUN} runs --last 3 ${CONFIG}\``,
  },
  {
    alert: 'TalentSyncPaused',
    series: 'talent_sync_paused_seconds',
    bad: '5400x150',
    good: '0x150',
    labels: { severity: 'info' },
    summary: 'acme is paused for another 1h 30m 0s. Nothing is synchronised until then.',
    description: `Somebody has paused it: \`status\` says who and why, and \`resume\` ends it. \`${RUN} status ${CONFIG}\``,
  },
  {
    alert: 'TalentSyncSourceStale',
    series: 'talent_sync_source_complete_age_seconds{source="hr"}',
    bad: '93660x150',
    good: '93600x150',
    labels: { severity: 'warning', source: 'hr' },
    summary: 'acme has had no complete read of hr for 1d 2h 1m 0s. Nobody who is missing from it is deactivated.',
    description: `Check whether the delivery came, and what is wrong with it. \`${RUN} check ${CONFIG}\``,
  },
  {
    alert: 'TalentSyncWaiting',
    series: 'talent_sync_waiting{kind="guard"}',
    bad: '7x150',
    good: '0x144 7x5',
    labels: { severity: 'warning', kind: 'guard' },
    summary: 'acme: 7 items need a decision (guard).',
    description: `See what is pending and what resolves it; then approve, resolve or acknowledge. \`${RUN} holds list ${CONFIG}\``,
  },
  {
    alert: 'TalentSyncWriteBackStuck',
    series: 'talent_sync_outbox_oldest_age_seconds{source="hr"}',
    bad: '259260x150',
    good: '259200x150',
    labels: { severity: 'warning', source: 'hr' },
    summary: 'hr does not show values that acme wrote back 3d 0h 1m 0s ago.',
    description: `Ask the operators of hr whether they import them. \`${RUN} status ${CONFIG}\``,
  },
  {
    alert: 'TalentSyncDocumentsFailing',
    series: 'talent_sync_documents_failing{delivery="cvs"}',
    bad: '2x150',
    good: '0x120 2x29',
    labels: { severity: 'warning', delivery: 'cvs' },
    summary: 'acme: 2 documents of cvs cannot be fetched.',
    description: `Find out why the service does not render them. \`${RUN} status ${CONFIG}\``,
  },
  {
    alert: 'TalentSyncMessagesStuck',
    series: 'talent_sync_messages_oldest_age_seconds{channel="chat"}',
    bad: '3660x150',
    good: '3600x150',
    labels: { severity: 'warning', channel: 'chat' },
    summary: 'acme: the channel chat has accepted no message for 1h 1m 0s. It reports nothing that is pending.',
    description: `Send a test message, and see what is wrong. \`${RUN} notify test --channel chat ${CONFIG}\``,
  },
  {
    alert: 'TalentSyncChangesFail',
    series: 'talent_sync_changes_total{entity="users",action="update",result="refused"}',
    bad: '0x50 30x100',
    good: '0x50 20x100',
    labels: { severity: 'warning', entity: 'users', result: 'refused' },
    summary: 'acme: 30 changes of users in a day ended as `refused`.',
    description: `Read the answers of the service. \`${RUN} runs --last 3 ${CONFIG}\``,
  },
];

interface Expected {
  readonly alert: string;
  readonly series: string;
  /** Empty if the series does not exist. */
  readonly values: string;
  /** The alert it must fire; null if it must not fire. */
  readonly fires: { readonly exp_labels: object; readonly exp_annotations: object } | null;
  /** Additional series. */
  readonly beside?: readonly { readonly series: string; readonly values: string }[];
}

/** Runs the expectations in Prometheus, each separately, at the end of 25 hours. */
function testAlerts(rules: Manifest, expected: readonly Expected[]): string {
  const tests = expected.map(({ alert, series, values, fires, beside = [] }) => ({
    interval: '10m',
    input_series: values === '' ? [] : [{ series, values }, ...beside],
    alert_rule_test: [{ eval_time: '1490m', alertname: alert, exp_alerts: fires === null ? [] : [fires] }],
  }));
  return runPromtool('test', rules.spec, { evaluation_interval: '10m', tests });
}

function within(series: string, labels: string): string {
  return series.includes('{') ? series.replace('{', `{${labels},`) : `${series}{${labels}}`;
}

const OWN = 'namespace="hr",tenant="acme"';

function firing({ alert, series, bad, labels, summary, description }: Case): Expected {
  const fires = {
    exp_labels: { ...labels, namespace: 'hr', tenant: 'acme' },
    exp_annotations: { summary, description },
  };
  return { alert, series: within(series, OWN), values: bad, fires };
}

function silent({ alert, series, bad, good }: Case): readonly Expected[] {
  const others = ['namespace="hr",tenant="beta"', 'namespace="test",tenant="acme"'];
  return [
    { alert, series: within(series, OWN), values: good, fires: null },
    ...others.map((labels) => ({ alert, series: within(series, labels), values: bad, fires: null })),
  ];
}

describe('the alerts of a daemon', () => {
  it('are accepted by Prometheus, and all have cases here', () => {
    expect(runPromtool('check', rule().spec)).toContain(`SUCCESS: ${CASES.length} rules found`);
    expect(rulesOf(rule()).map(({ alert }) => alert)).toEqual(CASES.map(({ alert }) => alert));
  });

  it('match the list in docs/guides/kubernetes.md', () => {
    const page = readFileSync(join(ROOT, 'docs', 'guides', 'kubernetes.md'), 'utf8');
    const listed = [...page.matchAll(/^\| `(TalentSync\w+)` \|/gm)].map(([, alert]) => alert);
    expect(listed).toEqual(CASES.map(({ alert }) => alert));
  });

  it('fire with the step to take', () => {
    expect(testAlerts(rule(), oneIn(1 / 2, CASES).map(firing))).toContain('SUCCESS');
  });

  sweep('are silent within their limits, and about other tenants and namespaces', () => {
    const [absent, ...others] = CASES as readonly [Case, ...(readonly Case[])];
    const phases = ['idle', 'running', 'locked', 'refused'].map((phase) => ({
      alert: 'TalentSyncNotReady',
      series: `talent_sync_tenant_phase{${OWN},phase="${phase}"}`,
      values: '1x150',
      fires: null,
    }));
    const answered = { alert: absent.alert, series: `talent_sync_tenant_ready{${OWN}}`, values: '1x150', fires: null };
    expect(testAlerts(rule(), [answered, ...phases, ...others.flatMap(silent)])).toContain('SUCCESS');
  });

  it('are silent about runs that a pause prevents', () => {
    const paused = { series: `talent_sync_paused_seconds{${OWN}}`, values: '60x150' };
    const series = `talent_sync_last_good_run_age_seconds{${OWN}}`;
    const kept = { alert: 'TalentSyncNoGoodRun', series, values: '10801x150', fires: null, beside: [paused] };
    expect(testAlerts(rule(), [kept])).toContain('SUCCESS');
  });

  sweep('report no configuration before the first one', () => {
    const refused = { series: `talent_sync_tenant_phase{${OWN},phase="refused"}`, values: '1x150' };
    const series = `talent_sync_config_good{${OWN}}`;
    const alert = 'TalentSyncConfigRefused';
    expect(testAlerts(rule(), [{ alert, series, values: '0x150', fires: null, beside: [refused] }])).toContain(
      'SUCCESS',
    );
  });

  it('name existing commands and flags', () => {
    const { stdout, stderr } = process;
    const program = buildProgram({ stdout, stderr, env: {}, setExitCode: () => undefined, exit: () => undefined });
    const typed = rulesOf(rule()).flatMap(({ annotations }) => [
      ...annotations.description.matchAll(/-- talent-sync ([^`]*)`/g),
    ]);
    expect(typed.length).toBeGreaterThan(5);
    for (const [, words = ''] of typed) {
      const names = words.split(' --')[0]?.split(' ') ?? [];
      const command = names.reduce<Command | undefined>(
        (found, name) => found?.commands.find((one) => one.name() === name),
        program,
      );
      const flags = command?.options.map(({ long }) => long) ?? [];
      for (const [flag] of words.matchAll(/--[a-z-]+/g)) expect(flags).toContain(flag);
      expect(command).toBeDefined();
    }
  });

  it('use documented metrics only, and all that are worth an alert', () => {
    const used = namesIn(JSON.stringify(rule().spec));
    expect(used.filter((name) => !DOCUMENTED.has(name))).toEqual([]);
    expect(WORTH_AN_ALERT.length).toBeGreaterThan(5);
    const indirectly = new Map([['talent_sync_guard_held_changes', 'talent_sync_waiting']]);
    expect(WORTH_AN_ALERT.filter((name) => !used.includes(indirectly.get(name) ?? name))).toEqual([]);
  });
});

describe('the alerts of a backend', () => {
  const PODS_OF_ALL = '-l app.kubernetes.io/instance=prod,talent-sync/tenant=daemons';
  const LOGS = `kubectl -n hr logs ${PODS_OF_ALL} -c talent-sync --prefix`;
  const CHECK = 'kubectl -n hr exec deploy/prod-talent-sync-daemons -c talent-sync -- talent-sync check';
  const STATUS = CHECK.replace(/check$/, 'status');
  const OF_BACKEND: readonly Case[] = [
    {
      alert: 'TalentSyncAbsent',
      series: 'talent_sync_run_active{tenant="acme"}',
      bad: '0x150',
      good: '',
      labels: { severity: 'critical', tenant: 'acme' },
      summary: 'No daemon of prod-talent-sync-daemons shows metrics. Nothing is synchronised.',
      description: `Check that its pods run, and read their logs. \`kubectl -n hr get pods ${PODS_OF_ALL}\``,
    },
    {
      alert: 'TalentSyncBackendAway',
      series: 'talent_sync_backend_answers',
      bad: '0x150',
      good: '1x150',
      labels: { severity: 'critical' },
      summary: 'PostgreSQL does not answer a daemon of prod-talent-sync-daemons.',
      description: `Check PostgreSQL, its address, its certificate and the network. \`${LOGS}\``,
    },
    {
      alert: 'TalentSyncLate',
      series: 'talent_sync_tenant_lag_seconds{tenant="north"}',
      bad: '976x150',
      good: '975x150',
      labels: { severity: 'critical', tenant: 'north' },
      summary: 'The run of north is 16m 16s late.',
      description: `Look for the reason in the logs: PostgreSQL, a rejected configuration, a run that takes too long, or too few daemons. \`${LOGS}\``,
    },
    {
      alert: 'TalentSyncConfigRefused',
      series: 'talent_sync_config_good{tenant="north"}',
      bad: '0x150',
      good: '1x150',
      labels: { severity: 'warning', tenant: 'north' },
      summary: 'The newest configuration of north was rejected by a daemon.',
      description: `Correct what \`check\` names. \`${CHECK} --config /etc/talent-sync/north.yaml\``,
    },
    {
      alert: 'TalentSyncNoGoodRun',
      series: 'talent_sync_tenant_last_good_age_seconds{tenant="north"}',
      bad: '10801x150',
      good: '10800x150',
      labels: { severity: 'critical', tenant: 'north' },
      summary: 'No run of north has succeeded for 3h 0m 1s.',
      description: `Check in the logs how the last runs ended. \`${LOGS}\``,
    },
    {
      alert: 'TalentSyncPaused',
      series: 'talent_sync_paused_seconds{tenant="north"}',
      bad: '5400x150',
      good: '0x150',
      labels: { severity: 'info', tenant: 'north' },
      summary: 'north is paused for another 1h 30m 0s. Nothing is synchronised until then.',
      description: `Somebody has paused it: \`status\` says who and why, and \`resume\` ends it. \`${STATUS} --config /etc/talent-sync/north.yaml\``,
    },
  ];
  const ofBackend = lazily(() => pick(renderChart('backend-values.yaml'), 'PrometheusRule'));
  const inHr = (series: string, pod: string): string => within(series, `namespace="hr",pod="${pod}"`);

  it('are accepted by Prometheus, all have cases here, and docs/guides/kubernetes.md names them', () => {
    expect(runPromtool('check', ofBackend().spec)).toContain(`SUCCESS: ${OF_BACKEND.length} rules found`);
    expect(rulesOf(ofBackend()).map(({ alert }) => alert)).toEqual(OF_BACKEND.map(({ alert }) => alert));
    const page = readFileSync(join(ROOT, 'docs', 'guides', 'kubernetes.md'), 'utf8');
    const named = [...page.matchAll(/^- `(TalentSync\w+)`/gm)].map(([, alert]) => alert);
    expect(named).toEqual(OF_BACKEND.map(({ alert }) => alert));
  });

  sweep('fire once, for the worst daemon', () => {
    const fired = OF_BACKEND.map(({ alert, series, bad, good, labels, summary, description }) => ({
      ...{ alert, series: inHr(series, 'a'), values: bad },
      fires: { exp_labels: { ...labels, namespace: 'hr' }, exp_annotations: { summary, description } },
      beside: good === '' ? [] : [{ series: inHr(series, 'b'), values: good }],
    }));
    expect(testAlerts(ofBackend(), fired)).toContain('SUCCESS');
  });

  sweep('are silent within their limits, in other namespaces, and while one daemon is left', () => {
    const [, ...others] = OF_BACKEND;
    const left = 'talent_sync_tenant_phase{namespace="hr",pod="b",tenant="acme",phase="idle"}';
    const quiet = others.flatMap(({ alert, series, bad, good }) => [
      { alert, series: inHr(series, 'a'), values: good, fires: null },
      { alert, series: within(series, 'namespace="test"'), values: bad, fires: null },
    ]);
    const answered = { alert: 'TalentSyncAbsent', series: left, values: '1x150', fires: null };
    expect(testAlerts(ofBackend(), [answered, ...quiet])).toContain('SUCCESS');
  });
});

describe('the alert of a CronJob', () => {
  it('exists, based on metrics of kube-state-metrics', () => {
    expect(rulesOf(ofJob()).map(({ alert }) => alert)).toEqual(['TalentSyncNoGoodRun']);
    const alert = 'TalentSyncNoGoodRun';
    const series = 'kube_cronjob_status_last_successful_time{namespace="hr",cronjob="prod-talent-sync-acme"}';
    const fires = {
      exp_labels: { severity: 'critical', namespace: 'hr', cronjob: 'prod-talent-sync-acme', tenant: 'acme' },
      exp_annotations: {
        summary: 'No Job of acme has succeeded for 1d 0h 50m 0s.',
        description: `Read the log of the last pod. \`${PODS}\``,
      },
    };
    const expected = [
      { alert, series, values: '0x150', fires },
      { alert, series, values: '0+600x150', fires: null },
      { alert, series: series.replace('acme', 'beta'), values: '0x150', fires: null },
    ];
    expect(testAlerts(ofJob(), expected)).toContain('SUCCESS');
  });
});

sweep('promtool fails if an alert differs from the expectation', () => {
  const [, ready] = CASES as readonly [Case, Case];
  expect(testAlerts(rule(), [{ ...firing(ready), values: ready.good }])).toContain('FAILED');
  const broken = { groups: [{ name: 'a', rules: [{ record: 'a', expr: 'sum(' }] }] };
  expect(runPromtool('check', broken)).toContain('FAILED');
});
