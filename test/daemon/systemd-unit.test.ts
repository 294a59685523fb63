import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { sweep } from '../depth.js';
import { ROOT } from '../module-graph.js';
import { makeFolder } from '../samples.js';
import { buildConfig } from '../scenarios/company.js';
import { openStory } from '../scenarios/kit.js';
import { findTool } from '../tools.js';
import { startProgram, waitUntil } from './daemon-process.js';

const PAGE = readFileSync(join(ROOT, 'docs/guides/running.md'), 'utf8');
const UNIT = /```ini\n([\s\S]*?)```/.exec(PAGE)?.[1] ?? '';

/** For example, `Service.User` → `talent-sync`. */
function readUnit(): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  let section = '';
  for (const line of UNIT.split('\n')) {
    section = /^\[(\w+)\]$/.exec(line)?.[1] ?? section;
    const [, name, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) settings.set(`${section}.${name}`, value);
  }
  return settings;
}

test('the unit in docs/guides/running.md is valid for systemd', () => {
  const file = join(makeFolder(), 'talent-sync.service');
  writeFileSync(file, UNIT.replace('/usr/local/bin/talent-sync', process.execPath));
  const { status, stderr } = spawnSync(findTool('systemd-analyze'), ['verify', '--man=no', file], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('starts with the system, reloads, has time to stop, and uses its state folder', () => {
  const unit = readUnit();
  expect(unit.get('Install.WantedBy')).toBe('multi-user.target');
  expect(unit.get('Service.ExecReload')).toBe('/bin/kill -HUP $MAINPID');
  expect(Number(unit.get('Service.TimeoutStopSec'))).toBeGreaterThan(25);
  const folder = `/var/lib/${unit.get('Service.StateDirectory')}`;
  expect(/^state: (.*)$/m.exec(PAGE)?.[1]).toBe(`${folder}/acme`);
  expect(PAGE).toContain(`useradd --system --home-dir ${folder} `);
  expect(PAGE).toContain(`/dev/null ${unit.get('Service.EnvironmentFile')} `);
});

sweep('the command of the unit runs a tenant from the folder named on the page', async () => {
  const story = await openStory();
  const [, args = ''] = /^\S+ (.*)$/.exec(readUnit().get('Service.ExecStart') ?? '') ?? [];
  const etc = join(story.folder, 'etc');
  const tenants = join(etc, /--config \/etc\/(\S+)/.exec(args)?.[1] ?? '');
  mkdirSync(tenants, { recursive: true });
  const state = join(story.folder, 'var/lib/talent-sync/acme');
  const config = { ...(buildConfig(story.sandbox.url) as object), state, schedule: { every: '0 0 1 1 *' } };
  writeFileSync(join(tenants, 'acme.yaml'), stringify(config));
  const program = startProgram(story, [...args.replace('/etc', etc).split(' '), '--port', '0']);
  await waitUntil('the tenant is ready', () => program.stderr().includes('"msg":"tenant ready"'));
  expect(program.stderr()).toContain(`"state":"${state}"`);
  program.send('SIGTERM');
  expect((await program.ended).code).toBe(0);
});
