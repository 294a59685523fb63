import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.js';
import type { FixtureInput } from '../../src/sandbox/fixture/fixture.js';
import { createSandbox } from '../../src/sandbox/sandbox.js';
import { closeAfterTest } from '../closing.js';
import { sweep } from '../depth.js';
import { ROOT } from '../module-graph.js';
import { sandboxCommand } from '../sandbox/sandbox-command.js';
import { lazily, renderChart } from './chart.js';
import { type Manifest, pick, pickContainer, readAt } from './manifest.js';

const all = lazily(() => renderChart('demo-values.yaml'));

function dataOf(map: Manifest): Record<string, string> {
  return map.data as Record<string, string>;
}

async function type(words: readonly string[], env: NodeJS.ProcessEnv): Promise<{ code: number; json: unknown }> {
  let [text, code] = ['', 0];
  const stdout = new Writable({
    write(chunk, _, done) {
      text += String(chunk);
      done();
    },
  });
  const stderr = new Writable({ write: (_, __, done) => done() });
  const setExitCode = (given: number): void => {
    code = given;
  };
  const program = buildProgram({ stdout, stderr, env, setExitCode, exit: setExitCode });
  await program.parseAsync(words, { from: 'user' });
  return { code, json: JSON.parse(text) };
}

sweep('the tenant of ci/demo-values.yaml synchronises with its sandbox', async () => {
  const { 'account.json': account = '', ...drop } = dataOf(pick(all(), 'ConfigMap', 'talent-sandbox'));
  const sandbox = await createSandbox({ fixture: JSON.parse(account) as FixtureInput });
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-demo-'));
  closeAfterTest({ close: () => rmSync(folder, { recursive: true, force: true }) });
  closeAfterTest(sandbox);
  mkdirSync(join(folder, 'hr'));
  for (const [name, text] of Object.entries(drop)) writeFileSync(join(folder, 'hr', name), text);
  const { 'demo.yaml': config = '' } = dataOf(pick(all(), 'ConfigMap', 'prod-talent-sync-demo'));
  const moved = [
    ['http://talent-sandbox:8080', sandbox.url],
    ['/var/lib/talent-sync', join(folder, 'state')],
    ['/drop/hr', join(folder, 'hr')],
  ] as const;
  for (const [from] of moved) expect(config).toContain(from);
  const file = join(folder, 'demo.yaml');
  writeFileSync(
    file,
    moved.reduce((text, [from, to]) => text.replaceAll(from, to), config),
  );
  const env = Object.fromEntries(
    pickContainer(all(), 'prod-talent-sync-demo').env.flatMap(({ name, value }) =>
      value === undefined ? [] : [[name, value]],
    ),
  );

  expect(await type(['check', '--config', file, '--json'], env)).toMatchObject({ code: 0, json: { ok: true } });
  const first = await type(['sync', '--config', file, '--json'], env);
  expect(first).toMatchObject({ code: 0, json: { done: 3, counts: { users: { create: 2, update: 1 } } } });
  expect(await type(['sync', '--config', file, '--json'], env)).toMatchObject({
    code: 0,
    json: { done: 0, failed: [] },
  });
});

sweep('docs/guides/kubernetes.md names its Deployment', () => {
  const page = readFileSync(join(ROOT, 'docs', 'guides', 'kubernetes.md'), 'utf8');
  const [, release = '', name = ''] =
    /helm install (\w+) [^\n]*demo-values\.yaml[\s\S]*?exec deploy\/([\w-]+)/.exec(page) ?? [];
  expect(pick(renderChart('demo-values.yaml', { release }), 'Deployment', name).kind).toBe('Deployment');
});

test('the sandbox listens where the tenant expects it, and starts with existing flags', () => {
  const service = pick(all(), 'Service', 'talent-sandbox');
  const deployment = pick(all(), 'Deployment', 'talent-sandbox');
  expect(readAt(deployment, 'spec.template.metadata.labels')).toEqual(readAt(service, 'spec.selector'));
  expect(readAt(service, 'spec.ports')).toEqual([{ port: 8080 }]);
  const { args, image, volumeMounts } = pickContainer(all(), 'talent-sandbox');
  expect(image).toBe(pickContainer(all(), 'prod-talent-sync-demo').image);
  const flags = sandboxCommand().options.map(({ long }) => long);
  for (const flag of args.filter((arg) => arg.startsWith('--'))) expect(flags).toContain(flag);
  expect(args.at(-1)).toBe(`${volumeMounts[0]?.mountPath}/account.json`);
  const ports = readAt(pick(all(), 'NetworkPolicy'), 'spec.egress.1.ports') as readonly { readonly port: number }[];
  expect(ports.map(({ port }) => port)).toContain(8080);
});
