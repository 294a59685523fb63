import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { oneIn, sweep } from '../depth.js';
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
    oneIn(
      1,
      [
        ['prod', 'prod-talent-sync-acme'],
        ['talent-sync', 'talent-sync-acme'],
        ['hr-talent-sync-1', 'hr-talent-sync-1-acme'],
        // A Service's name starts with a letter and has no dots.
        ['1st.release', 'talent-sync-1st-release-acme'],
        ['1-talent-sync', 'r-1-talent-sync-acme'],
      ],
      3,
    ),
  )('are built from release %s', (release, expected) => {
    expect(namesOf(['acme'], release)).toEqual([expected]);
  });

  it('end in a stable hash if they are long, so that similar names stay distinct', () => {
    const long = 'a'.repeat(60);
    const tenants = [`${long}-b`, `${long}-c`, long];
    const hashes = tenants.map((tenant) => createHash('sha256').update(`prod/${tenant}`).digest('hex').slice(0, 10));
    expect(namesOf(tenants, 'prod')).toEqual(hashes.map((hash) => `prod-talent-sync-${'a'.repeat(24)}-${hash}`));
    expect(new Set(hashes).size).toBe(3);
  });

  sweep('differ between two releases with long names too', () => {
    const release = 'r'.repeat(52);
    expect(namesOf(['acme'], `${release}1`)).not.toEqual(namesOf(['acme'], `${release}2`));
  });

  sweep('are shortened before a hyphen, not behind it', () => {
    // The first 41 characters, with `prod-talent-sync-`, end in the hyphen.
    const [name = ''] = namesOf([`${'a'.repeat(23)}-${'b'.repeat(30)}`], 'prod');
    expect(name).toMatch(/^prod-talent-sync-a{23}-[0-9a-f]{10}$/);
  });

  sweep('are kept up to 52 characters', () => {
    const tenant = 'a'.repeat(35);
    expect(namesOf([tenant], 'prod')).toEqual([`prod-talent-sync-${tenant}`]);
    expect(namesOf([`${tenant}a`], 'prod')[0]).toMatch(/-[0-9a-f]{10}$/);
  });
});

describe("a tenant's own values", () => {
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

  it('override the defaults: maps key by key, lists and single values completely', () => {
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

  it('override the defaults even if false, zero or empty', () => {
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

  it('do not affect the next tenant', () => {
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

describe('values of the release', () => {
  it('apply to every pod: image pull secrets, and the service account', () => {
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
  )('run pods with the account of %j', (serviceAccount, expected) => {
    const all = renderChart(valuesOf({}, { serviceAccount }));
    expect(pickPod(all).spec.serviceAccountName).toBe(expected);
    expect(all.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name)).toEqual(
      'create' in serviceAccount ? ['own'] : [],
    );
  });
});
