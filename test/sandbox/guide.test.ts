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

/*
 * Checks docs/reference/sandbox.md further than test/newcomer does: the parts that need packages, and the content of its tables.
 */

const PAGE = readFileSync(join(ROOT, 'docs/reference/sandbox.md'), 'utf8');
const FENCES = readFences(PAGE);
const BIN = join(ROOT, 'node_modules');

/** Returns the block for this file. */
function readBlock(name: string): string {
  const found = FENCES.find(({ attributes }) => attributes.file === name);
  return found?.text ?? expect.unreachable(`the page has no ${name}`);
}

/** A sandbox started like on the page, in a folder with its TypeScript tests. */
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

/** Calls that the types must reject. TypeScript itself reports an expectation without an error. */
const WRONG = `import createClient from 'openapi-fetch';
import type { paths } from './talent-service.d.ts';
const service = createClient<paths>();
// @ts-expect-error there is no such path
service.GET('/api/v1/users/fnid', { params: { query: { email: 'a@example.com' } } });
// @ts-expect-error there is no such parameter
service.GET('/api/v1/users/find', { params: { query: { mail: 'a@example.com' } } });
`;

/** This skips the declarations of packages, but checks those of the document as a source. */
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
  'the TypeScript tests compile with types of the OpenAPI document, and pass',
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

test('the fixture loads, and the table names every kind of fault', async () => {
  const { send } = await openSandbox({ fixture: JSON.parse(readBlock('fixture.json')) });
  expect((await findUser(send, 'E1')).name).toBe('Anna');
  const documented = (pattern: RegExp) => [...PAGE.matchAll(pattern)].map((match) => match[1]);
  expect(documented(/^\| `(\w+)` \|/gm).sort()).toEqual([...FaultRule.shape.kind.options].sort());
});

test('the rules for faults are valid', () => {
  expect(FaultRule.array().parse(JSON.parse(readBlock('faults.json'))).length).toBe(3);
});

test('every flag given to the sandbox exists', () => {
  const sandbox = sandboxCommand();
  const known = [sandbox, ...sandbox.commands].flatMap(({ options }) => options.map((option) => option.long));
  const given = [...PAGE.matchAll(/(?:talent-sandbox|talent-sync sandbox|command: \[)([^`\n\]]*(?:\\\n.*)?)/g)].flatMap(
    ([, rest = '']) => rest.match(/--[\w-]+/g) ?? [],
  );
  expect(given.length).toBeGreaterThan(5);
  expect(given.filter((flag) => !known.includes(flag))).toEqual([]);
});

test('every link in the table of contents has a target', () => {
  const anchors = [...PAGE.matchAll(/^##+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
  const links = [...PAGE.matchAll(/\]\(#([\w-]+)\)/g)].map(([, link = '']) => link);
  expect(links.filter((link) => !anchors.includes(link))).toEqual([]);
});
