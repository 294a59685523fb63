// Programs that are run to be measured, and the sandbox that they talk to.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const main = new URL('../../dist/main.js', import.meta.url).pathname;

export async function startSandbox(folder, fixture) {
  writeFileSync(join(folder, 'fixture.json'), JSON.stringify(fixture));
  const child = spawn(process.execPath, [main, 'sandbox', '--fixture', join(folder, 'fixture.json')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { url, control_key: key } = JSON.parse(line);
    const control = async (method, path, body) => {
      const answer = await fetch(`${url}/__sandbox/${path}`, {
        method,
        headers: { 'x-control-key': key, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
      return answer.status === 204 ? null : answer.json();
    };
    return { url, control, close: () => child.kill() };
  }
  throw new Error('the sandbox did not start');
}

/** Runs a program to its end: its document, seconds by the clock and of the processor, and peak memory in MiB. */
export async function measure(folder, args, { env = {}, codes = [0] } = {}) {
  const usage = join(folder, 'usage.json');
  // What a process has used is known to itself alone: it writes it down as it leaves.
  const noteUsage = `import { writeFileSync } from 'node:fs';
process.on('exit', () => writeFileSync(${JSON.stringify(usage)}, JSON.stringify(process.resourceUsage())));`;
  const startedMs = performance.now();
  const load = `data:text/javascript,${encodeURIComponent(noteUsage)}`;
  const child = spawn(process.execPath, ['--import', load, ...args], {
    env: { ...process.env, API_KEY: 'bench-key', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (!codes.includes(code)) throw new Error(`${args.join(' ')} ended with ${code}: ${text}`);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(readFileSync(usage, 'utf8'));
  return {
    document: JSON.parse(text),
    seconds: (performance.now() - startedMs) / 1_000,
    cpu: (userCPUTime + systemCPUTime) / 1e6,
    mib: maxRSS / 1_024,
  };
}
