import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { oweRun, type Program, startProgram as startHeard, waitUntil } from '../daemon/daemon-process.js';
import type { Story } from '../scenarios/kit.js';
import { startProgram } from '../scenarios/program.js';
import { cutPower } from './cut-power.js';
import { type Fault, isKill, spareCalls } from './door.js';
import { expectHidden } from './secrets.js';
import type { Sizes } from './size.js';
import type { Doors } from './systems.js';
import { tearFile } from './torn-file.js';
import { Violation } from './violation.js';

const CLOCK = new URL('./shift-clock.mjs', import.meta.url).href;
/** The approximate size of a state of the campaign's companies. */
const MOST_DISK_KIB = 400;

export interface Faulty {
  readonly story: Story;
  readonly doors: Doors;
  /** Performs a run in this process. @returns its exit code */
  run(flags: { readonly full: boolean }): Promise<number>;
  count(name: string): void;
}

interface FaultyRun {
  readonly fault: Fault;
  /** The calls of a similar run. */
  readonly size: Sizes;
  readonly full: boolean;
}

/** Performs one run that meets a fault. It may end in any way, but it must end and reveal no secret. */
export async function runFaulty({ fault, size, full }: FaultyRun, faulty: Faulty): Promise<void> {
  const { story, doors, run, count } = faulty;
  const { kind, system, at } = fault;
  // If one of two daemons is killed, the other has to get through the same call.
  const lasts = fault.lasts && !kind.startsWith('two daemons');
  const number = 1 + Math.floor(at * Math.max(size[system][fault.of], 1));
  const arm = (kill: () => void): void => doors[system]?.arm({ ...fault, lasts }, number, kill);
  if (kind === 'torn file') {
    const takeAway = tearFile(story, at);
    if ((await run({ full })) === 1) count('fault torn file');
    takeAway();
  } else if (kind.startsWith('two daemons')) await runDaemons(arm, fault, faulty);
  else if (isKill(kind) || spareCalls(kind)) await runProcess(arm, { fault, size, full }, faulty);
  else {
    arm(() => undefined);
    await run({ full });
  }
}

type Arm = (kill: () => void) => void;

function env({ clock }: Story): NodeJS.ProcessEnv {
  return { CLOCK_OFFSET_MS: String(clock.now() - Date.now()), LOG_LEVEL: 'debug' };
}

async function runProcess(arm: Arm, { fault: { kind, at }, full }: FaultyRun, faulty: Faulty): Promise<void> {
  const { story, run, count } = faulty;
  count('processes');
  if (spareCalls(kind)) count(`fault ${kind}`);
  const child = startProgram(story, full ? ['sync', '--full'] : ['sync'], {
    args: ['--import', CLOCK],
    env: env(story),
    isHeard: true,
    ...(kind === 'disk full' ? { diskKiB: Math.floor(at * MOST_DISK_KIB) } : {}),
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  if (isKill(kind)) arm(() => child.kill('SIGKILL'));
  const ended = once(child, 'close');
  // Two runs start together, and one finds the lock taken.
  if (kind === 'two at the same time') await run({ full });
  const [code, signal] = await ended;
  expectHidden(story, said, 'what the program says');
  if (signal === 'SIGKILL') count('kills');
  else if (code === 1 && !spareCalls(kind)) throw new Violation('crash', `the program could not run: ${said}`);
  if (kind.startsWith('power cut')) cutPower(join(story.folder, 'var'), at);
}

/** Two daemons on one state have one run to perform; if one is killed in it, the other performs it. */
async function runDaemons(arm: Arm, { kind }: Fault, { story, count }: Faulty): Promise<void> {
  // The schedule is part of the state, which the first plan creates.
  if (!existsSync(join(story.folder, 'var', 'state.db'))) await story.plan();
  oweRun(story);
  const words = ['daemon', '--config', story.configFile, '--port', '0'];
  const daemons = [1, 2].map(() => startHeard(story, words, env(story), ['--import', CLOCK]));
  if (isKill(kind)) arm(() => daemons.find((one) => hasLogged(one, 'run starts'))?.send('SIGKILL'));
  await waitUntil('a daemon has run', () => daemons.some((one) => hasLogged(one, 'run ended')), 90_000).catch(() => {
    throw new Violation('crash', `neither daemon runs: ${daemons.map((one) => one.stderr()).join('\n')}`);
  });
  for (const daemon of daemons) if (daemon.isRunning()) daemon.send('SIGTERM');
  for (const daemon of daemons) {
    const { code, signal } = await daemon.ended;
    expectHidden(story, daemon.stdout() + daemon.stderr(), 'what a daemon says');
    if (signal === 'SIGKILL') count('kills');
    else if (code !== 0) throw new Violation('crash', `a daemon ends with ${code ?? signal}: ${daemon.stderr()}`);
  }
  if (!isKill(kind)) count(`fault ${kind}`);
}

function hasLogged(daemon: Program, message: string): boolean {
  return daemon.stderr().includes(`"msg":"${message}"`);
}
