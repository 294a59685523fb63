import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENDPOINTS } from '../../../src/service/endpoints.js';

/** The variable that names the file in which test files note their calls. */
const NOTES = 'TALENT_SYNC_CONTRACT_NOTES';

interface Noted {
  readonly method: string;
  readonly route: string;
  readonly status: number;
}

/** Unifies the spellings of the service, the sandbox and the client, as `GET /api/v1/users/*`. */
export function normaliseRoute(method: string, path: string): string {
  return `${method} ${path.replace(/\{\w+\}|:\w+/g, '*').replace(/\/$/, '')}`;
}

/** Notes the endpoints that a test file called, with their answers. */
export function noteCalls(testFile: string, calls: readonly Noted[]): void {
  const file = process.env[NOTES];
  if (file === undefined) return;
  const lines = calls.map(({ method, route, status }) => `${testFile}\t${normaliseRoute(method, route)}\t${status}\n`);
  appendFileSync(file, `${testFile}\n${lines.join('')}`);
}

/** vitest calls this before all tests. */
export function setup(): void {
  const file = join(mkdtempSync(join(tmpdir(), 'talent-sync-contract-')), 'calls.tsv');
  writeFileSync(file, '');
  process.env[NOTES] = file;
}

/**
 * vitest calls this after all tests. It requires that contract tests called every endpoint in the client's table
 * successfully. It checks nothing if only some of the files ran.
 */
export function teardown(): void {
  const file = process.env[NOTES];
  if (file === undefined) return;
  const noted = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split('\t'));
  rmSync(join(file, '..'), { recursive: true });
  const ran = new Set(noted.map(([testFile]) => testFile));
  const files = readdirSync(import.meta.dirname).filter(
    (name) =>
      /^[^.]+\.test\.ts$/.test(name) &&
      readFileSync(join(import.meta.dirname, name), 'utf8').includes("from './open-service.js'"),
  );
  if (!files.every((name) => ran.has(name))) return;
  const held = new Set(
    noted.flatMap(([testFile, call = '', status = '']) =>
      testFile !== 'endpoints.test.ts' && Number(status) < 400 && status !== '' ? [call] : [],
    ),
  );
  const missing = Object.values(ENDPOINTS)
    .map(({ method, path }) => normaliseRoute(method, path))
    .filter((call) => !held.has(call));
  if (missing.length === 0) return;
  // A thrown error is printed, but does not fail the run by itself.
  process.exitCode = 1;
  throw new Error(`no contract test calls these endpoints with success: ${missing.join(', ')}`);
}
