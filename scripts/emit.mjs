// Makes dist/ again, so that files of modules that are gone do not linger. The types are checked on the way, unless they have just been: --unchecked.
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
const flags = process.argv.includes('--unchecked') ? ['--noCheck'] : [];
try {
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.', ...flags], { stdio: 'inherit' });
} catch {
  process.exit(1);
}
chmodSync('dist/main.js', 0o755);
