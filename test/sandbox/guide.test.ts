import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.js';
import { FaultRule } from '../../src/sandbox/server/faults.js';
import { closeAfterTest } from '../closing.js';
import { sweep } from '../depth.js';
import { ROOT } from '../module-graph.js';
import { readFences } from '../newcomer/fences.js';
import { findUser, openSandbox } from './open-sandbox.js';
import { sandboxCommand } from './sandbox-command.js';

/* docs/reference/sandbox.md, beyond what test/newcomer does as its reader: what needs packages, and what its tables hold. */

const PAGE = readFileSync(join(ROOT, 'docs/reference/sandbox.md'), 'utf8');
const FENCES = readFences(PAGE);
const BIN = join(ROOT, 'node_modules');

/** The block that is this file. */
function readBlock(name: string): string {
  const found = FENCES.find(({ attributes }) => attributes.file === name);
  return found?.text ?? expect.unreachable(`the page has no ${name}`);
}

/** A sandbox as the page starts it, in a folder with the tests in TypeScript. */
async function followPage() {
  const sandbox = await createSandbox({ fixture: JSON.parse(readBlock('account.json')), controlKey: 'test-control' });
  closeAfterTest(sandbox);
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-guide-'));
  closeAfterTest({ close: () => rmSync(folder, { recursive: true }) });
  writeFileSync(join(folder, 'talent.test.ts'), readBlock('talent.test.ts'));
  const run = async (file: string, args: readonly string[]): Promise<{ stdout: string; stderr: string }> =>
    promisify(execFile)(file, [...args], {
      cwd: folder,
      env: { ...process.env, TALENT_URL: sandbox.url, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' },
    });
  return { url: sandbox.url, folder, run };
}

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

sweep(
  'the tests in TypeScript compile against types of the OpenAPI document, and pass',
  {
    timeout: 60_000,
  },
  async () => {
    const { url, folder, run } = await followPage();
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
  },
);

test('its fixture loads, and its table names every kind of fault', async () => {
  const { send } = await openSandbox({ fixture: JSON.parse(readBlock('fixture.json')) });
  expect((await findUser(send, 'E1')).name).toBe('Anna');
  const documented = (pattern: RegExp) => [...PAGE.matchAll(pattern)].map((match) => match[1]);
  expect(documented(/^\| `(\w+)` \|/gm).sort()).toEqual([...FaultRule.shape.kind.options].sort());
});

test('its rules of faults are some', () => {
  expect(FaultRule.array().parse(JSON.parse(readBlock('faults.json'))).length).toBe(3);
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
