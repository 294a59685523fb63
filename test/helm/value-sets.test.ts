import { describe, expect, it } from 'vitest';
import { oneIn } from '../depth.js';
import { lazily, lintChart, renderChart, VALUE_SETS, valuesOf } from './chart.js';
import { checkManifest, checkTogether } from './check-manifest.js';
import { listKinds, type Manifest, pick, podOf, readAt } from './manifest.js';

const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'backend-values.yaml': [
    ...['ConfigMap', 'ConfigMap', 'ConfigMap', 'Deployment', 'HorizontalPodAutoscaler', 'Ingress', 'Ingress', 'Job'],
    ...['NetworkPolicy', 'PodDisruptionBudget', 'PrometheusRule', 'Service', 'ServiceMonitor'],
  ],
  'minimal-values.yaml': ['ConfigMap', 'Deployment', 'NetworkPolicy', 'PersistentVolumeClaim', 'Pod'],
  'cronjob-values.yaml': ['ConfigMap', 'CronJob', 'NetworkPolicy', 'PersistentVolumeClaim', 'Pod'],
  'demo-values.yaml': [...['ConfigMap', 'ConfigMap', 'Deployment', 'Deployment', 'NetworkPolicy', 'Pod', 'Service']],
  'replication-values.yaml': [
    ...['ConfigMap', 'CronJob', 'Deployment', 'NetworkPolicy', 'NetworkPolicy', 'PersistentVolumeClaim'],
    ...['PersistentVolumeClaim', 'Pod', 'Pod'],
  ],
  'openshift-values.yaml': [
    ...['Deployment', 'Deployment', 'NetworkPolicy', 'NetworkPolicy', 'PersistentVolumeClaim'],
    ...['PersistentVolumeClaim', 'Pod', 'Pod'],
  ],
  'many-values.yaml': [
    ...['CronJob', 'CronJob', 'Deployment', 'Deployment'],
    ...['NetworkPolicy', 'NetworkPolicy', 'NetworkPolicy', 'PersistentVolumeClaim', 'PersistentVolumeClaim'],
    ...['Pod', 'Pod', 'Pod', 'Pod'],
  ],
  'everything-values.yaml': [
    ...['ConfigMap', 'ConfigMap', 'ConfigMap', 'ConfigMap', 'CronJob', 'Deployment', 'HTTPRoute', 'Ingress', 'Ingress'],
    ...[
      'NetworkPolicy',
      'NetworkPolicy',
      'PersistentVolumeClaim',
      'PersistentVolumeClaim',
      'Pod',
      'Pod',
      'PrometheusRule',
    ],
    ...['PrometheusRule', 'Service', 'ServiceAccount', 'ServiceMonitor'],
  ],
};

describe('every value set of ci/', () => {
  it('have their expected objects listed here', () => {
    expect(VALUE_SETS.toSorted()).toEqual(Object.keys(EXPECTED).toSorted());
  });

  it.each(oneIn(2, VALUE_SETS))('%s passes helm lint --strict', (file) => {
    const { ok, stdout, stderr } = lintChart(file);
    expect({ ok, found: /\[(WARNING|ERROR)\].*/.exec(`${stdout}${stderr}`)?.[0] }).toEqual({ ok: true });
  });

  it.each(
    oneIn(
      2,
      VALUE_SETS.flatMap((file) => ['1.25', '1.29', '1.34'].map((version) => [file, version] as const)),
    ),
  )('%s renders the expected objects on Kubernetes %s, and the API accepts each', (file, kubeVersion) => {
    const all = renderChart(file, { kubeVersion });
    expect(listKinds(all)).toEqual(EXPECTED[file]);
    expect(all.flatMap(checkManifest)).toEqual([]);
    expect(checkTogether(all)).toEqual([]);
  });

  it.each(oneIn(2, VALUE_SETS, 1))('%s starts only pods with minimal rights', (file) => {
    const pods = renderChart(file).flatMap((one) => podOf(one) ?? []);
    expect(pods.length).toBeGreaterThan(0);
    for (const { spec } of pods) {
      expect(spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(spec.containers[0].securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
      expect(spec).not.toHaveProperty('hostNetwork');
    }
  });

  it.each(oneIn(2, VALUE_SETS))(
    '%s renders no Secret, and finds its pods by labels that values cannot change',
    (file) => {
      const all = renderChart(file);
      expect(listKinds(all)).not.toContain('Secret');
      const deployments = all.filter(({ kind, metadata }) => kind === 'Deployment' && metadata.labels !== undefined);
      for (const one of deployments) {
        const selector = readAt(one, 'spec.selector.matchLabels');
        expect(Object.keys(selector as object)).toEqual([
          'app.kubernetes.io/name',
          'app.kubernetes.io/instance',
          'talent-sync/tenant',
        ]);
        expect(podOf(one)?.metadata.labels).toMatchObject(selector as object);
      }
    },
  );
});

describe('names that look like numbers', () => {
  it('stay text', () => {
    const tenant = {
      name: '1',
      existingConfigMap: { name: '2', key: '3' },
      existingSecrets: [{ name: '4' }, { name: '5', mountPath: '/5' }],
      existingClaim: '6',
      drops: [{ existingClaim: '7', mountPath: '/7', subPath: '8' }],
      priorityClassName: '9',
      extraEnv: [{ name: 'A', value: 'no' }],
    };
    const serviceAccount = { create: true, name: '11' };
    const all = renderChart(
      valuesOf(tenant, { serviceAccount, metrics: { enabled: true, tokenSecret: { name: '12' } } }),
      {
        release: '13',
        args: ['--namespace', '14'],
      },
    );
    expect(all.flatMap(checkManifest)).toEqual([]);
    expect(all.map(({ metadata }) => metadata.namespace)).toEqual(all.map(() => '14'));
  });
});

describe('the checks themselves', () => {
  const deployment = lazily(() => pick(renderChart(valuesOf()), 'Deployment'));

  function spoil(path: string, value: unknown): Manifest {
    const copy = structuredClone(deployment());
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    const parent = keys.length === 0 ? copy : readAt(copy, keys.join('.'));
    (parent as Record<string, unknown>)[last] = value;
    return copy;
  }

  it('find a misspelt key, a wrong type and a missing value', () => {
    const pod = 'spec.template.spec';
    expect(checkManifest(spoil(`${pod}.containers.0.prots`, [{ containerPort: 1 }]))).toEqual(
      expect.arrayContaining([expect.stringContaining('containers.0.prots is not known')]),
    );
    expect(checkManifest(spoil('spec.replicas', '1'))).toEqual([expect.stringContaining('must be integer')]);
    expect(checkManifest(spoil(`${pod}.containers.0.name`, undefined))).toEqual([expect.stringContaining('required')]);
    expect(checkManifest(spoil('apiVersion', 'apps/v2'))).toHaveLength(1);
    expect(checkManifest(deployment())).toEqual([]);
  });

  it('find a mount without a volume, an unused volume, and invalid names', () => {
    const pod = 'spec.template.spec';
    expect(checkTogether([spoil(`${pod}.volumes.0.name`, 'other')])).toHaveLength(2);
    expect(checkTogether([spoil(`${pod}.containers.0.volumeMounts.1.mountPath`, '/tmp')])).toHaveLength(1);
    expect(checkTogether([spoil('metadata.name', 'a'.repeat(64))])).toHaveLength(1);
    expect(checkTogether([deployment(), deployment()])).toHaveLength(1);
    expect(checkTogether([deployment()])).toEqual([]);
  });
});
