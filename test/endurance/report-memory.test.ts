import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { closeAfterTest } from '../closing.js';
import { ROOT } from '../module-graph.js';
import { makeFolder } from '../samples.js';

const CVS = 10_000;
const MOST_MIB = 50;
const KEY = 'key-of-the-account';

/**
 * A process that answers its current and peak memory in MiB. It measures after garbage collection, because V8's own
 * timing
 * depends on how busy the machine is.
 */
const TELL_MEMORY = `data:text/javascript,
let most = 0;
const look = () => {
  gc();
  const { heapUsed, external } = process.memoryUsage();
  const now = (heapUsed + external) / 1048576;
  most = Math.max(most, now);
  return { now, most };
};
setInterval(look, 500).unref();
process.on('message', () => process.send(look()));
process.channel.unref();`;

/** Everyone with ten project experiences; each line is a row of the report. */
function writeFixture(file: string): void {
  const experiences = Array.from({ length: 10 }, (_, index) => ({
    customer: { en: `Customer ${index}` },
    description: { en: `Project ${index}`, no: `Prosjekt ${index}` },
    long_description: { en: 'The work that was done, in a sentence or so.' },
    ...{ month_from: '1', year_from: '2019' },
  }));
  const head = JSON.stringify({
    keys: [{ key: KEY, name: 'Key', role: 'internationalmanager' }],
    countries: [{ code: 'no', native_language_code: 'no', offices: [{ name: 'Oslo' }] }],
  }).slice(0, -1);
  const descriptor = openSync(file, 'w');
  writeSync(descriptor, `${head},"users":[`);
  for (let index = 0; index < CVS; index += 1) {
    const person = { email: `p${index}@example.com`, name: `Person ${index}`, country: 'no', office: 'Oslo' };
    const user = { ...person, cv: { sections: { project_experiences: experiences } } };
    writeSync(descriptor, `${index === 0 ? '' : ','}${JSON.stringify(user)}`);
  }
  writeSync(descriptor, ']}');
  closeSync(descriptor);
}

interface Memory {
  readonly now: number;
  readonly most: number;
}

async function startSandbox(args: readonly string[]) {
  const program = ['--expose-gc', '--import', TELL_MEMORY, 'dist/main.js', 'sandbox', ...args];
  const child = spawn(process.execPath, program, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore', 'ipc'] });
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'close');
  };
  closeAfterTest({ close });
  const [line] = await once(createInterface({ input: child.stdout as Readable }), 'line');
  const { url } = JSON.parse(String(line)) as { readonly url: string };
  return {
    close,
    async call<T>(method: string, path: string, body?: object): Promise<T> {
      const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
      const answer = await fetch(`${url}${path}`, { method, headers, body: body ? JSON.stringify(body) : null });
      expect(answer.status).toBe(200);
      return (await answer.json()) as T;
    },
    async readMemory(): Promise<Memory> {
      child.send('memory');
      const [memory] = await once(child, 'message');
      return memory as Memory;
    },
  };
}

interface Report {
  readonly _id: string;
  readonly state: string;
  readonly number_of_cvs: number;
  readonly cv_report: { readonly url: string };
}

test(`makes and sends a spreadsheet of ${CVS} CVs with at most ${MOST_MIB} MiB more memory`, {
  timeout: 240_000,
}, async () => {
  const folder = makeFolder();
  const fixture = join(folder, 'fixture.json');
  writeFixture(fixture);
  const args = ['--fixture', fixture, '--state', join(folder, 'state.db')];
  await (await startSandbox(args)).close();
  // A separate process, without free memory left over from reading the fixture.
  const { call, readMemory } = await startSandbox(args);
  const before = await readMemory();
  const query = 'report_type=project_experiences&output_format=xlsx';
  const started = await call<Report>('POST', `/api/v2/cv-report?${query}`, {});
  expect(started.number_of_cvs).toBe(CVS);
  const report = await vi.waitFor(
    async () => {
      const polled = await call<Report>('GET', `/api/v2/cv-report/${started._id}`);
      expect(polled.state).toBe('finished');
      return polled;
    },
    { timeout: 180_000, interval: 100 },
  );
  const file = await (await fetch(report.cv_report.url)).arrayBuffer();
  expect(file.byteLength).toBeGreaterThan(1e6);
  const { most } = await readMemory();
  expect(most - before.now).toBeLessThan(MOST_MIB);
});
