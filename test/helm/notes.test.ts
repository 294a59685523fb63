import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../src/cli/program.js';
import { oneIn, sweep } from '../depth.js';
import { configText, readNotes, VALUE_SETS, valuesOf } from './chart.js';

const TOKEN = { metrics: { enabled: true, tokenSecret: { name: 'token' } } };
const OPEN = { networkPolicy: { ingressFrom: [{ podSelector: {} }] } };
const INLINE = { existingConfigMap: null, config: configText(), existingSecrets: [{ name: 'keys' }], ...OPEN };

function listWarnings(notes: string): readonly string[] {
  const [, warnings = ''] = notes.split('Please check:\n');
  return warnings.split(/^- /m).flatMap((one) => (one.trim() === '' ? [] : [one.replace(/\s+/g, ' ').trim()]));
}

describe('the notes', () => {
  it('list the commands for a daemon', () => {
    const notes = readNotes(valuesOf(INLINE, TOKEN));
    const exec = 'kubectl -n hr exec deploy/prod-talent-sync-acme -- talent-sync';
    const config = '--config /etc/talent-sync/acme.yaml';
    expect(notes.trimEnd()).toBe(`talent-sync 0.2.0: 1 tenant in namespace hr.

acme: Deployment prod-talent-sync-acme
  log      kubectl -n hr logs deploy/prod-talent-sync-acme -f
  status   ${exec} status ${config}
  plan     ${exec} plan ${config}
  approve  ${exec} approve ${config} --guard users.deactivate --reason "why"`);
  });

  it('say when a CronJob runs, and how to look between runs', () => {
    const notes = readNotes('cronjob-values.yaml');
    expect(notes).toContain('acme: CronJob prod-talent-sync-acme, "5 * * * *" in Europe/Oslo');
    expect(notes).toContain('create job prod-talent-sync-acme-now --from=cronjob/prod-talent-sync-acme');
    expect(notes).toContain(
      '--copy-to=prod-talent-sync-acme-look --container=talent-sync -- talent-sync status --config',
    );
  });

  sweep('say how to test the release, unless no tenant has a test', () => {
    const said = 'Check configuration, keys and sources: helm test prod -n hr --logs';
    expect(readNotes('many-values.yaml')).toContain(`4 tenants in namespace hr.\n${said}\n`);
    expect(readNotes(valuesOf())).not.toContain('helm test');
    const other = readNotes(valuesOf({ helmTest: { enabled: true } }, { namespaceOverride: 'people' }));
    expect(other).toContain(`1 tenant in namespace people.\n${said}\n`);
    expect(other).toContain('kubectl -n people exec deploy/');
  });

  it('name every tenant, and mark suspended ones', () => {
    const notes = readNotes('many-values.yaml');
    expect(notes).toContain('4 tenants');
    for (const name of ['north', 'south', 'trial']) expect(notes).toMatch(new RegExp(`^${name}: `, 'm'));
    expect(notes).toContain('west: Deployment prod-talent-sync-west, suspended\n');
    expect(notes).not.toContain('exec deploy/prod-talent-sync-west');
  });

  it.each(oneIn(2, VALUE_SETS))('for %s use existing commands and flags', (file) => {
    const { stdout, stderr } = process;
    const program = buildProgram({ stdout, stderr, env: {}, setExitCode: () => undefined, exit: () => undefined });
    const used = [...readNotes(file).matchAll(/-- talent-sync (\S+)(.*)$/gm)];
    expect(used.length).toBeGreaterThan(0);
    for (const [, name, rest = ''] of used) {
      const command = program.commands.find((one: Command) => one.name() === name);
      const flags = command?.options.map(({ long }) => long) ?? [];
      for (const [flag] of rest.matchAll(/--[a-z-]+/g)) expect(flags).toContain(flag);
      expect(command).toBeDefined();
    }
  });
});

describe('the warnings of the notes', () => {
  it.each(oneIn(1, ['cronjob-values.yaml', 'everything-values.yaml'], 1))('do not appear for %s', (file) => {
    expect(listWarnings(readNotes(file))).toEqual([]);
  });

  it.each(
    oneIn<readonly [string, Record<string, unknown>, Record<string, unknown>, string]>(2, [
      ['no persistence', { ...INLINE, persistence: { enabled: false } }, TOKEN, 'acme: no persistence.'],
      ['no metrics', INLINE, {}, 'acme: no metrics. Set metrics.enabled and metrics.tokenSecret'],
      ['unreachable metrics', { ...INLINE, networkPolicy: {} }, TOKEN, 'blocks all access to the metrics'],
      ['an unset variable', { ...INLINE, existingSecrets: [] }, TOKEN, 'reads TALENT_API_KEY from the'],
      [
        'an unset variable with Secrets as files only',
        { ...INLINE, existingSecrets: [{ name: 'keys', mountPath: '/keys' }] },
        TOKEN,
        'reads TALENT_API_KEY from the',
      ],
      [
        'a port blocked by the NetworkPolicy',
        { ...INLINE, config: configText().replace('acme.example.com', 'acme.example.com:8443') },
        TOKEN,
        'does not let it reach port 8443 of https://acme.example.com:8443',
      ],
      [
        'a port blocked by the NetworkPolicy for plain HTTP',
        { ...INLINE, config: configText().replace('https://idp', 'http://idp') },
        TOKEN,
        'does not let it reach port 80 of http://idp.example.com/scim/v2',
      ],
      [
        'a sidecar that keeps its Jobs running',
        { ...INLINE, mode: 'cronjob', cronJob: { schedule: '@daily' }, extraContainers: [{ name: 'a', image: 'a' }] },
        TOKEN,
        'Jobs end only when all extraContainers have ended',
      ],
      ['a text that Helm cannot read', { ...INLINE, config: `${configText()}x: {{{\n` }, TOKEN, 'Helm cannot read'],
    ]),
  )('mention %s', (_, tenant, release, said) => {
    expect(listWarnings(readNotes(valuesOf(tenant, release)))).toEqual([expect.stringContaining(said)]);
  });

  it('mention a source that cannot receive pushes', () => {
    const tenant = { ...INLINE, networkPolicy: {}, scimIngress: { enabled: true, host: 'sync.example.com' } };
    expect(listWarnings(readNotes(valuesOf(tenant, TOKEN)))).toContainEqual(
      expect.stringContaining('blocks all pushes'),
    );
  });

  it.each(
    oneIn(1, [
      ['./drop', []],
      ['/drop/hr', []],
      ['/drop/hr', [{ existingClaim: 'c', mountPath: '/drop/h' }]],
    ]),
  )('mention files in %s without a mount', (folder, drops) => {
    const warnings = listWarnings(readNotes(valuesOf({ ...INLINE, config: withDrop(folder), drops }, TOKEN)));
    expect(warnings).toEqual([
      expect.stringContaining(`files are expected in ${folder}, but nothing is mounted there`),
    ]);
  });

  sweep('mention a read-only folder for write-back', () => {
    const hr = { existingClaim: 'c', mountPath: '/drop' };
    const told = { existingClaim: 'c', mountPath: '/drop/to-hr', subPath: 'incoming' };
    const warn = (drops: readonly object[], back = '/drop/to-hr'): readonly string[] =>
      listWarnings(readNotes(valuesOf({ ...INLINE, config: withDrop('/drop/hr', back), drops }, TOKEN)));
    const expected = [expect.stringContaining('files would be written to /drop/to-hr, which is mounted read-only')];
    expect(warn([hr])).toEqual(expected);
    expect(warn([hr, told])).toEqual(expected);
    expect(warn([hr, { ...told, readOnly: false }])).toEqual([]);
    expect(warn([hr], 'sftp://sftp.example.com:22/in')).toEqual([]);
  });

  sweep('do not mention variables and mounts that exist', () => {
    const drops = [{ existingClaim: 'c', mountPath: '/drop' }];
    expect(listWarnings(readNotes(valuesOf({ ...INLINE, config: withDrop('/drop/hr'), drops }, TOKEN)))).toEqual([]);
    const extraEnv = [{ name: 'TALENT_API_KEY', valueFrom: { secretKeyRef: { name: 'a', key: 'b' } } }];
    const variable = { ...INLINE, existingSecrets: [], extraEnv };
    expect(listWarnings(readNotes(valuesOf(variable, TOKEN)))).toEqual([]);
  });

  function withDrop(folder: string, back: string | null = null): string {
    const told = back === null ? '' : `, write_back: { drop: "${back}" }`;
    const stream = `people: { pattern: "*.csv", key: id, columns: { id: string }${told} }`;
    return configText().replace('users:', `  crm: { type: crm, drop: "${folder}", streams: { ${stream} } }\nusers:`);
  }
});
