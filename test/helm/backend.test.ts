import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { oneIn, sweep } from '../depth.js';
import { configText, lazily, readNotes, refuseChart, renderChart } from './chart.js';
import { checkManifest, checkTogether } from './check-manifest.js';
import { listKinds, type Manifest, pick, pickContainer, pickPod, readAt } from './manifest.js';

const SCHEDULE = 'schedule: { every: "*/15 * * * *" }';
const tenant = (name: string) => ({ name, config: configText(SCHEDULE, `/var/lib/talent-sync/${name}`) });
const DAEMONS = 'prod-talent-sync-daemons';
const SET = 'backend-values.yaml';

function valuesOf(backend: object = {}, release: object = {}, names: readonly string[] = ['acme', 'north']): object {
  const all = { enabled: true, urlSecret: { name: 'talent-db' }, ...backend };
  return { image: { repository: 'a' }, backend: all, tenants: names.map(tenant), ...release };
}

const find = (all: readonly Manifest[], kind: string): readonly Manifest[] => all.filter((one) => one.kind === kind);
const deployment = (values: unknown): Manifest => pick(renderChart(values), 'Deployment');

function dataOf(all: readonly Manifest[]): Record<string, string> {
  const maps = find(all, 'ConfigMap').filter(({ metadata }) => metadata.annotations === undefined);
  return Object.assign({}, ...maps.map((map) => readAt(map, 'data')));
}

describe('the daemons of a backend', () => {
  const rendered = lazily(() => renderChart(valuesOf()));

  it('are a Deployment of several pods without a volume', () => {
    const kinds = ['ConfigMap', 'ConfigMap', 'Deployment', 'NetworkPolicy', 'PodDisruptionBudget'];
    expect(listKinds(rendered())).toEqual(kinds);
    expect(readAt(deployment(valuesOf({ replicas: 5 })), 'spec.replicas')).toBe(5);
    const cache = { name: 'state', emptyDir: { sizeLimit: '10Gi' } };
    expect(pickPod(rendered()).spec.volumes).toContainEqual(cache);
  });

  it('are replaced one by one, with a new pod ready before an old one stops', () => {
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } };
    expect(readAt(deployment(valuesOf()), 'spec.strategy')).toEqual(strategy);
  });

  sweep('keep running when nodes are drained, and are spread over nodes and zones', () => {
    const budget = pick(rendered(), 'PodDisruptionBudget');
    expect(readAt(budget, 'spec.maxUnavailable')).toBe(1);
    expect(pickPod(rendered()).metadata.labels).toMatchObject(readAt(budget, 'spec.selector.matchLabels') as object);
    const keys = (values: unknown) =>
      (pickPod(renderChart(values)).spec.topologySpreadConstraints as { topologyKey: string }[]).map(
        ({ topologyKey }) => topologyKey,
      );
    expect(keys(valuesOf())).toEqual(['topology.kubernetes.io/zone', 'kubernetes.io/hostname']);
    const own = [{ maxSkew: 1, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule' }];
    expect(keys(valuesOf({}, { topologySpreadConstraints: own }))).toEqual(['rack']);
  });

  it('get the address from a Secret, and verify the server with the mounted certificate', () => {
    const url = { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'talent-db', key: 'url' } } };
    expect(pickContainer(rendered()).env).toContainEqual(url);
    expect(parse(dataOf(rendered())['daemon.yaml'] ?? '')).toEqual({
      backend: { postgres: { url: { env: 'DATABASE_URL' }, tls: 'verify' } },
    });
    for (const kind of oneIn(1, ['secret', 'configMap'])) {
      const all = renderChart(valuesOf({ ca: { [kind]: 'company-ca', key: 'root.pem' } }));
      const file = readAt(parse(dataOf(all)['daemon.yaml'] ?? ''), 'backend.postgres.ca') as string;
      const mount = pickContainer(all).volumeMounts.find(({ mountPath }) => file.startsWith(`${mountPath}/`));
      const volume = pickPod(all).spec.volumes.find(({ name }) => name === mount?.name);
      expect(JSON.stringify(volume)).toContain('"company-ca"');
      expect(readAt(volume, `${kind}.items`)).toEqual([{ key: 'root.pem', path: file.split('/').at(-1) }]);
    }
  });

  it('have one Service for pages, pushes and metrics, which skips pods that are not ready', () => {
    const all = renderChart(SET);
    const service = pick(all, 'Service');
    expect(readAt(service, 'spec.ports')).toMatchObject([{ port: 8080 }, { port: 8090 }]);
    expect(readAt(service, 'spec.publishNotReadyAddresses')).toBeUndefined();
    expect(pickPod(all, DAEMONS).metadata.labels).toMatchObject(readAt(service, 'spec.selector') as object);
    const paths = find(all, 'Ingress').map((one) => readAt(one, 'spec.rules.0.http.paths.0'));
    const to = (port: string) => ({ service: { name: service.metadata.name, port: { name: port } } });
    expect(paths).toEqual([
      { path: '/scim/v2', pathType: 'Prefix', backend: to('http') },
      { path: '/', pathType: 'Prefix', backend: to('pages') },
    ]);
    const labels = readAt(pick(all, 'ServiceMonitor'), 'spec.selector.matchLabels') as object;
    expect(service.metadata.labels).toMatchObject(labels);
  });

  sweep('stop together', () => {
    const all = renderChart(valuesOf({ autoscaling: { enabled: true } }, { suspend: true }));
    expect(readAt(pick(all, 'Deployment'), 'spec.replicas')).toBe(0);
    expect(find(all, 'HorizontalPodAutoscaler')).toEqual([]);
  });
});

describe('the configurations of a backend', () => {
  const NAMES = Array.from({ length: 1_000 }, (_, at) => `tenant-${at}`);

  sweep('use as many ConfigMaps as needed for 1,000 tenants, each unchanged', () => {
    const all = renderChart(valuesOf({}, {}, NAMES));
    expect(all.flatMap(checkManifest)).toEqual([]);
    for (const one of all) expect(JSON.stringify(one).length).toBeLessThan(1024 ** 2);
    const { 'daemon.yaml': _own, ...configs } = dataOf(all);
    expect(configs).toEqual(Object.fromEntries(NAMES.map((name) => [`${name}.yaml`, tenant(name).config])));
  });

  sweep('that are too large for a ConfigMap use several, all mounted in the pod', () => {
    const large = ['a', 'b', 'c', 'd', 'e'].map((name) => ({
      ...tenant(name),
      config: `${tenant(name).config}# ${'x'.repeat(400_000)}\n`,
    }));
    const all = renderChart(valuesOf({}, { tenants: large }));
    const maps = find(all, 'ConfigMap');
    expect(maps.map((map) => Object.keys(readAt(map, 'data') as object))).toEqual(
      expect.arrayContaining([['a.yaml', 'b.yaml'], ['c.yaml', 'd.yaml'], ['e.yaml'], ['daemon.yaml']]),
    );
    const sources = readAt(pickPod(all).spec.volumes[0], 'projected.sources') as { configMap: { name: string } }[];
    expect(sources.map(({ configMap }) => configMap.name).toSorted()).toEqual(
      maps.map(({ metadata }) => metadata.name).toSorted(),
    );
  });

  it('restart no pod for a new or changed tenant, but for another database or other pages', () => {
    const before = readAt(deployment(valuesOf()), 'spec.template');
    expect(readAt(deployment(valuesOf({}, {}, ['acme', 'north', 'south'])), 'spec.template')).toEqual(before);
    for (const backend of [{ tls: 'off' }, { web: { listen: '127.0.0.1:8090', state: '/var/lib/talent-sync/web' } }]) {
      expect(readAt(deployment(valuesOf(backend)), 'spec.template')).not.toEqual(before);
    }
  });
});

describe('the tables', () => {
  const job = lazily(() => renderChart(valuesOf({ prepare: { enabled: true, urlSecret: { name: 'owner' } } })));

  it('are created by a Job before the release, with its own user', () => {
    const { metadata } = pick(job(), 'Job');
    expect(metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' });
    const pod = pickPod(job(), metadata.name);
    expect(pod.spec.containers[0].args).toEqual(['fleet', 'prepare', '--config', '/etc/talent-sync']);
    expect(JSON.stringify(pod.spec.containers[0].env)).toContain('"owner"');
    // The ServiceAccount and the configurations of the release do not exist at that time.
    expect(pod.spec.serviceAccountName).toBeUndefined();
    const own = pick(job(), 'ConfigMap', metadata.name);
    expect(own.metadata.annotations).toMatchObject({ 'helm.sh/hook-weight': '-1' });
    expect(readAt(own, 'data')).toEqual({ 'daemon.yaml': dataOf(job())['daemon.yaml'] });
    expect(checkTogether(job())).toEqual([]);
    const same = renderChart(valuesOf({ prepare: { enabled: true } }));
    expect(JSON.stringify(pickPod(same, metadata.name).spec.containers[0].env)).toContain('"talent-db"');
  });

  sweep('are created by hand by default, as the notes say', () => {
    expect(find(renderChart(valuesOf()), 'Job')).toEqual([]);
    const exec = `kubectl -n hr exec deploy/${DAEMONS} -- talent-sync`;
    expect(readNotes(valuesOf())).toContain(`${exec} fleet prepare --config /etc/talent-sync`);
    expect(readNotes(SET)).not.toContain('fleet prepare');
  });

  sweep('the notes name the daemons and their number', () => {
    expect(readNotes(valuesOf())).toContain(`2 tenants in namespace hr.\n\ndaemons: Deployment ${DAEMONS} of 3\n`);
    expect(readNotes(SET)).toContain(`daemons: Deployment ${DAEMONS} of 3 to 6\n`);
    expect(readNotes(SET)).not.toContain('Please check:');
  });
});

describe('a backend is rejected', () => {
  const changed = (more: object) => ({ ...valuesOf(), tenants: [{ ...tenant('acme'), ...more }] });

  it.each(
    oneIn(2, [
      ['without an address', valuesOf({ urlSecret: { name: '' } }), 'backend.urlSecret.name'],
      ['with two certificates', valuesOf({ ca: { secret: 'a', configMap: 'b' } }), 'Keep one of the two'],
      [
        'with a maximum below the replicas',
        valuesOf({ autoscaling: { enabled: true, maxReplicas: 2 } }),
        'Set it higher',
      ],
      ['with a state in another place', changed({ config: configText() }), 'state: /var/lib/talent-sync/acme'],
      ['with settings of one tenant', changed({ suspend: true }), 'suspend is set'],
      ['with a configuration as a map', changed({ config: {} }), 'config: |'],
      ['with two tenants of the same name', valuesOf({}, {}, ['acme', 'acme']), 'the name is taken'],
      ['with a tenant named as daemon.yaml', valuesOf({}, {}, ['daemon']), 'the name is taken'],
      ['with unreachable pages', valuesOf({}, { web: { enabled: true } }), 'backend.web.listen is (none)'],
      ['with pushes without a host', valuesOf({}, { scimIngress: { enabled: true } }), 'scimIngress.host'],
      [
        'with the address as a variable',
        valuesOf({}, { extraEnv: [{ name: 'DATABASE_URL', value: 'x' }] }),
        'backend.urlSecret',
      ],
      ['with values of 0.2', valuesOf({}, { fleet: { daemons: 3 } }), 'Additional property fleet'],
    ]),
  )('%s', (_what, values, says) => {
    expect(refuseChart(values)).toContain(says);
  });
});
