import { resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Console, printing, wantsColor } from './context.js';
import { findPage } from './demo/colleague.js';
import { tellFleet } from './demo/fleet.js';
import { createNarrator } from './demo/narrator.js';
import { startPages } from './demo/pages.js';
import { CAST } from './demo/people.js';
import { type DemoServices, resumeServices } from './demo/services.js';
import { type Shell, setTheScene, tellStory } from './demo/story.js';
import { renderEnding, renderServing, renderStaying, renderStopped } from './demo/where-to-go.js';
import { createWorkplace, locateWorkplace, type Workplace, writeCommand } from './demo/workplace.js';
import { print } from './print.js';
import { listenForStop, untilStopped } from './stop-signal.js';

/** The program's own parser. The caller passes it, because the program also loads this file. */
export interface Parser {
  parseAsync(words: readonly string[], options: { readonly from: 'user' }): Promise<unknown>;
}
export type BuildParser = (console: Console) => Parser;

export interface DemoFlags {
  /** Target folder; by default a new temporary one. */
  readonly dir?: string;
  /** Folder of a finished demo, to restart its services. */
  readonly serve?: string;
  /** Keeps the services running after the story, until a signal. */
  readonly stay?: boolean;
  /** Shows the fleet story, which needs PostgreSQL on this machine. */
  readonly fleet?: boolean;
}

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

/** `demo` shows the complete story with the real commands. `demo --serve DIR` restarts its services until a signal. */
export async function runDemo(console: Console, flags: DemoFlags, buildParser: BuildParser): Promise<void> {
  await printing(console, false, async () => {
    if (flags.serve !== undefined) {
      await serve(console, resolve(flags.serve));
      return null;
    }
    const color = wantsColor(console);
    if (flags.fleet === true) {
      const stop = listenForStop(console);
      const narrator = createNarrator(console.stdout, 'talent-sync', color);
      await tellFleet({ narrator, main: MAIN, env: console.env, signal: stop.signal }).finally(stop.release);
      return null;
    }
    const place = await createWorkplace(flags.dir ?? null);
    await writeCommand(place.command, MAIN);
    const services = await setTheScene(place);
    try {
      const narrator = createNarrator(console.stdout, './talent-sync', color);
      await tellStory({ place, narrator, shell: createShell(console, place, buildParser) }, services);
      if (flags.stay) await stay(console, place, services);
    } finally {
      await services.close();
    }
    return { json: null, text: flags.stay ? renderStopped(place.folder, color) : renderEnding(place.folder, color) };
  });
}

/** Runs the command lines of the story through the program's own parser, as if a user had typed them. */
function createShell(console: Console, place: Workplace, buildParser: BuildParser): Shell {
  const { isTTY, columns } = console.stdout;
  const screen = { ...(isTTY === undefined ? {} : { isTTY }), ...(columns === undefined ? {} : { columns }) };
  return async (words) => {
    let exitCode = 0;
    let text = '';
    const stdout = new PassThrough();
    stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const inner: Console = {
      stdout: Object.assign(stdout, screen),
      stderr: console.stderr,
      env: console.env,
      setExitCode: (code) => {
        exitCode = code;
      },
      exit: console.exit,
    };
    await buildParser(inner).parseAsync([...words, '--config', place.config], { from: 'user' });
    return { exitCode, text };
  };
}

async function stay(console: Console, place: Workplace, services: DemoServices): Promise<void> {
  const pageOfAdopted = await findPage(CAST.adopted, services, place);
  const { folder } = place;
  const pages = await startPages(place);
  try {
    const serviceUrl = services.sandbox.url;
    const text = renderStaying({ folder, serviceUrl, pageOfAdopted, pages }, wantsColor(console));
    // Listen before printing, so that an immediate Ctrl-C is handled.
    const stop = listenForStop(console);
    await print(console.stdout, text);
    await untilStopped(stop);
  } finally {
    await pages.close();
  }
}

async function serve(console: Console, folder: string): Promise<void> {
  const services = await resumeServices(locateWorkplace(folder));
  try {
    await print(console.stdout, renderServing(services.sandbox.url, services.idp.url, folder));
    await untilStopped(listenForStop(console));
  } finally {
    await services.close();
  }
}
