import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTool } from '../tools.js';

/** Runs `promtool` on these rules, with invented series. Call it inside a test. */
export function runPromtool(what: 'check' | 'test', rules: unknown, tests: object = {}): string {
  const tool = findTool('promtool');
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-rules-'));
  try {
    writeFileSync(join(folder, 'rules.json'), JSON.stringify(rules));
    writeFileSync(join(folder, 'test.json'), JSON.stringify({ rule_files: ['rules.json'], ...tests }));
    const args = what === 'check' ? ['check', 'rules', 'rules.json'] : ['test', 'rules', 'test.json'];
    const { status, stdout, stderr } = spawnSync(tool, args, { cwd: folder, encoding: 'utf8' });
    return `${status === 0 ? 'SUCCESS' : 'FAILED'}\n${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
