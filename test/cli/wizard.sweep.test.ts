import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { sweep } from '../depth.js';
import { openStory, type Story } from '../scenarios/kit.js';
import { findTool } from '../tools.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const CTRL_C = '\u0003';

interface Typed {
  readonly lines: readonly string[];
  readonly code: number | null;
  /** Answers left over without a question. */
  readonly left: readonly string[];
}

/** Runs `init` on a terminal of 80 columns, and types an answer at each question. */
async function typeAt(story: Story, flags: string, answers: readonly string[]): Promise<Typed> {
  const command = `stty cols 80 rows 50; exec ${process.execPath} ${MAIN} init ${flags}`;
  const child = spawn(findTool('script'), ['-qec', command, '/dev/null'], {
    cwd: story.folder,
    env: { ...process.env, ...story.env, CI: '', TERM: 'xterm', NO_COLOR: '1' },
  });
  const left = [...answers];
  let shown = '';
  let seen = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    shown += String(chunk);
    const now = stripVTControlCharacters(shown);
    if (!/: $/.test(now) || now.length === seen) return;
    seen = now.length;
    const next = left.shift();
    if (next !== undefined) child.stdin.write(next === CTRL_C ? next : `${next}\r`);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  // A line that was redrawn has its last text after a carriage return.
  const lines = shown.split(/\r*\n/).map((line) => stripVTControlCharacters(line).split('\r').at(-1) ?? '');
  return { lines, code, left };
}

/** A single path may be too wide, so that people can copy it. */
function isTooWide(line: string): boolean {
  return line.length > 80 && /\S\s/.test(line.trim());
}

function deliver(story: Story): string {
  rmSync(story.configFile, { force: true });
  mkdirSync(join(story.folder, 'drop/hr'), { recursive: true });
  const file = join(story.folder, 'drop/hr/staff.csv');
  const rows = ['1;Berg, Ann;ann@example.com;Adviser;03/04/2019', '2;Lund, Bo;bo@example.com;Adviser;05/06/2020'];
  writeFileSync(file, `Nr;Name, First name;Work email;Title;Hire date\n${rows.join('\n')}\n`);
  const longAgo = new Date(Date.now() - 3_600_000);
  utimesSync(file, longAgo, longAgo);
  return 'drop/hr/staff.csv';
}

test('asks only for unknown facts, tries the answers, and ends with a dry run, in 80 columns', async () => {
  const story = await openStory();
  const file = deliver(story);
  const { lines, code, left } = await typeAt(story, '', [
    'drop/hr/absent.csv',
    file,
    '',
    'http://127.0.0.1:1',
    '',
    'en',
    'day',
  ]);
  const text = lines.join('\n');
  expect(left).toEqual([]);
  expect(text).toContain('SYNC_SOURCE_UNREADABLE');
  expect(text).toContain('staff.csv: 2 rows, 5 columns, key Nr');
  expect(text.replaceAll(/\s+/g, ' ')).toContain('The account could not be read: The service could not be reached');
  expect(text).toContain('What comes first in dates such as "03/04/2019"? (day, month) [day]: ');
  // The dry run against a service that does not exist.
  expect(code).toBe(1);
  expect(text).toContain('SYNC_SERVICE_DOWN');
  expect(lines.filter(isTooWide)).toEqual([]);
  expect(readFileSync(story.configFile, 'utf8')).toContain('"Hire date": { type: date, format: "dd/MM/yyyy" }');
});

sweep('with flags, asks nothing and shows in the dry run what a run would do', async () => {
  const story = await openStory();
  const flags = `--sample ${deliver(story)} --service ${story.sandbox.url} --dates day --office no/Oslo --language en`;
  const { lines, code } = await typeAt(story, flags, []);
  expect(code).toBe(0);
  expect(lines.join('\n')).toMatch(/\+ create +(\d office, )?2 users/);
  expect(lines.filter(isTooWide)).toEqual([]);
});

sweep('ends by Ctrl-C without writing anything', async () => {
  const story = await openStory();
  const { code } = await typeAt(story, '', [deliver(story), CTRL_C]);
  expect(code).toBe(130);
  expect(existsSync(story.configFile)).toBe(false);
});
