import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Config } from '../../src/config/config.js';
import { loadConfig } from '../../src/config/load.js';
import { loadBackend } from '../../src/config/load-backend.js';
import { loadWeb } from '../../src/config/load-web.js';
import { EXAMPLE_ENV } from '../config/sample.js';
import { oneIn, sweep } from '../depth.js';
import { ROOT } from '../module-graph.js';
import { configText, refuseChart, renderChart, VALUE_SETS, valuesOf } from './chart.js';
import { type Manifest, pick, pickContainer, pickPod, podOf } from './manifest.js';

const folder = mkdtempSync(join(tmpdir(), 'talent-sync-config-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The examples for tenants. daemon.yaml is for a folder of tenants. */
const EXAMPLES = readdirSync(join(ROOT, 'config')).filter((name) => name.endsWith('.yaml') && name !== 'daemon.yaml');

/** An example for a container, with its state on the volume and a schedule. */
function readExample(name: string): string {
  const text = readFileSync(join(ROOT, 'config', name), 'utf8').replace(/^state: \S+/m, 'state: /var/lib/talent-sync');
  return /^schedule:/m.test(text) ? text : `${text}schedule: { every: "*/15 * * * *" }\n`;
}

/** Loads the file from the ConfigMap as the pod does. Files of Secrets are replaced. */
function loadMounted(config: Manifest): Config {
  const [[name, text]] = Object.entries(config.data as Record<string, string>) as [[string, string]];
  const secret = join(folder, 'secret');
  writeFileSync(secret, 'key');
  const file = join(folder, name);
  writeFileSync(file, text.replace(/\/run\/secrets\/[\w/-]+/g, secret));
  return loadConfig(file, EXAMPLE_ENV);
}

/** The ConfigMap of a tenant with this configuration. */
function renderConfig(config: unknown): Manifest {
  return pick(renderChart(valuesOf({ existingConfigMap: null, config })), 'ConfigMap');
}

const OF_BACKEND = 'backend-values.yaml';
const OF_TENANTS = VALUE_SETS.filter((file) => file !== OF_BACKEND);

describe('the configurations of the value sets', () => {
  /** The ConfigMaps of the tenants, each with everything that is rendered. */
  function renderMaps(file: string) {
    const all = renderChart(file);
    const own = all.filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.labels?.['talent-sync/tenant']);
    return own.map((map) => ({ name: map.metadata.name, map, all }));
  }

  sweep('exist in several of them', () => expect(OF_TENANTS.flatMap(renderMaps).length).toBeGreaterThan(3));

  it.each(oneIn(1, OF_TENANTS, 2))('%s: the worker loads it, with its state on the volume', (file) => {
    for (const { name, map, all } of renderMaps(file)) {
      const config = loadMounted(map);
      expect(`${config.state}/`, name).toMatch(/^\/var\/lib\/talent-sync\//);
      const workload = all.find((one) => podOf(one) !== null && one.metadata.name === name);
      if (workload?.kind === 'Deployment') expect(config.schedule.every, name).toBeDefined();
    }
  });

  it.each(oneIn(2, OF_TENANTS))('%s: is mounted where the container reads it', (file) => {
    for (const { name, map, all } of renderMaps(file)) {
      const [key] = Object.keys(map.data as object);
      const { volumes } = pickPod(all, name).spec;
      expect(volumes.find((one) => one.name === 'config')?.configMap).toEqual({ name });
      const { args, volumeMounts } = pickContainer(all, name);
      const { mountPath } = volumeMounts.find((one) => one.name === 'config') ?? {};
      expect(args[args.indexOf('--config') + 1]).toBe(`${mountPath}/${key}`);
    }
  });
});

describe('the folder for the daemons of a backend', () => {
  it('loads with the backend, the pages and every tenant, each with its own folder', () => {
    const all = renderChart(OF_BACKEND);
    const maps = all.filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.labels?.['talent-sync/tenant']);
    const target = mkdtempSync(join(folder, 'daemons-'));
    const [ca, secret] = [join(target, 'ca.crt'), join(target, 'secret')];
    for (const file of [ca, secret]) writeFileSync(file, 'key');
    const files = maps.flatMap(({ data }) => Object.entries(data as Record<string, string>));
    for (const [name, text] of files) {
      const here = text.replace('/etc/postgres-ca/ca.crt', ca).replace(/\/run\/secrets\/[\w/-]+/g, secret);
      writeFileSync(join(target, name), here);
    }
    const url = 'postgres://talent@db/talent';
    expect(loadBackend(target, { DATABASE_URL: url })).toMatchObject({ ca: 'key', isEncrypted: true });
    expect(loadWeb(target, {}, false)).toMatchObject({ host: '0.0.0.0', port: 8090 });
    const tenants = files.map(([name]) => name).filter((name) => name !== 'daemon.yaml');
    const states = tenants.map((name) => loadConfig(join(target, name), EXAMPLE_ENV).state);
    expect(states).toEqual(['/var/lib/talent-sync/acme', '/var/lib/talent-sync/north']);
  });
});

describe('a configuration as text', () => {
  it.each(oneIn(4, EXAMPLES))('keeps config/%s byte for byte', (name) => {
    const text = readExample(name);
    expect(renderConfig(text).data).toEqual({ 'acme.yaml': text });
  });

  it('keeps odd spaces, line ends, letters and braces byte for byte', () => {
    const text = `  # æøå {{ .Values }} \t"'\r\n\r\n${configText().replaceAll('\n', '  \r\n')}\t\n\n\n`;
    expect(renderConfig(text).data).toEqual({ 'acme.yaml': text });
  });

  sweep('may come from a file', () => {
    const file = join(folder, 'own.yaml');
    writeFileSync(file, configText());
    const all = renderChart(valuesOf({ existingConfigMap: null }), {
      args: ['--set-file', `tenants[0].config=${file}`],
    });
    expect(pick(all, 'ConfigMap').data).toEqual({ 'acme.yaml': configText() });
  });

  it('is passed on even if Helm cannot read it, if its state is on the volume', () => {
    const text = `${configText()}timezone: !unknown {{{\n`;
    expect(renderConfig(text).data).toEqual({ 'acme.yaml': text });
    expect(refuseChart(valuesOf({ existingConfigMap: null, config: text.replace('/var/lib/', '/srv/') }))).toContain(
      'state: /srv/talent-sync',
    );
  });
});

describe('a configuration as a map', () => {
  it.each(oneIn(4, EXAMPLES))('gives config/%s the same meaning for the worker', (name) => {
    const text = readExample(name);
    const file = join(folder, 'text.yaml');
    writeFileSync(file, text);
    const asText = loadConfig(file, EXAMPLE_ENV);
    const asMap = loadMounted(renderConfig(parse(text)));
    // Helm sorts the keys of a map, but reports and messages are delivered in the order of their keys.
    const sort = <T extends { readonly name: string }>(list: readonly T[]): readonly T[] =>
      list.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    const byName = ({ reports, notify, ...rest }: Config) => ({
      ...rest,
      reports: sort(reports),
      notify: notify === null ? null : { ...notify, channels: sort(notify.channels) },
      file: '',
      // The original text with comments.
      text: '',
    });
    expect(byName(asMap)).toEqual(byName(asText));
  });

  it.each(
    oneIn(1, [
      ['title: { no: x }', 'config.users.fields.title.false: Helm read a key as false'],
      ['title: { yes: x }', 'config.users.fields.title.true: Helm read a key as true'],
      ['title: { on: x }', 'Helm read a key as true'],
    ]),
  )('is rejected for a language as %s, which Helm does not read as text', (field, said) => {
    const config = configText().replace('title: { no: record.?title }', field).replaceAll('.?', '.');
    expect(refuseMap(config)).toContain(said);
  });

  it.each(
    oneIn(1, [
      ['guards: { users: { create: off } }', 'config.guards.users.create: Helm read a word as false'],
      [
        'x: { columns: { manager: { type: bool, true: [1, yes, ja] } } }',
        'columns.manager.true: Helm read a word as true',
      ],
    ]),
  )('is rejected with %s', (line, said) => {
    const config = `${configText().replaceAll('.?', '.').replace('no:', 'en:')}${line}\n`;
    expect(refuseMap(config)).toContain(said);
  });

  /** Puts the text into a values file as a person would, without quoting. */
  function refuseMap(config: string): string {
    const indented = config.replaceAll(/^/gm, '      ');
    return refuseChart(`image: { repository: a }\ntenants:\n  - name: acme\n    config:\n${indented}\n`);
  }
});

describe('a configuration that cannot work in a pod', () => {
  const refuse = (config: unknown, more: object = {}): string =>
    refuseChart(valuesOf({ existingConfigMap: null, config, ...more }));

  it.each(oneIn(1, ['./var/acme', '/srv/acme', '/var/lib/talent-sync-2', '/var/lib/talent-sync/../x']))(
    'is rejected with its state in %s',
    (state) => {
      expect(refuse(configText(undefined, state))).toContain(`state: ${state}, which is not on the volume`);
      expect(refuse(parse(configText(undefined, state)))).toContain('which is not on the volume');
    },
  );

  sweep('is rejected without a state, and if it is not a map', () => {
    expect(refuse(configText().replace(/^state.*\n/m, ''))).toContain('state: (none)');
    expect(refuse('just words')).toContain('state: (none)');
  });

  it.each(oneIn(1, ['', 'schedule: { full_read: "0 3 * * *" }', 'schedule:']))(
    'is rejected for a daemon with %j',
    (schedule) => {
      expect(refuse(configText(schedule))).toContain('has no schedule.every');
      const job = { mode: 'cronjob', cronJob: { schedule: '@daily' }, existingConfigMap: null };
      expect(renderChart(valuesOf({ ...job, config: configText(schedule) })).length).toBeGreaterThan(2);
    },
  );
});

describe('an existing ConfigMap', () => {
  it.each(
    oneIn(
      1,
      [
        [{ name: 'own' }, 'talent-sync.yaml'],
        [{ name: 'own', key: 'a.yaml' }, 'a.yaml'],
      ] as const,
      1,
    ),
  )('with %j is mounted under the name of the tenant', (existingConfigMap, key) => {
    const all = renderChart(valuesOf({ existingConfigMap }));
    expect(all.map(({ kind }) => kind)).not.toContain('ConfigMap');
    const volume = pickPod(all).spec.volumes.find(({ name }) => name === 'config');
    expect(volume?.configMap).toEqual({ name: 'own', items: [{ key, path: 'acme.yaml' }] });
  });
});
