import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { oneIn } from '../depth.js';
import { configText, lazily, refuseChart, renderChart } from './chart.js';
import { checkManifest } from './check-manifest.js';
import { type Manifest, readAt } from './manifest.js';

const SCHEDULE = 'schedule: { every: "*/15 * * * *" }';
const tenant = (name: string) => ({ name, config: configText(SCHEDULE, `/var/lib/talent-sync/${name}`) });
const NAMES = Array.from({ length: 1_000 }, (_, at) => `tenant-${at}`);

function valuesOf(daemons: number, more: object = {}, names: readonly string[] = NAMES): object {
  const fleet = { daemons, handOver: { existingClaim: 'shared' }, ...more };
  return { image: { repository: 'a' }, fleet, tenants: names.map(tenant) };
}

const find = (all: readonly Manifest[], kind: string): readonly Manifest[] => all.filter((one) => one.kind === kind);
const dataOf = (maps: readonly Manifest[]): Record<string, string> =>
  Object.assign({}, ...maps.map((map) => readAt(map, 'data')));

describe('a fleet of three daemons for 1,000 tenants', () => {
  const three = lazily(() => renderChart(valuesOf(3)));

  it('is what an API server takes, and no object is larger than it may be', () => {
    expect(three().flatMap(checkManifest)).toEqual([]);
    for (const one of three()) expect(JSON.stringify(one).length).toBeLessThan(1024 ** 2);
    expect(
      three()
        .map(({ kind }) => kind)
        .toSorted(),
    ).toEqual(['ConfigMap', 'ConfigMap', 'Job', 'NetworkPolicy', 'StatefulSet'].toSorted());
  });

  it('has every configuration once, as it was given, and every name', () => {
    const { 'daemon.yaml': list = '', ...configs } = dataOf(find(three(), 'ConfigMap'));
    expect(configs).toEqual(Object.fromEntries(NAMES.map((name) => [`${name}.yaml`, tenant(name).config])));
    expect(parse(list)).toEqual({
      fleet: { daemons: 3, volume: '/var/lib/talent-sync', hand_over: '/hand-over', tenants: NAMES },
    });
  });

  it('gives each daemon the pages that `fleet.web` describes', () => {
    const web = { listen: '127.0.0.1:8090', state: '/var/lib/talent-sync/web' };
    const { 'daemon.yaml': list = '' } = dataOf(find(renderChart(valuesOf(3, { web })), 'ConfigMap'));
    expect(parse(list)).toMatchObject({ fleet: { daemons: 3 }, web });
  });

  it('gives each pod a volume of its own, and all of them the place', () => {
    const [set] = find(three(), 'StatefulSet');
    expect(readAt(set, 'spec.replicas')).toBe(3);
    expect(readAt(set, 'spec.volumeClaimTemplates.0.metadata.name')).toBe('state');
    const pod = readAt(set, 'spec.template.spec') as {
      volumes: { name: string; projected?: { sources: unknown[] } }[];
    };
    expect(pod.volumes.map(({ name }) => name)).toEqual(['config', 'hand-over', 'tmp']);
    expect(pod.volumes[0]?.projected?.sources).toHaveLength(2);
    expect(readAt(set, 'spec.template.spec.containers.0.args')).toEqual(
      expect.arrayContaining(['--ordinal', '$(POD_NAME)']),
    );
  });

  it('becomes four by the number alone: no pod that runs is changed', () => {
    const four = renderChart(valuesOf(4));
    const strip = (all: readonly Manifest[]): unknown =>
      all.map((one) => {
        const copy = structuredClone(one) as {
          kind: string;
          spec?: { replicas?: number };
          data?: Record<string, string>;
        };
        if (copy.kind === 'StatefulSet') delete copy.spec?.replicas;
        if (copy.data?.['daemon.yaml'] !== undefined) delete copy.data['daemon.yaml'];
        return copy;
      });
    expect(strip(four)).toEqual(strip(three()));
    expect(readAt(find(four, 'StatefulSet')[0], 'spec.replicas')).toBe(4);
  });

  it('becomes two with three pods, until the third has handed its states over', () => {
    const two = renderChart(valuesOf(2, { pods: 3 }, ['acme']));
    expect(readAt(find(two, 'StatefulSet')[0], 'spec.replicas')).toBe(3);
    expect(dataOf(find(two, 'ConfigMap'))['daemon.yaml']).toContain('daemons: 2');
  });
});

it('configurations that are too large for one ConfigMap fill several', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const values = {
    ...valuesOf(2, {}, []),
    tenants: names.map((name) => ({ ...tenant(name), config: `${tenant(name).config}# ${'x'.repeat(400_000)}\n` })),
  };
  const maps = find(renderChart(values), 'ConfigMap');
  expect(maps.map((map) => Object.keys(readAt(map, 'data') as object))).toEqual(
    expect.arrayContaining([['a.yaml', 'b.yaml'], ['c.yaml', 'd.yaml'], ['e.yaml'], ['daemon.yaml']]),
  );
});

describe('a fleet is refused', () => {
  it.each(
    oneIn(1, [
      [
        'without a place',
        { ...valuesOf(2, { handOver: { existingClaim: '' } }, ['acme']) },
        'fleet.handOver.existingClaim',
      ],
      [
        'with a state elsewhere',
        { ...valuesOf(2, {}, []), tenants: [{ name: 'acme', config: configText() }] },
        'state: /var/lib/talent-sync/acme',
      ],
      [
        'with settings of one tenant',
        { ...valuesOf(2, {}, []), tenants: [{ ...tenant('acme'), suspend: true }] },
        'suspend is set',
      ],
      ['with two of a name', valuesOf(2, {}, ['acme', 'acme']), 'the name is taken'],
      [
        'without volumes',
        { ...valuesOf(2, {}, ['acme']), persistence: { enabled: false } },
        'states move between volumes',
      ],
    ]),
  )('%s', (_what, values, says) => {
    expect(refuseChart(values)).toContain(says);
  });
});
