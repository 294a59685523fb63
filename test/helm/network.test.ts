import { describe, expect, it } from 'vitest';
import { sweep } from '../depth.js';
import { renderChart, valuesOf } from './chart.js';
import { type Labels, listKinds, type Manifest, pick, pickContainer, pickPod, readAt } from './manifest.js';

const METRICS = { enabled: true, tokenSecret: { name: 'token', key: 'bearer' } };
const DNS = [
  { port: 53, protocol: 'UDP' },
  { port: 53, protocol: 'TCP' },
];

/** True if a selector finds these labels. */
function isFound(selector: unknown, labels: Labels | undefined): boolean {
  const wanted = Object.entries(selector as Labels);
  return wanted.length > 0 && wanted.every(([key, value]) => labels?.[key] === value);
}

function policyOf(networkPolicy: object, release: object = {}): Manifest {
  return pick(renderChart(valuesOf({ networkPolicy }, { ...release })), 'NetworkPolicy');
}

describe('the NetworkPolicy of a tenant', () => {
  it('applies to its pods, blocks all ingress, and allows egress only to DNS and HTTPS', () => {
    const all = renderChart(valuesOf());
    const policy = pick(all, 'NetworkPolicy');
    expect(policy.spec).toEqual({
      podSelector: { matchLabels: expect.anything() },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [],
      egress: [
        { ports: DNS },
        {
          ports: [{ port: 443, protocol: 'TCP' }],
          to: [{ ipBlock: { cidr: '0.0.0.0/0' } }, { ipBlock: { cidr: '::/0' } }],
        },
      ],
    });
    expect(isFound(readAt(policy, 'spec.podSelector.matchLabels'), pickPod(all).metadata.labels)).toBe(true);
  });

  sweep('allows ingress from named peers to the port', () => {
    const from = [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }];
    expect(readAt(policyOf({ ingressFrom: from }), 'spec.ingress')).toEqual([
      { from, ports: [{ port: 8080, protocol: 'TCP' }] },
    ]);
  });

  it('allows no ingress to a Job, whatever peers are named', () => {
    const networkPolicy = { ingressFrom: [{ podSelector: {} }] };
    const all = renderChart(valuesOf({ mode: 'cronjob', cronJob: { schedule: '@daily' }, networkPolicy }));
    expect(readAt(pick(all, 'NetworkPolicy'), 'spec.ingress')).toEqual([]);
  });

  sweep('allows egress to named targets', () => {
    const dnsTo = [{ namespaceSelector: { matchLabels: { name: 'kube-system' } } }];
    const extra = [{ to: [{ podSelector: { matchLabels: { app: 'proxy' } } }], ports: [{ port: 3128 }] }];
    const egress = { cidrs: ['10.0.0.0/8'], ports: [443, 22], dnsTo, extra };
    expect(readAt(policyOf({ egress }), 'spec.egress')).toEqual([
      { ports: DNS, to: dnsTo },
      {
        ports: [443, 22].map((port) => ({ port, protocol: 'TCP' })),
        to: [{ ipBlock: { cidr: '10.0.0.0/8' } }],
      },
      ...extra,
    ]);
  });

  sweep('does not exist if switched off', () => {
    expect(listKinds(renderChart(valuesOf({ networkPolicy: { enabled: false } })))).not.toContain('NetworkPolicy');
  });
});

describe('metrics', () => {
  it('are off by default, without token and Service', () => {
    const all = renderChart(valuesOf());
    expect(listKinds(all)).not.toContain('Service');
    expect(pickContainer(all).env.map(({ name }) => name)).not.toContain('TALENT_SYNC_METRICS_TOKEN');
  });

  it('give the daemon a token from a Secret, and a Service that also finds unready pods', () => {
    const all = renderChart(valuesOf({}, { metrics: METRICS }));
    expect(pickContainer(all).env).toContainEqual({
      name: 'TALENT_SYNC_METRICS_TOKEN',
      valueFrom: { secretKeyRef: { name: 'token', key: 'bearer' } },
    });
    const service = pick(all, 'Service');
    expect(service.spec).toMatchObject({
      publishNotReadyAddresses: true,
      ports: [{ name: 'http', port: 8080, targetPort: 'http', protocol: 'TCP' }],
    });
    expect(isFound(readAt(service, 'spec.selector'), pickPod(all).metadata.labels)).toBe(true);
    expect(listKinds(all)).not.toContain('ServiceMonitor');
  });

  sweep('do not exist for a Job', () => {
    const all = renderChart(valuesOf({ mode: 'cronjob', cronJob: { schedule: '@daily' } }, { metrics: METRICS }));
    expect(listKinds(all)).not.toContain('Service');
    expect(pickContainer(all).env.map(({ name }) => name)).not.toContain('TALENT_SYNC_METRICS_TOKEN');
  });

  it('are scraped with the same token by one ServiceMonitor, which finds every daemon', () => {
    const tenants = ['a', 'b'].map((name) => ({ name, existingConfigMap: { name } }));
    const metrics = { ...METRICS, serviceMonitor: { enabled: true, interval: '1m', labels: { release: 'x' } } };
    const all = renderChart(valuesOf({}, { tenants, metrics }));
    const monitor = pick(all, 'ServiceMonitor');
    expect(monitor.apiVersion).toBe('monitoring.coreos.com/v1');
    expect(monitor.metadata.labels).toMatchObject({ release: 'x', 'app.kubernetes.io/name': 'talent-sync' });
    expect(monitor.spec).toEqual({
      namespaceSelector: { matchNames: ['hr'] },
      selector: { matchLabels: expect.anything() },
      endpoints: [
        {
          port: 'http',
          path: '/metrics',
          interval: '1m',
          scrapeTimeout: '10s',
          authorization: { type: 'Bearer', credentials: { name: 'token', key: 'bearer' } },
        },
      ],
    });
    const services = all.filter(({ kind }) => kind === 'Service');
    const selector = readAt(monitor, 'spec.selector.matchLabels');
    expect(services.map(({ metadata }) => isFound(selector, metadata.labels))).toEqual([true, true]);
    // A tenant's Service must not find another tenant's pod.
    const pods = ['a', 'b'].map((name) => pickPod(all, `prod-talent-sync-${name}`).metadata.labels);
    expect(services.map(({ spec }) => pods.filter((one) => isFound(readAt(spec, 'selector'), one)).length)).toEqual([
      1, 1,
    ]);
  });
});
