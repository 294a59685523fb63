import { execSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Console } from '../../../src/cli/context.js';
import { type DemoServices, resumeServices } from '../../../src/cli/demo/services.js';
import { SUGGESTIONS } from '../../../src/cli/demo/where-to-go.js';
import { locateWorkplace } from '../../../src/cli/demo/workplace.js';
import { runDemo } from '../../../src/cli/demo.js';
import { buildProgram } from '../../../src/cli/program.js';
import { sweep } from '../../depth.js';

interface Captured {
  readonly console: Console;
  stdout(): string;
  stderr(): string;
  exitCode(): number | null;
}

function captureConsole(): Captured {
  let exitCode: number | null = null;
  const collect = () => {
    const stream = new PassThrough();
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
    return { stream, read: () => text };
  };
  const [out, err] = [collect(), collect()];
  return {
    console: {
      stdout: out.stream,
      stderr: err.stream,
      env: {},
      setExitCode: (code) => {
        exitCode = code;
      },
      exit: () => undefined,
    },
    stdout: out.read,
    stderr: err.read,
    exitCode: () => exitCode,
  };
}

const User = z.object({
  email: z.string(),
  external_unique_id: z.string().nullable(),
  upn: z.string().nullable(),
  name: z.string(),
  telephone: z.string().nullable(),
  office: z.string(),
  roles: z.array(z.string()),
  tags: z.array(z.string()),
  deactivated: z.boolean(),
});

let folder = '';
let told: Captured;
let services: DemoServices;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talent-sync-demo-test-'));
  told = captureConsole();
  await runDemo(told.console, { dir: folder }, buildProgram);
  services = await resumeServices(locateWorkplace(folder));
});

afterAll(async () => {
  await services?.close();
  await rm(folder, { recursive: true, force: true });
});

function usersByKey(): ReadonlyMap<string, z.infer<typeof User>> {
  const users = services.sandbox.state().users.map((user) => User.parse(user));
  return new Map(users.map((user) => [user.external_unique_id ?? user.email, user]));
}

async function perform(command: string): Promise<Captured> {
  const captured = captureConsole();
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const args = [...words.slice(1), '--config', join(folder, 'talent-sync.yaml')];
  await buildProgram(captured.console).parseAsync(args, { from: 'user' });
  return captured;
}

describe('the demo', () => {
  test('succeeds without warnings', () => {
    // On a slow machine, it also prints its progress.
    expect(told.stderr().replace(/^applying: .*\n/gm, '')).toBe('');
    expect(told.exitCode()).toBe(0);
  });

  test('shows the first plan, its application, and that both sides are equal', () => {
    const text = told.stdout();
    expect(text).toContain('+ create      2 offices, 2 tag categories, 9 tags, 199 users, 40 customers, 120 projects');
    expect(text).toContain('373 changes done');
    expect(text).toContain('488 writes (forecast 488)');
    expect(text).toContain('nothing to change: both sides are equal');
  });

  test('shows the values for HR: a number that a colleague changed, and the ids of joiners', () => {
    const text = told.stdout();
    expect(text).toContain('To hr: 200 records, 200 values');
    expect(text).toContain('To hr: 7 records, 7 values');
    expect(text).toContain('phone  "+47 555 01002" → "+47 555 01999"');
    expect(text).toMatch(/ {2}wrote back to hr: 200 records \(talent-r\S+\.csv\)\n/);
    expect(text).toMatch(/ {4}employee_id;phone;talent_id\n {4}E-1002;\+47 555 01999;[0-9a-f]{24}\n/);
    expect(text).toMatch(/ {4}E-1206;\+47 555 01206;[0-9a-f]{24}\n/);
    expect(text).toContain('1 record written back to hr and not shown by it yet, for ');
  });

  test('shows the second plan with reasons and held records', () => {
    const text = told.stdout();
    expect(text).toContain('11 changes, 3 records held');
    expect(text).toContain('office    "se/Göteborg" → "no/Oslo"');
    expect(text).toContain('email  "ida.braten@example.com" → "ida.solheim@example.com"');
    expect(text).toContain('missing from 1 complete read of hr, the last one employees-2026-03-09.csv with 206 rows');
    expect(text).toContain('? user E-1044 (hr employees-2026-03-09.csv:45)  SYNC_ROW_FIELDS');
    expect(text).toContain('? user E-1058 (hr employees-2026-03-09.csv:59)  SYNC_MAP_VALUE');
    expect(text).toContain('? user E-1073 (hr employees-2026-03-09.csv:74 and :207)  SYNC_MAP_DUPLICATE_KEY');
  });

  test('creates no leavers from a truncated or a filtered file', () => {
    const text = told.stdout();
    expect(text).toContain('! Source hr employees-2026-03-16.csv is incomplete');
    expect(text).toContain('! Guard users.deactivate holds 94 changes: 97 found, 4 allowed');
    expect(text).toContain('Cause: source shrank — 97 would leave today: 94 in this run, 3 earlier today');
  });

  test('verifies the audit: 373 and 11 changes, 200 and 7 records written back to HR, and two runs', () => {
    expect(told.stdout()).toContain('The audit log is intact: 593 entries');
  });

  test('prints no colours into a pipe, and no line much wider than a terminal', () => {
    expect(told.stdout()).not.toContain('\u001b');
    const wide = told
      .stdout()
      .split('\n')
      .filter((line) => line.length > 130 && !line.includes(folder));
    expect(wide).toEqual([]);
  });

  test('prints chapters with headings, each of which fits on a screen', () => {
    const rows = told
      .stdout()
      .trimEnd()
      .split('\n')
      .flatMap((line) => line.match(/.{1,100}/gu) ?? ['']);
    const starts = rows.flatMap((row, at) => (row.startsWith('── ') ? [at] : []));
    expect(starts[0]).toBe(0);
    expect(starts.length).toBeGreaterThan(10);
    const chapters = starts.map((start, index) =>
      rows
        .slice(start, starts[index + 1])
        .join('\n')
        .trimEnd(),
    );
    expect(chapters.filter((chapter) => chapter.split('\n').length > 24)).toEqual([]);
  });

  test('keeps the complete output of its commands', async () => {
    const [first = ''] = (await readdir(join(folder, 'printed'))).sort();
    expect(told.stdout()).toMatch(/\n {4}… \d+ more lines in printed\/01-plan\.txt\n/);
    expect(await readFile(join(folder, 'printed', first), 'utf8')).toContain('projects to create (120): in crm.deals');
  });

  test('makes the service match HR', () => {
    const users = usersByKey();
    expect(users.size).toBe(207);
    expect(users.get('E-1017')).toMatchObject({ name: 'Linnéa Åkerström', office: 'no/Oslo', deactivated: false });
    expect(users.get('E-1031')).toMatchObject({
      name: 'Ida Bråten Solheim',
      email: 'ida.solheim@example.com',
      upn: 'ida.solheim@example.com',
    });
    expect(users.get('E-1136')).toMatchObject({ name: 'Maren Ødegård', office: 'no/Trondheim', deactivated: false });
    expect(users.get('E-1002')).toMatchObject({
      name: 'Kari Nordmann',
      email: 'kari.nordmann@example.com',
      telephone: '+47 555 01999',
    });
    const left = [...users.values()].filter(({ deactivated }) => deactivated).map(({ external_unique_id: id }) => id);
    expect(left.sort()).toEqual(['E-1089', 'E-1104', 'E-1120']);
    for (const joiner of ['E-1202', 'E-1203', 'E-1204', 'E-1205', 'E-1206']) {
      expect(users.get(joiner)?.deactivated).toBe(false);
    }
    expect(users.get('E-1203')).toMatchObject({
      name: '山田 花子',
      office: 'no/Bergen',
      telephone: '+47 555 01203',
      roles: ['consultant'],
      tags: ['business_unit/design', 'seniority/senior'],
    });
    // HR has no column for roles in the service.
    expect([...users.values()].filter(({ roles }) => roles.includes('countrymanager'))).toEqual([]);
  });

  test('leaves held people unchanged', () => {
    const users = usersByKey();
    expect(users.get('E-1044')).toMatchObject({ office: 'no/Bergen', deactivated: false });
    expect(users.get('E-1058')).toMatchObject({ email: 'kaethe.weiss@example.com', deactivated: false });
    expect(users.get('E-1073')).toMatchObject({ name: '王伟', office: 'se/Stockholm', deactivated: false });
  });

  test('contains names in nine scripts', async () => {
    const file = await readFile(join(folder, 'drop', 'hr', 'employees-2026-03-02.csv'), 'utf8');
    const scripts = ['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Devanagari', 'Han', 'Hiragana', 'Hangul'];
    expect(scripts.filter((script) => !new RegExp(`\\p{Script=${script}}`, 'u').test(file))).toEqual([]);
    expect(file.startsWith('\ufeffemployee_id;name;email;')).toBe(true);
  });

  test('rejects a folder that is not empty', async () => {
    const again = captureConsole();
    await runDemo(again.console, { dir: folder }, buildProgram);
    expect(again.exitCode()).toBe(1);
    expect(again.stderr()).toContain('The folder is not empty');
  });
});

sweep('the commands suggested by the demo work when it is served again', async () => {
  const exitCodes: Record<string, number | null> = {};
  const texts: string[] = [];
  for (const command of SUGGESTIONS.flatMap(({ commands }) => commands)) {
    if (command.endsWith('--help')) continue;
    expect(told.stdout()).toContain(`  ${command}\n`);
    if (!command.startsWith('./talent-sync ')) {
      execSync(command, { cwd: folder });
      continue;
    }
    const done = await perform(command);
    expect(done.stderr(), command).toBe('');
    texts.push(done.stdout());
    exitCodes[`${texts.length} ${command.split(' ')[1]}`] = done.exitCode();
  }
  expect(exitCodes).toEqual({
    '1 plan': 4, // the three held records
    '2 check': 0,
    '3 explain': 0,
    '4 plan': 4,
    '5 apply': 4,
    '6 plan': 0, // fixed
    '7 apply': 0,
    '8 audit': 0,
    '9 plan': 3, // the guard
    '10 approve': 0,
    '11 apply': 3, // the others are still held
  });
  expect(texts[0]).toContain('nothing to change, 3 records held');
  expect(texts[2]).toContain('SYNC_ROW_FIELDS');
  expect(texts[6]).toContain('1 change done');
  expect(usersByKey().get('E-1073')?.office).toBe('se/Malmö');
  expect(texts[10]).toContain('1 change done');
  expect(usersByKey().get('E-1058')?.deactivated).toBe(true);
});
