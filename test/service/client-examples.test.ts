import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.js';
import { sweep } from '../depth.js';
import { ROOT } from '../module-graph.js';
import { ACCOUNT } from '../sandbox/open-sandbox.js';

interface Example {
  readonly file: string;
  readonly args: readonly string[];
  /** A pattern per printed line. */
  readonly prints: readonly RegExp[];
  /** Run only in thorough runs: another example starts, calls and prints in the same way. */
  readonly isSweep?: true;
}

let sandbox: Sandbox;
let folder: string;

beforeAll(async () => {
  sandbox = await createSandbox({
    fixture: { ...ACCOUNT, account: { ...ACCOUNT.account, features: { hard_linking: true } } },
  });
  folder = mkdtempSync(join(tmpdir(), 'client-examples-'));
  writeFileSync(join(folder, 'people.csv'), 'email,country_code,office_name,name\nnew@example.com,no,Oslo,New\n');
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

/** In order, because later ones use results of earlier ones. `<folder>` stands for the folder with the files. */
const EXAMPLES: readonly Example[] = [
  {
    file: 'list-users.mjs',
    args: [],
    prints: [
      /^anna@example.com\tAnna Åsen\tOslo\tactive$/,
      /^bjorn@example.com\t/,
      /^ext@partner.test\t/,
      /^gone@example.com\tGone Girl\tOslo\tdeactivated$/,
    ],
  },
  {
    ...{ file: 'list-users.mjs', args: ['Bjørn'], isSweep: true },
    prints: [/^bjorn@example.com\tBjørn Berg\tBergen\tactive$/],
  },
  {
    ...{ file: 'cv-report.mjs', args: ['user_report'], isSweep: true },
    prints: [/"Email":"anna@/, /"Email":"bjorn@/, /"Email":"ext@/],
  },
  {
    ...{ file: 'follow-changes.mjs', args: ['2000-01-01T00:00:00Z'], isSweep: true },
    prints: [/\t\w+@/, /\t\w+@/, /\t\w+@/, /\t\w+@/, /^next: 20\d\d-/],
  },
  {
    ...{ file: 'import-users.mjs', args: ['<folder>/people.csv', '--dry-run'], isSweep: true },
    prints: [/^started as task \w+, as a dry run$/],
  },
  { file: 'import-users.mjs', args: ['<folder>/people.csv'], prints: [/^started as task \w+$/], isSweep: true },
  {
    file: 'create-project.mjs',
    args: [],
    prints: [/^customer C-100, project P-100: New dam$/, /^calls: 3 reads, 3 writes$/],
  },
  {
    ...{ file: 'create-project.mjs', args: [], isSweep: true },
    prints: [/^customer C-100, project P-100: New dam$/, /^calls: 3 reads, 0 writes$/],
  },
  {
    ...{ file: 'put-on-project.mjs', args: [], isSweep: true },
    prints: [/^anna@example.com is on P-100 now: section \w+$/],
  },
  { file: 'put-on-project.mjs', args: [], prints: [/^anna@example.com is on P-100 already$/], isSweep: true },
  { file: 'find-people.mjs', args: ['TypeScript'], prints: [/^0 people know TypeScript$/], isSweep: true },
];

async function runExample(file: string, args: readonly string[]): Promise<readonly string[]> {
  const path = join(ROOT, 'examples/client', file);
  const { stdout } = await promisify(execFile)(process.execPath, [path, ...args], {
    env: { ...process.env, TALENT_BASE_URL: sandbox.url, TALENT_API_KEY: 'admin-key' },
  });
  return stdout.trimEnd().split('\n');
}

describe('examples/client', () => {
  for (const { file, args, prints, isSweep } of EXAMPLES) {
    (isSweep ? sweep : it)(['node', file, ...args].join(' '), async () => {
      const lines = await runExample(
        file,
        args.map((arg) => arg.replace('<folder>', folder)),
      );
      expect(lines).toEqual(prints.map((pattern) => expect.stringMatching(pattern)));
    });
  }

  it('all run here', () => {
    const files = readdirSync(join(ROOT, 'examples/client')).filter((name) => name.endsWith('.mjs'));
    expect([...new Set(EXAMPLES.map(({ file }) => file))].toSorted()).toEqual(files.toSorted());
  });

  sweep('report the failed request, and if it is safe to send it again', async () => {
    sandbox.faults.add({ kind: 'status', status: 503, path: '/api/v1/users/import' });
    const failed = runExample('import-users.mjs', [join(folder, 'people.csv')]);
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Answered 503.* Request [\w-]+; sending it again: never\./),
    });
  });
});
