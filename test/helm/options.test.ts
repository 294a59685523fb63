import { describe, expect, it } from 'vitest';
import { oneIn } from '../depth.js';
import { BACKEND, OF_BACKENDS, type OptionRow } from './backend-options.js';
import { configText, lazily, renderChart, valuesOf } from './chart.js';
import { checkManifest, checkTogether } from './check-manifest.js';
import { listDifferences } from './list-differences.js';
import { type Manifest, pick, pickPod, readAt } from './manifest.js';
import { listChartValues } from './values-schema.js';

/** Rendered in addition, so that every option has something to change. */
const RELEASE = {
  serviceAccount: { create: true },
  metrics: {
    enabled: true,
    tokenSecret: { name: 'token' },
    serviceMonitor: { enabled: true },
    prometheusRule: { enabled: true },
    dashboard: { enabled: true },
  },
};
const DAEMON = { scimIngress: { enabled: true, host: 'a.example.com' } };
const JOB = { mode: 'cronjob', cronJob: { schedule: '0 * * * *', spread: '0' } };

const POD = 'Deployment spec.template.spec';
const WORKER = `${POD}.containers.0`;
const TERM = [{ key: 'a', operator: 'Exists' }];
const AFFINITY = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } };
const NOTE = { note: 'x' };
const SIDECAR = { name: 'sidecar', image: 'sidecar' };

const OF_DAEMONS: readonly OptionRow[] = [
  ['image.repository', 'a/b', { [`${WORKER}.image`]: 'a/b:0.2.0' }],
  ['image.tag', '2', { [`${WORKER}.image`]: 'talent-sync:2' }],
  ['image.digest', `sha256:${'0'.repeat(64)}`, { [`${WORKER}.image`]: `talent-sync@sha256:${'0'.repeat(64)}` }],
  ['image.pullPolicy', 'Always', { [`${WORKER}.imagePullPolicy`]: 'Always' }],
  ['logLevel', 'debug', { [`${WORKER}.env.0.value`]: 'debug' }],
  ['graceSeconds', 60, { [`${POD}.terminationGracePeriodSeconds`]: 70, [`${WORKER}.args.8`]: '60s' }],
  ['daemon.host', '::', { [`${WORKER}.args.4`]: '::' }],
  ['persistence.size', '9Gi', { 'PersistentVolumeClaim spec.resources.requests.storage': '9Gi' }],
  ['persistence.storageClass', 'fast', { 'PersistentVolumeClaim spec.storageClassName': 'fast' }],
  ['persistence.accessMode', 'ReadWriteOncePod', { 'PersistentVolumeClaim spec.accessModes.0': 'ReadWriteOncePod' }],
  ['persistence.keep', false, { 'PersistentVolumeClaim metadata.annotations': undefined }],
  ['persistence.annotations', NOTE, { 'PersistentVolumeClaim metadata.annotations.note': 'x' }],
  ['tmp.sizeLimit', '3Gi', { [`${POD}.volumes.2.emptyDir.sizeLimit`]: '3Gi' }],
  ['resources.requests', { cpu: '1' }, { [`${WORKER}.resources.requests.cpu`]: '1' }],
  ['resources.limits', { memory: '1Gi' }, { [`${WORKER}.resources.limits.memory`]: '1Gi' }],
  ['resources.limits', { memory: null }, { [`${WORKER}.resources.limits.memory`]: undefined }],
  ['probes.startup', { failureThreshold: 9 }, { [`${WORKER}.startupProbe.failureThreshold`]: 9 }],
  ['probes.liveness', { periodSeconds: 9 }, { [`${WORKER}.livenessProbe.periodSeconds`]: 9 }],
  ['probes.readiness', { timeoutSeconds: 9 }, { [`${WORKER}.readinessProbe.timeoutSeconds`]: 9 }],
  ['networkPolicy.enabled', false, { NetworkPolicy: undefined }],
  [
    'networkPolicy.ingressFrom',
    [{ podSelector: {} }],
    { 'NetworkPolicy spec.ingress.0': { from: [{ podSelector: {} }], ports: [{ port: 8080, protocol: 'TCP' }] } },
  ],
  [
    'networkPolicy.egress.cidrs',
    ['10.0.0.0/8'],
    { 'NetworkPolicy spec.egress.1.to.0.ipBlock.cidr': '10.0.0.0/8', 'NetworkPolicy spec.egress.1.to.1': undefined },
  ],
  ['networkPolicy.egress.ports', [8443], { 'NetworkPolicy spec.egress.1.ports.0.port': 8443 }],
  ['networkPolicy.egress.dnsTo', [{ podSelector: {} }], { 'NetworkPolicy spec.egress.0.to': [{ podSelector: {} }] }],
  ['networkPolicy.egress.extra', [{ to: [] }], { 'NetworkPolicy spec.egress.2': { to: [] } }],
  ['scimIngress.enabled', false, { Ingress: undefined }],
  ['scimIngress.className', 'nginx', { 'Ingress spec.ingressClassName': 'nginx' }],
  ['scimIngress.host', 'b.c', { 'Ingress spec.tls.0.hosts.0': 'b.c', 'Ingress spec.rules.0.host': 'b.c' }],
  ['scimIngress.tlsSecret', 'tls', { 'Ingress spec.tls.0.secretName': 'tls' }],
  ['scimIngress.annotations', NOTE, { 'Ingress metadata.annotations': NOTE }],
  ['alerts.lastGoodRunSeconds', 60, { 'PrometheusRule TalentSyncNoGoodRun.expr': expect.stringContaining('> 60') }],
  [
    'alerts.sourceCompleteSeconds',
    60,
    { 'PrometheusRule TalentSyncSourceStale.expr': expect.stringContaining('> 60') },
  ],
  ['alerts.waitingSeconds', 60, { 'PrometheusRule TalentSyncWaiting.for': '60s' }],
  ['alerts.writeBackSeconds', 60, { 'PrometheusRule TalentSyncWriteBackStuck.expr': expect.stringContaining('> 60') }],
  ['alerts.failedChangesPerDay', 7, { 'PrometheusRule TalentSyncChangesFail.expr': expect.stringMatching(/> 7$/) }],
  [
    'alerts.labels',
    { team: 'hr' },
    {
      ...Object.fromEntries(
        [
          'Absent',
          'NotReady',
          'FirstConfigRefused',
          'ConfigRefused',
          'NoGoodRun',
          'Paused',
          'SourceStale',
          'Waiting',
          'WriteBackStuck',
        ]
          .concat('DocumentsFailing', 'MessagesStuck', 'ChangesFail')
          .map((alert) => [`PrometheusRule TalentSync${alert}.labels.team`, 'hr']),
      ),
    },
  ],
  ['helmTest.enabled', true, { Pod: expect.objectContaining({ kind: 'Pod' }) }],
  [
    'podSecurityContext',
    { fsGroup: null, runAsUser: 7 },
    { [`${POD}.securityContext.fsGroup`]: undefined, [`${POD}.securityContext.runAsUser`]: 7 },
  ],
  [
    'securityContext',
    { readOnlyRootFilesystem: null },
    { [`${WORKER}.securityContext.readOnlyRootFilesystem`]: undefined },
  ],
  ['nodeSelector', NOTE, { [`${POD}.nodeSelector`]: NOTE }],
  ['tolerations', TERM, { [`${POD}.tolerations`]: TERM }],
  ['affinity', AFFINITY, { [`${POD}.affinity`]: AFFINITY }],
  [
    'topologySpreadConstraints',
    [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
    {
      [`${POD}.topologySpreadConstraints`]: [
        {
          maxSkew: 1,
          topologyKey: 'zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: {
            matchLabels: { 'app.kubernetes.io/name': 'talent-sync', 'app.kubernetes.io/instance': 'prod' },
          },
        },
      ],
    },
  ],
  ['priorityClassName', 'batch', { [`${POD}.priorityClassName`]: 'batch' }],
  ['dnsPolicy', 'Default', { [`${POD}.dnsPolicy`]: 'Default' }],
  ['dnsConfig', { searches: ['a.b'] }, { [`${POD}.dnsConfig`]: { searches: ['a.b'] } }],
  ['revisionHistoryLimit', 0, { 'Deployment spec.revisionHistoryLimit': 0 }],
  ['workloadAnnotations', NOTE, { 'Deployment metadata.annotations': NOTE }],
  ['serviceAnnotations', NOTE, { 'Service metadata.annotations': NOTE }],
  ['podAnnotations', NOTE, { 'Deployment spec.template.metadata.annotations': NOTE }],
  ['podLabels', NOTE, { 'Deployment spec.template.metadata.labels.note': 'x' }],
  ['extraArgs', ['--parallel', '1'], { [`${WORKER}.args.9`]: '--parallel', [`${WORKER}.args.10`]: '1' }],
  ['extraEnv', [{ name: 'A', value: 'b' }], { [`${WORKER}.env.3`]: { name: 'A', value: 'b' } }],
  ['extraEnvFrom', [{ configMapRef: { name: 'a' } }], { [`${WORKER}.envFrom`]: [{ configMapRef: { name: 'a' } }] }],
  ['extraVolumes', [{ name: 'a', emptyDir: {} }], { [`${POD}.volumes.3`]: { name: 'a', emptyDir: {} } }],
  [
    'extraVolumeMounts',
    [{ name: 'tmp', mountPath: '/a' }],
    { [`${WORKER}.volumeMounts.3`]: { name: 'tmp', mountPath: '/a' } },
  ],
  ['extraContainers', [SIDECAR], { [`${POD}.containers.1`]: SIDECAR }],
  ['extraInitContainers', [SIDECAR], { [`${POD}.initContainers`]: [SIDECAR] }],
  ['suspend', true, { 'Deployment spec.replicas': 0, PrometheusRule: undefined }],
  [
    'persistence.enabled',
    false,
    {
      PersistentVolumeClaim: undefined,
      [`${POD}.volumes.1.persistentVolumeClaim`]: undefined,
      [`${POD}.volumes.1.emptyDir`]: { sizeLimit: '2Gi' },
    },
  ],
  [
    'existingClaim',
    'a',
    { PersistentVolumeClaim: undefined, [`${POD}.volumes.1.persistentVolumeClaim.claimName`]: 'a' },
  ],
  ['existingConfigMap.name', 'a', { [`${POD}.volumes.0.configMap.name`]: 'a' }],
  ['existingConfigMap.key', 'a.yaml', { [`${POD}.volumes.0.configMap.items.0.key`]: 'a.yaml' }],
  ['existingSecrets', [{ name: 'a' }], { [`${WORKER}.envFrom`]: [{ secretRef: { name: 'a' } }] }],
  [
    'existingSecrets',
    [{ name: 'a', mountPath: '/a' }],
    {
      [`${POD}.volumes.3`]: { name: 'secret-0', secret: { secretName: 'a', defaultMode: 0o440 } },
      [`${WORKER}.volumeMounts.3`]: { name: 'secret-0', mountPath: '/a', readOnly: true },
    },
  ],
  [
    'drops',
    [{ existingClaim: 'a', mountPath: '/a', subPath: 'b', readOnly: false }],
    {
      [`${POD}.volumes.3`]: { name: 'drop-0', persistentVolumeClaim: { claimName: 'a', readOnly: false } },
      [`${WORKER}.volumeMounts.3`]: { name: 'drop-0', mountPath: '/a', subPath: 'b', readOnly: false },
    },
  ],
];

const PAGES = {
  web: {
    enabled: true,
    ingressFrom: [{ podSelector: {} }],
    ingress: { enabled: true, host: '{name}.a.b' },
    route: { enabled: true, host: '{name}.a.b', parentRefs: [{ name: 'public' }] },
  },
};
const OF_PAGES: readonly OptionRow[] = [
  [
    'web.enabled',
    false,
    {
      [`${WORKER}.ports.1`]: undefined,
      HTTPRoute: undefined,
      Ingress: undefined,
      'Service spec.ports.1': undefined,
      'NetworkPolicy spec.ingress.0': undefined,
    },
  ],
  ['web.ingressFrom', [], { 'NetworkPolicy spec.ingress.0': undefined }],
  ['web.ingress.enabled', false, { Ingress: undefined }],
  ['web.ingress.className', 'nginx', { 'Ingress spec.ingressClassName': 'nginx' }],
  ['web.ingress.host', 'b.c', { 'Ingress spec.tls.0.hosts.0': 'b.c', 'Ingress spec.rules.0.host': 'b.c' }],
  ['web.ingress.tlsSecret', 'tls', { 'Ingress spec.tls.0.secretName': 'tls' }],
  ['web.ingress.annotations', NOTE, { 'Ingress metadata.annotations': NOTE }],
  ['web.route.enabled', false, { HTTPRoute: undefined }],
  ['web.route.parentRefs', [{ name: 'inside' }], { 'HTTPRoute spec.parentRefs.0.name': 'inside' }],
  ['web.route.host', 'b.c', { 'HTTPRoute spec.hostnames.0': 'b.c' }],
  ['web.route.annotations', NOTE, { 'HTTPRoute metadata.annotations': NOTE }],
];

const ARGS = 'CronJob spec.jobTemplate.spec.template.spec.containers.0.args';
const OF_JOBS: readonly OptionRow[] = [
  ['cronJob.schedule', '5 * * * *', { 'CronJob spec.schedule': '5 * * * *' }],
  ['cronJob.spread', '9m', { 'CronJob spec.schedule': expect.stringMatching(/^[1-8] /) }],
  ['cronJob.timeZone', 'Europe/Oslo', { 'CronJob spec.timeZone': 'Europe/Oslo' }],
  ['cronJob.completeOn', [3], { [`${ARGS}.6`]: '3' }],
  ['cronJob.backoffLimit', 0, { 'CronJob spec.jobTemplate.spec.backoffLimit': 0 }],
  ['cronJob.activeDeadlineSeconds', 60, { 'CronJob spec.jobTemplate.spec.activeDeadlineSeconds': 60 }],
  ['cronJob.startingDeadlineSeconds', 60, { 'CronJob spec.startingDeadlineSeconds': 60 }],
  ['cronJob.successfulJobsHistoryLimit', 0, { 'CronJob spec.successfulJobsHistoryLimit': 0 }],
  ['cronJob.failedJobsHistoryLimit', 0, { 'CronJob spec.failedJobsHistoryLimit': 0 }],
  ['workloadAnnotations', NOTE, { 'CronJob metadata.annotations': NOTE }],
  ['extraArgs', ['--full'], { [`${ARGS}.7`]: '--full' }],
  ['alerts.lastGoodRunSeconds', 60, { 'PrometheusRule TalentSyncNoGoodRun.expr': expect.stringContaining('> 60') }],
];

const ENDPOINT = 'ServiceMonitor spec.endpoints.0';
const RELABEL = [{ sourceLabels: ['a'], targetLabel: 'b' }];
const OF_RELEASES: readonly OptionRow[] = [
  ['imagePullSecrets', [{ name: 'a' }], { [`${POD}.imagePullSecrets`]: [{ name: 'a' }] }],
  ['serviceAccount.create', false, { ServiceAccount: undefined, [`${POD}.serviceAccountName`]: 'default' }],
  ['serviceAccount.name', 'a', { 'ServiceAccount metadata.name': 'a', [`${POD}.serviceAccountName`]: 'a' }],
  ['serviceAccount.annotations', NOTE, { 'ServiceAccount metadata.annotations': NOTE }],
  [
    'metrics.tokenSecret.name',
    'a',
    { [`${WORKER}.env.2.valueFrom.secretKeyRef.name`]: 'a', [`${ENDPOINT}.authorization.credentials.name`]: 'a' },
  ],
  [
    'metrics.tokenSecret.key',
    'a',
    { [`${WORKER}.env.2.valueFrom.secretKeyRef.key`]: 'a', [`${ENDPOINT}.authorization.credentials.key`]: 'a' },
  ],
  ['metrics.serviceMonitor.enabled', false, { ServiceMonitor: undefined }],
  ['metrics.serviceMonitor.namespace', 'a', { 'ServiceMonitor metadata.namespace': 'a' }],
  ['metrics.serviceMonitor.interval', '1m', { [`${ENDPOINT}.interval`]: '1m' }],
  ['metrics.serviceMonitor.scrapeTimeout', '5s', { [`${ENDPOINT}.scrapeTimeout`]: '5s' }],
  ['metrics.serviceMonitor.labels', NOTE, { 'ServiceMonitor metadata.labels.note': 'x' }],
  ['metrics.serviceMonitor.annotations', NOTE, { 'ServiceMonitor metadata.annotations': NOTE }],
  ['metrics.serviceMonitor.targetLabels', ['a'], { 'ServiceMonitor spec.targetLabels': ['a'] }],
  ['metrics.serviceMonitor.relabelings', RELABEL, { [`${ENDPOINT}.relabelings`]: RELABEL }],
  ['metrics.serviceMonitor.metricRelabelings', RELABEL, { [`${ENDPOINT}.metricRelabelings`]: RELABEL }],
  ['metrics.prometheusRule.enabled', false, { PrometheusRule: undefined }],
  ['metrics.prometheusRule.namespace', 'a', { 'PrometheusRule metadata.namespace': 'a' }],
  ['metrics.prometheusRule.labels', NOTE, { 'PrometheusRule metadata.labels.note': 'x' }],
  ['metrics.prometheusRule.annotations', NOTE, { 'PrometheusRule metadata.annotations': NOTE }],
  ['metrics.dashboard.enabled', false, { ConfigMap: undefined }],
  ['metrics.dashboard.namespace', 'a', { 'ConfigMap metadata.namespace': 'a' }],
  ['metrics.dashboard.labels', { grafana_dashboard: 'yes' }, { 'ConfigMap metadata.labels.grafana_dashboard': 'yes' }],
  [
    'metrics.dashboard.annotations',
    { grafana_folder: 'HR' },
    { 'ConfigMap metadata.annotations': { grafana_folder: 'HR' } },
  ],
];

function nest(option: string, value: unknown): Record<string, unknown> {
  return option.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Record<string, unknown>;
}

function lay(over: unknown, under: unknown): unknown {
  if (!isMap(over) || !isMap(under)) return over;
  return { ...under, ...Object.fromEntries(Object.entries(over).map(([key, one]) => [key, lay(one, under[key])])) };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The change made by each row. The tenants are rendered together, and each is compared under the name of one without
 * options.
 */
function renderTenants(rows: readonly OptionRow[], base: object): readonly Readonly<Record<string, unknown>>[] {
  const whole = { ...base, existingConfigMap: { name: 'settings', key: 'key.yaml' } };
  const plain = { name: 'tenant-x', ...whole };
  const tenants = rows.map(([option, value], index) => ({
    ...(lay(nest(option, value), whole) as object),
    name: nameOf(index),
  }));
  const named = [plain, ...tenants].map((one) => JSON.parse(JSON.stringify(one).replaceAll('{name}', one.name)));
  const all = renderChart(valuesOf({}, { ...RELEASE, tenants: named }));
  expect(all.flatMap(checkManifest)).toEqual([]);
  const of = (name: string): readonly Manifest[] =>
    all
      .filter(({ metadata }) => metadata.labels?.['talent-sync/tenant'] === name)
      .map((one) => JSON.parse(JSON.stringify(one).replaceAll(name, 'tenant-x')) as Manifest);
  return rows.map((_, index) => listDifferences(of('tenant-x'), of(nameOf(index))));
}

function nameOf(index: number): string {
  return `tenant-${String(index).padStart(3, '0')}`;
}

describe('an option of a tenant changes its own parts only', () => {
  const ofDaemons = lazily(() => renderTenants(OF_DAEMONS, DAEMON));
  const ofJobs = lazily(() => renderTenants(OF_JOBS, JOB));

  it.each(OF_DAEMONS.map((row, index) => [row[0], row[1], row[2], index] as const))('%s: %j', (_, __, changes, index) =>
    expect(ofDaemons()[index]).toStrictEqual(changes),
  );

  it.each(oneIn(4, OF_PAGES))('for the pages, %s: %j', (option, value, changes) => {
    const [changed] = renderTenants([[option, value, changes]], PAGES);
    expect(changed).toStrictEqual(changes);
  });

  it.each(OF_JOBS.map((row, index) => [row[0], row[1], row[2], index] as const))(
    'for a CronJob, %s: %j',
    (_, __, changes, index) => expect(ofJobs()[index]).toStrictEqual(changes),
  );
});

describe('an option of a backend', () => {
  const tenants = [{ name: 'acme', config: configText(undefined, '/var/lib/talent-sync/acme') }];
  const release = { metrics: RELEASE.metrics, tenants, backend: BACKEND };
  const plain = lazily(() => renderChart(valuesOf({}, release)));
  /** All objects, but only one of the ConfigMaps: that with daemon.yaml. */
  const shown = (all: readonly Manifest[]): readonly Manifest[] =>
    all.filter(({ kind, metadata }) => kind !== 'ConfigMap' || metadata.name === 'prod-talent-sync-daemons');

  it.each(oneIn(4, OF_BACKENDS))('%s: %j changes its own parts only', (option, value, changes) => {
    const all = renderChart(valuesOf({}, lay(nest(option, value), release) as Record<string, unknown>));
    expect(listDifferences(shown(plain()), shown(all))).toStrictEqual(changes);
    expect([...all.flatMap(checkManifest), ...checkTogether(all)]).toEqual([]);
  });
});

describe('an option of the release', () => {
  const plain = lazily(() => renderChart(valuesOf({}, RELEASE)));

  it.each(oneIn(4, OF_RELEASES))('%s: %j changes its own parts only', (option, value, changes) => {
    const all = renderChart(valuesOf({}, lay(nest(option, value), RELEASE) as Record<string, unknown>));
    expect(listDifferences(plain(), all)).toStrictEqual(changes);
    expect(
      [...all.flatMap(checkManifest), ...checkTogether(all)].filter((one) => !one.endsWith('in no namespace')),
    ).toEqual([]);
  });

  it.each(
    oneIn(1, [
      ['nameOverride', 'sync', 'prod-sync'],
      ['nameOverride', 'prod', 'prod'],
      ['fullnameOverride', 'hr', 'hr'],
    ]),
  )('%s: %s names every object, and keeps their labels', (option, value, name) => {
    const all = renderChart(valuesOf({}, { ...RELEASE, [option]: value }));
    expect(new Set(all.map(({ metadata }) => metadata.name))).toEqual(
      new Set([name, `${name}-acme`, `${name}-dashboard`]),
    );
    expect(all.map(({ metadata }) => metadata.labels)).toEqual(plain().map(({ metadata }) => metadata.labels));
    expect(checkTogether(all)).toEqual([]);
  });

  it('namespaceOverride puts every object there, and Prometheus looks there', () => {
    const all = renderChart(valuesOf({}, { ...RELEASE, namespaceOverride: 'people' }));
    expect(new Set(all.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['people']));
    expect(readAt(pick(all, 'ServiceMonitor'), 'spec.namespaceSelector.matchNames')).toEqual(['people']);
    expect(JSON.stringify(pick(all, 'PrometheusRule').spec)).not.toMatch(/\bhr\b/);
  });

  it("commonLabels are on every object and pod; an object's own label wins; selectors stay", () => {
    const common = { team: 'hr', owner: 'platform', release: 'none' };
    const metrics = { ...RELEASE.metrics, serviceMonitor: { enabled: true, labels: { release: 'prometheus' } } };
    const all = renderChart(valuesOf({ podLabels: { team: 'sync' } }, { ...RELEASE, metrics, commonLabels: common }));
    for (const { metadata } of all) expect(metadata.labels).toMatchObject({ team: 'hr', owner: 'platform' });
    expect(pick(all, 'ServiceMonitor').metadata.labels).toMatchObject({ release: 'prometheus' });
    expect(pickPod(all).metadata.labels).toMatchObject({ ...common, team: 'sync' });
    expect(readAt(pick(all, 'Deployment'), 'spec.selector')).toEqual(
      readAt(pick(plain(), 'Deployment'), 'spec.selector'),
    );
  });

  it('extraObjects are rendered as templates, as maps and as text', () => {
    const named = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-a' } };
    const text = 'apiVersion: v1\nkind: Secret\nmetadata: { name: {{ .Release.Name }}-b }\n';
    const all = renderChart(valuesOf({}, { extraObjects: [named, text] }));
    expect(pick(all, 'ConfigMap').metadata.name).toBe('prod-a');
    expect(pick(all, 'Secret').metadata.name).toBe('prod-b');
  });
});

describe('the pod of `helm test`', () => {
  const enabled = {
    helmTest: { enabled: true },
    existingSecrets: [{ name: 'keys' }],
    drops: [{ existingClaim: 'c', mountPath: '/drop' }],
  };

  it('runs `check` alone, like the worker, on an empty state', () => {
    const all = renderChart(
      valuesOf({ ...enabled, extraContainers: [SIDECAR], extraInitContainers: [SIDECAR], extraArgs: ['--parallel'] }),
    );
    const [pod, worker] = [pick(all, 'Pod'), pickPod(all, 'prod-talent-sync-acme')];
    expect(pod.metadata).toMatchObject({ name: 'prod-talent-sync-acme-test', annotations: { 'helm.sh/hook': 'test' } });
    expect(readAt(pod, 'spec.restartPolicy')).toBe('Never');
    expect(readAt(pod, 'spec.volumes.1')).toEqual({ name: 'state', emptyDir: { sizeLimit: '2Gi' } });
    expect(readAt(pod, 'spec.containers.1')).toBeUndefined();
    expect(readAt(pod, 'spec.initContainers')).toBeUndefined();
    const { args, ports, startupProbe, livenessProbe, readinessProbe, ...same } = worker.spec.containers[0];
    expect(readAt(pod, 'spec.containers.0')).toEqual({
      ...same,
      args: ['check', '--quick', '--config', '/etc/talent-sync/acme.yaml'],
    });
    for (const key of ['securityContext', 'serviceAccountName'])
      expect(readAt(pod, `spec.${key}`)).toEqual(worker.spec[key]);
  });

  it('is allowed by the NetworkPolicy like the worker, and gets nothing from any Service', () => {
    const all = renderChart(valuesOf(enabled, RELEASE));
    const { labels = {} } = pick(all, 'Pod').metadata;
    expect(labels).toMatchObject(readAt(pick(all, 'NetworkPolicy'), 'spec.podSelector.matchLabels') as object);
    expect(labels).not.toMatchObject(readAt(pick(all, 'Service'), 'spec.selector') as object);
  });
});

describe('the tables above', () => {
  it('cover every value of the chart, unless it has its own test', () => {
    const rows = [...OF_DAEMONS, ...OF_PAGES, ...OF_JOBS, ...OF_RELEASES, ...OF_BACKENDS].map(([option]) => option);
    const own = [
      'name',
      'config',
      'mode',
      'metrics.enabled',
      'nameOverride',
      'fullnameOverride',
      'namespaceOverride',
      'commonLabels',
      'extraObjects',
      'backend.enabled',
      'backend.ca.secret',
    ];
    const known = listChartValues().map(({ path }) => path.replace(/^tenants\[\]\./, '').replace(/\[\].*/, ''));
    expect(new Set([...rows, ...own])).toEqual(new Set(known));
  });
});
