// Runs scripts of package.json at the same time, and ends with 1 when one of them fails.
import { spawn } from 'node:child_process';

const codes = await Promise.all(
  process.argv.slice(2).map(
    (name) =>
      new Promise((resolve) => {
        spawn('npm', ['run', '--silent', name], { stdio: 'inherit', shell: process.platform === 'win32' }).on('close', resolve);
      }),
  ),
);
process.exitCode = codes.every((code) => code === 0) ? 0 : 1;
