import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ROOT } from '../module-graph.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'talent-sync-drops-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const HEADER =
  'employee_id,first_name,last_name,display_name,email,country,department,unit,party,job_title,mobile,birth_date';

function employee(id: string, department: string, party: string): string {
  return `${id},Person,${id},Person ${id},${id.toLowerCase()}@example.com,us,${department},Senate,${party},Senator,,1960-01-01`;
}

interface Drop {
  readonly people: readonly string[];
  /** Id and name. */
  readonly projects: readonly (readonly [string, string])[];
  /** Project, person and role. */
  readonly staffing: readonly string[];
}

function deliver(date: string, { people, projects, staffing }: Drop): void {
  const put = (name: string, text: string): void => writeFileSync(join(folder, date, name), text);
  mkdirSync(join(folder, date));
  put('employees.csv', `${[HEADER, ...people].join('\n')}\n`);
  put('staffing.csv', `${['project_id,employee_id,role,rank', ...staffing.map((row) => `${row},1`)].join('\n')}\n`);
  put('customers.json', JSON.stringify({ results: [{ id: 'COMM', name: 'Committee', url: '', description: '' }] }));
  put(
    'projects.json',
    JSON.stringify({ results: projects.map(([id, name]) => ({ id, customer_id: 'COMM', name, address: '' })) }),
  );
}

/** The rows of the printed table: date, writes sent, forecast, minimum, and later writes. */
function runDrops(): { readonly status: number | null; readonly rows: readonly (readonly (string | undefined)[])[] } {
  const script = join(ROOT, 'scripts', 'run-drops.mjs');
  const { status, stdout } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
  const lines = stdout.trim().split('\n').slice(2);
  const cells = lines.map((line) => line.split('|').map((cell) => cell.trim()));
  return { status, rows: cells.map((row) => [1, 3, 4, 5, 9].map((index) => row[index])) };
}

test('sends the writes of the forecast and the minimum for dated drops, and unlinks nobody for a shrunken feed', () => {
  deliver('2024-01-01', {
    people: [employee('E1', 'OH', 'Blue'), employee('E2', 'WA', 'Red'), employee('E3', 'WA', 'Red')],
    projects: [
      ['COMM01', 'Forests'],
      ['COMM02', 'Farms'],
    ],
    staffing: ['COMM,E3,Member', 'COMM,E1,Chair', 'COMM01,E1,Chair', 'COMM01,E2,Member', 'COMM02,E3,Member'],
  });
  deliver('2024-02-01', {
    people: [employee('E1', 'OH', 'Blue'), employee('E2', 'WA', 'Red'), employee('E4', 'OH', 'Red')],
    projects: [
      ['COMM01', 'Forests'],
      ['COMM02', 'Farms and Fields'],
    ],
    staffing: ['COMM01,E1,Member', 'COMM02,E4,Chair', 'COMM02,E2,Member'],
  });
  // 2 offices, 2 categories, 3 tags, 3 people, 1 customer, 2 projects, 2 calls that link, 3 roles. Then a joiner, a
  // leaver,
  // a new name, 1 call that links 2 people, 3 roles.
  expect(runDrops()).toEqual({
    status: 0,
    rows: [
      ['2024-01-01', '18', '18', '18', 'replan: nothing; 3 links, each once'],
      ['2024-02-01', '7', '7', '7', 'replan: nothing; 5 links, each once'],
    ],
  });
});
