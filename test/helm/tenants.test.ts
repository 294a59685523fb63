import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { oneIn } from '../depth.js';
import { renderChart, valuesOf } from './chart.js';
import { checkTogether } from './check-manifest.js';
import { pick, pickContainer, pickPod } from './manifest.js';

function namesOf(tenants: readonly string[], release: string): readonly string[] {
  const list = tenants.map((name) => ({ name, existingConfigMap: { name: 'config' } }));
  const all = renderChart(valuesOf({}, { tenants: list }), { release });
  expect(checkTogether(all)).toEqual([]);
  return all.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name);
}

describe('names', () => {
  it.each(
    oneIn(1, [
      ['prod', 'prod-talent-sync-acme'],
      ['talent-sync', 'talent-sync-acme'],
      ['hr-talent-sync-1', 'hr-talent-sync-1-acme'],
      // A Service's name begins with a letter and has no dots.
      ['1st.release', 'talent-sync-1st-release-acme'],
      ['1-talent-sync', 'r-1-talent-sync-acme'],
    ]),
  )('of release %s', (release, expected) => {
    expect(namesOf(['acme'], release)).toEqual([expected]);
  });

  it('that are long end in a hash, so that two that begin alike stay two, for ever the same', () => {
    const long = 'a'.repeat(60);
    const tenants = [`${long}-b`, `${long}-c`, long];
    const hashes = tenants.map((tenant) => createHash('sha256').update(`prod/${tenant}`).digest('hex').slice(0, 10));
    expect(namesOf(tenants, 'prod')).toEqual(hashes.map((hash) => `prod-talent-sync-${'a'.repeat(24)}-${hash}`));
    expect(new Set(hashes).size).toBe(3);
  });

  it('of two releases with long names differ too', () => {
    const release = 'r'.repeat(52);
    expect(namesOf(['acme'], `${release}1`)).not.toEqual(namesOf(['acme'], `${release}2`));
  });

  it('are cut before a hyphen, not behind it', () => {
    // 41 characters of `prod-talent-sync-` and this end in the hyphen.
    const [name = ''] = namesOf([`${'a'.repeat(23)}-${'b'.repeat(30)}`], 'prod');
    expect(name).toMatch(/^prod-talent-sync-a{23}-[0-9a-f]{10}$/);
  });

  it('are not cut up to 52 characters', () => {
    const tenant = 'a'.repeat(35);
    expect(namesOf([tenant], 'prod')).toEqual([`prod-talent-sync-${tenant}`]);
    expect(namesOf([`${tenant}a`], 'prod')[0]).toMatch(/-[0-9a-f]{10}$/);
  });
});

describe('what a tenant says itself', () => {
  const defaults = {
    image: { repository: 'talent-sync', tag: '1.0' },
    logLevel: 'warn',
    resources: { requests: { cpu: '200m' } },
    nodeSelector: { arch: 'amd64', disk: 'ssd' },
    tolerations: [{ key: 'a', operator: 'Exists' }],
    extraEnv: [{ name: 'REGION', value: 'north' }],
    podLabels: { team: 'hr' },
    podAnnotations: { note: 'all' },
    priorityClassName: 'batch',
    networkPolicy: { egress: { ports: [443, 8443] } },
  };

  it('is laid over the defaults: maps key by key, lists and single values as a whole', () => {
    const all = renderChart(
      valuesOf(
        {
          image: { tag: 'next' },
          logLevel: 'debug',
          resources: { limits: { memory: '1Gi' } },
          nodeSelector: { disk: 'hdd' },
          tolerations: [{ key: 'b', operator: 'Exists' }],
          extraEnv: [],
          podLabels: { cost: '1' },
        },
        defaults,
      ),
    );
    const { spec, metadata } = pickPod(all);
    const container = pickContainer(all);
    expect(container.image).toBe('talent-sync:next');
    expect(container.env).toEqual([
      { name: 'LOG_LEVEL', value: 'debug' },
      { name: 'SQLITE_TMPDIR', value: '/tmp' },
    ]);
    expect(container.resources).toEqual({
      requests: { cpu: '200m', memory: '256Mi' },
      limits: { memory: '1Gi' },
    });
    expect(spec).toMatchObject({
      nodeSelector: { arch: 'amd64', disk: 'hdd' },
      tolerations: [{ key: 'b', operator: 'Exists' }],
      priorityClassName: 'batch',
    });
    expect(metadata.labels).toMatchObject({ team: 'hr', cost: '1' });
    expect(metadata.annotations).toEqual({ note: 'all' });
  });

  it('wins also when it is false, zero or empty', () => {
    const tenant = {
      mode: 'cronjob',
      suspend: false,
      cronJob: { schedule: '@daily', backoffLimit: 0 },
      persistence: { enabled: false },
      networkPolicy: { enabled: false },
      priorityClassName: '',
    };
    const all = renderChart(valuesOf(tenant, { ...defaults, suspend: true }));
    expect(all.map(({ kind }) => kind)).toEqual(['CronJob']);
    const job = pick(all, 'CronJob');
    expect(job.spec).toMatchObject({ suspend: false, jobTemplate: { spec: { backoffLimit: 0 } } });
    expect(pickPod(all).spec).not.toHaveProperty('priorityClassName');
  });

  it('is its own: the next tenant has the defaults', () => {
    const tenants = [
      { name: 'a', existingConfigMap: { name: 'a' }, nodeSelector: { disk: 'hdd' }, persistence: { size: '9Gi' } },
      { name: 'b', existingConfigMap: { name: 'b' } },
    ];
    const all = renderChart(valuesOf({}, { ...defaults, tenants }));
    expect(pickPod(all, 'prod-talent-sync-b').spec.nodeSelector).toEqual({ arch: 'amd64', disk: 'ssd' });
    const sizes = ['a', 'b'].map((name) => pick(all, 'PersistentVolumeClaim', `prod-talent-sync-${name}`).spec);
    expect(sizes).toMatchObject([
      { resources: { requests: { storage: '9Gi' } } },
      { resources: { requests: { storage: '2Gi' } } },
    ]);
  });
});

describe('what the release says', () => {
  it('holds for every pod: image pull secrets, and the account they run as', () => {
    const release = { imagePullSecrets: [{ name: 'pull' }], serviceAccount: { create: true, annotations: { a: 'b' } } };
    const all = renderChart(valuesOf({}, release));
    const account = pick(all, 'ServiceAccount');
    expect(account).toMatchObject({ automountServiceAccountToken: false, metadata: { annotations: { a: 'b' } } });
    expect(account.metadata.name).toBe('prod-talent-sync');
    expect(pickPod(all).spec).toMatchObject({
      serviceAccountName: 'prod-talent-sync',
      imagePullSecrets: [{ name: 'pull' }],
    });
  });

  it.each(
    oneIn(1, [
      [{}, 'default'],
      [{ name: 'own' }, 'own'],
      [{ create: true, name: 'own' }, 'own'],
    ]),
  )('runs with the account of %j', (serviceAccount, expected) => {
    const all = renderChart(valuesOf({}, { serviceAccount }));
    expect(pickPod(all).spec.serviceAccountName).toBe(expected);
    expect(all.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name)).toEqual(
      'create' in serviceAccount ? ['own'] : [],
    );
  });
});
