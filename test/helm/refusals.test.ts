import { describe, expect, it } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { configText, refuseChart, valuesOf } from './chart.js';

const TENANT = { name: 'acme', existingConfigMap: { name: 'acme' } };
const TOKEN = { tokenSecret: { name: 'token' } };

/** The error, the values, and all texts that helm must print. */
const REFUSED: readonly (readonly [string, unknown, readonly string[]])[] = [
  ['no tenants', valuesOf({}, { tenants: [] }), ['tenants: the list is empty']],
  ['two of the same name', valuesOf({}, { tenants: [TENANT, TENANT] }), ['two are named "acme"']],
  ['no image', valuesOf({}, { image: {} }), ['tenant acme: no image', 'image.repository']],
  ['no configuration', valuesOf({ existingConfigMap: null }), ['tenant acme: no configuration', 'existingConfigMap']],
  ['an empty configuration', valuesOf({ existingConfigMap: null, config: '' }), ['tenant acme: no configuration']],
  ['two configurations', valuesOf({ config: configText() }), ['both config and existingConfigMap']],
  ['a CronJob without a schedule', valuesOf({ mode: 'cronjob' }), ['tenant acme: mode is cronjob', 'schedule']],
  ['a schedule of six fields', valuesOf({ cronJob: { schedule: '0 0 * * * *' } }), ['tenants.0.cronJob.schedule']],
  [
    'an exit code that must not count as completed',
    valuesOf({ cronJob: { completeOn: [1] } }),
    ['tenants.0.cronJob.completeOn.0'],
  ],
  ['metrics without a token', valuesOf({}, { metrics: { enabled: true } }), ['metrics.tokenSecret.name']],
  [
    'a ServiceMonitor without metrics',
    valuesOf({}, { metrics: { ...TOKEN, serviceMonitor: { enabled: true } } }),
    ['there are no metrics to scrape', 'metrics.enabled'],
  ],
  [
    'alerts of a daemon without metrics',
    valuesOf({}, { metrics: { ...TOKEN, prometheusRule: { enabled: true } } }),
    ['tenant acme has no metrics', 'metrics.enabled'],
  ],
  [
    'one state for two tenants',
    valuesOf(
      {},
      {
        tenants: [
          { ...TENANT, existingClaim: 'c' },
          { ...TENANT, name: 'b', existingClaim: 'c' },
        ],
      },
    ),
    ['tenant b: existingClaim c is that of tenant acme'],
  ],
  ['an unused claim', valuesOf({ existingClaim: 'c', persistence: { enabled: false } }), ['existingClaim is c, but']],
  [
    'a variable reserved by the chart',
    valuesOf({ extraEnv: [{ name: 'LOG_LEVEL', value: 'x' }] }),
    ['extraEnv has LOG_LEVEL'],
  ],
  [
    'the token as a variable',
    valuesOf({ extraEnv: [{ name: 'TALENT_SYNC_METRICS_TOKEN', value: 'x' }] }),
    ['TALENT_SYNC_METRICS_TOKEN', 'metrics.tokenSecret'],
  ],
  [
    'a label used by the selector',
    valuesOf({ podLabels: { 'talent-sync/tenant': 'x' } }),
    ['podLabels has talent-sync/tenant'],
  ],
  [
    'a reserved label on everything',
    valuesOf({}, { commonLabels: { 'helm.sh/chart': 'x' } }),
    ['release: commonLabels has helm.sh/chart'],
  ],
  [
    'a reserved label on one object',
    valuesOf({}, { metrics: { dashboard: { labels: { 'app.kubernetes.io/name': 'x' } } } }),
    ['metrics: dashboard.labels has app.kubernetes.io/name'],
  ],
  ['a second worker', valuesOf({ extraContainers: [{ name: 'talent-sync' }] }), ['tenants.0.extraContainers.0.name']],
  ['a name that starts with a digit', valuesOf({}, { fullnameOverride: '1st' }), ['fullnameOverride']],
  [
    'a volume reserved by the chart',
    valuesOf({ extraVolumes: [{ name: 'state', emptyDir: {} }] }),
    ['extraVolumes has state'],
  ],
  [
    'a mount over the state',
    valuesOf({ drops: [{ existingClaim: 'c', mountPath: '/var/lib/talent-sync' }] }),
    ['state and c are both mounted at /var/lib/talent-sync'],
  ],
  [
    'two mounts in one place',
    valuesOf({ existingSecrets: [{ name: 's', mountPath: '/x' }], drops: [{ existingClaim: 'c', mountPath: '/x' }] }),
    ['c and s are both mounted at /x'],
  ],
  [
    'an invalid mount path',
    valuesOf({ drops: [{ existingClaim: 'c', mountPath: 'drop' }] }),
    ['tenants.0.drops.0.mountPath'],
  ],
  ['a drop without a claim', valuesOf({ drops: [{ mountPath: '/drop' }] }), ['existingClaim is required']],
  ['a tenant without a name', valuesOf({ name: null }), ['name is required']],
  ['a name with capitals', valuesOf({ name: 'Acme' }), ['tenants.0.name']],
  ['a name of 64 characters', valuesOf({ name: 'a'.repeat(64) }), ['tenants.0.name']],
  ['an unknown mode', valuesOf({ mode: 'job' }), ['tenants.0.mode', '"daemon", "cronjob"']],
  ['replicas of a tenant', valuesOf({ replicas: 2 }), ['tenants.0: Additional property replicas']],
  ['replicas for all', valuesOf({}, { replicas: 2 }), ['(root): Additional property replicas']],
  ['a literal secret', valuesOf({ secrets: { TALENT_API_KEY: 'x' } }), ['Additional property secrets']],
  [
    'a misspelt nested key',
    valuesOf({ persistence: { sizes: '1Gi' } }),
    ['tenants.0.persistence: Additional property sizes'],
  ],
  ['a misspelt default', valuesOf({}, { resources: { limit: {} } }), ['resources: Additional property limit']],
  ['an account per tenant', valuesOf({ serviceAccount: { create: true } }), ['Additional property serviceAccount']],
  [
    'a volume with several writers',
    valuesOf({ persistence: { accessMode: 'ReadWriteMany' } }),
    ['persistence.accessMode'],
  ],
  [
    'an empty list of ports, which would allow all',
    valuesOf({ networkPolicy: { egress: { ports: [] } } }),
    ['egress.ports'],
  ],
  ['a peer that allows everyone', valuesOf({ networkPolicy: { ingressFrom: [{}] } }), ['networkPolicy.ingressFrom.0']],
  [
    'an Ingress of a Job',
    valuesOf({ mode: 'cronjob', cronJob: { schedule: '@daily' }, scimIngress: { enabled: true, host: 'a.b' } }),
    ['tenant acme: scimIngress.enabled, but mode is cronjob'],
  ],
  [
    'an Ingress for every host',
    valuesOf({ scimIngress: { enabled: true } }),
    ['tenant acme: scimIngress.enabled, but no host'],
  ],
  [
    'an Ingress for an address',
    valuesOf({ scimIngress: { enabled: true, host: 'https://a.b/c' } }),
    ['scimIngress.host'],
  ],
  [
    'an Ingress with a path of its own',
    valuesOf({ scimIngress: { enabled: true, host: 'a.b', path: '/' } }),
    ['Additional property path'],
  ],
  ['a tag as a number', valuesOf({}, { image: { repository: 'a', tag: 1 } }), ['image.tag: Invalid type', 'string']],
  ['an invalid digest', valuesOf({}, { image: { repository: 'a', digest: 'latest' } }), ['image.digest']],
  ['a missing grace period', valuesOf({ graceSeconds: 0 }), ['tenants.0.graceSeconds']],
];

describe('invalid values', () => {
  it.each(oneIn(4, REFUSED))('%s', (_, values, said) => {
    const message = refuseChart(values);
    for (const piece of said) expect(message).toContain(piece);
  });

  it('include an old version of Kubernetes', () => {
    expect(refuseChart(valuesOf(), { kubeVersion: '1.24' })).toContain('>=1.25.0-0');
  });

  sweep('are reported with a remedy', () => {
    const own = REFUSED.filter(([, , [first = '']]) => /^(tenant acme|tenants|metrics): /.test(first));
    expect(own.length).toBeGreaterThan(3);
    for (const [, values] of own) expect(refuseChart(values)).toMatch(/\b(Set|Give|Name|Keep|Take|Use|Write)\b.+\./);
  });
});
