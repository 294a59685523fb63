import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { FaultRule } from '../../src/sandbox/faults.js';
import { createSandbox } from '../../src/sandbox/sandbox.js';
import { closeAfterTest } from '../closing.js';
import { ROOT } from '../module-graph.js';
import { findTool } from '../tools.js';
import { findUser, openSandbox } from './open-sandbox.js';
import { sandboxCommand } from './sandbox-command.js';

/* docs/sandbox.md as its reader follows it: the files that it shows are written out and run. */

const PAGE = readFileSync(join(ROOT, 'docs/sandbox.md'), 'utf8');
const BIN = join(ROOT, 'node_modules');

/** A block with a file's name behind its language. */
function readBlock(language: string, name: string): string {
  const [, text] = new RegExp(`^\`\`\`${language} ${name.replace('.', '\\.')}\n(.*?)^\`\`\``, 'ms').exec(PAGE) ?? [];
  return text ?? expect.unreachable(`the page has no ${name}`);
}

/** A sandbox as the page starts it, in a folder with these files of the page. */
async function followPage(language: string, ...names: readonly string[]) {
  const fixture = JSON.parse(readBlock('json', 'account.json'));
  const sandbox = await createSandbox({ fixture, controlKey: 'test-control' });
  closeAfterTest(sandbox);
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-guide-'));
  closeAfterTest({ close: () => rmSync(folder, { recursive: true }) });
  for (const name of names) writeFileSync(join(folder, name), readBlock(language, name));
  const run = async (file: string, args: readonly string[]): Promise<{ stdout: string; stderr: string }> =>
    promisify(execFile)(file, [...args], {
      cwd: folder,
      env: { ...process.env, TALENT_URL: sandbox.url, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' },
    });
  return { url: sandbox.url, folder, run };
}

test('the calls with curl print what the page says', async () => {
  findTool('curl');
  const { run } = await followPage('sh', 'first-calls.sh');
  const { stdout } = await run('sh', ['first-calls.sh']);
  expect(stdout).toBe(readBlock('text', 'first-calls.sh'));
});

test('the tests in Python pass, with nothing but Python', async () => {
  const python = findTool('python3');
  const { run } = await followPage('python', 'test_talent.py');
  // -I -S: neither the environment nor installed packages.
  const code = "import os, runpy; runpy.run_path('test_talent.py', run_name='__main__')";
  const { stderr } = await run(python, ['-I', '-S', '-c', code]);
  expect(stderr).toMatch(/Ran 3 tests in .*\n\nOK\n$/);
});

/** Of what the types are there to refuse: TypeScript says so itself where there is nothing to expect. */
const WRONG = `import createClient from 'openapi-fetch';
import type { paths } from './talent-service.d.ts';
const service = createClient<paths>();
// @ts-expect-error there is no such path
service.GET('/api/v1/users/fnid', { params: { query: { email: 'a@example.com' } } });
// @ts-expect-error there is no such parameter
service.GET('/api/v1/users/find', { params: { query: { mail: 'a@example.com' } } });
`;

/** The declarations of packages go unchecked; those of the document do not, as a source. */
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'es2022',
    module: 'nodenext',
    types: ['node'],
  },
  files: ['talent.test.ts', 'wrong.ts', 'checked.ts'],
};

test('the tests in TypeScript compile against types of the OpenAPI document, and pass', {
  timeout: 60_000,
}, async () => {
  const { url, folder, run } = await followPage('ts', 'talent.test.ts');
  const node = (program: string, ...args: readonly string[]) => run(process.execPath, [join(BIN, program), ...args]);
  symlinkSync(BIN, join(folder, 'node_modules'));
  const document = `${url}/__sandbox/openapi.json`;
  await node('openapi-typescript/bin/cli.js', document, '-o', 'talent-service.d.ts');
  copyFileSync(join(folder, 'talent-service.d.ts'), join(folder, 'checked.ts'));
  writeFileSync(join(folder, 'wrong.ts'), WRONG);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  expect((await node('typescript/bin/tsc')).stdout).toBe('');
  const { code } = await transform(readFileSync(join(folder, 'talent.test.ts'), 'utf8'), { loader: 'ts' });
  writeFileSync(join(folder, 'talent.test.mjs'), code);
  const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', 'talent.test.mjs']);
  expect(stdout).toMatch(/^# pass 3$/m);
});

test('its fixture is one, and its tables name every flag and every kind of fault', async () => {
  const { send } = await openSandbox({ fixture: JSON.parse(readBlock('json', 'fixture.json')) });
  expect((await findUser(send, 'E1')).name).toBe('Anna');
  const documented = (pattern: RegExp) => [...PAGE.matchAll(pattern)].map((match) => match[1]);
  expect(documented(/^\| `--([\w-]+)/gm)).toEqual(sandboxCommand().options.map((option) => option.name()));
  expect(documented(/^\| `(\w+)` \|/gm).sort()).toEqual([...FaultRule.shape.kind.options].sort());
});

test('its rules of faults are some, and its YAML is YAML', () => {
  expect(FaultRule.array().parse(JSON.parse(readBlock('json', 'faults.json'))).length).toBe(3);
  expect(Object.keys(parse(readBlock('yaml', 'compose.yaml')).services)).toEqual(['talent', 'tests']);
  expect(parse(readBlock('yaml', 'workflow.yaml')).steps.length).toBe(4);
});

test('every flag that it gives to the sandbox is one', () => {
  const sandbox = sandboxCommand();
  const known = [sandbox, ...sandbox.commands].flatMap(({ options }) => options.map((option) => option.long));
  const given = [...PAGE.matchAll(/(?:talent-sandbox|talent-sync sandbox|command: \[)([^`\n\]]*(?:\\\n.*)?)/g)].flatMap(
    ([, rest = '']) => rest.match(/--[\w-]+/g) ?? [],
  );
  expect(given.length).toBeGreaterThan(5);
  expect(given.filter((flag) => !known.includes(flag))).toEqual([]);
});

test('what its table of contents leads to is there', () => {
  const anchors = [...PAGE.matchAll(/^##+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
  const links = [...PAGE.matchAll(/\]\(#([\w-]+)\)/g)].map(([, link = '']) => link);
  expect(links.filter((link) => !anchors.includes(link))).toEqual([]);
});
