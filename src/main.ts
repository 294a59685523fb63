import { CommanderError } from 'commander';
import type { Console } from './cli/context.js';
import { buildProgram } from './cli/program.js';

const console: Console = {
  stdout: process.stdout,
  stderr: process.stderr,
  // Opened only when somebody is asked.
  get stdin() {
    return process.stdin;
  },
  env: process.env,
  setExitCode: (code) => {
    process.exitCode = code;
  },
  exit: (code) => process.exit(code),
};
const program = buildProgram(console);

// Whoever reads us has had enough, as `| head` does: that is no fault of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

// A log that nobody reads any more, or that finds no room on its disk, is no reason to stop: the work goes on.
process.stderr.on('error', () => undefined);

// What nobody caught leaves by the same way as everything else, and not as Node would print it.
process.on('uncaughtException', (error) => void fail(error).finally(() => process.exit(1)));

/** Who started it waits for this: what never ends is then no success (exit code 13 of Node.js). */
export const ended = run();

async function run(): Promise<void> {
  try {
    await program.parseAsync(process.argv);
  } catch (error) {
    // Commander has printed its message for people, and set the exit code through the console.
    if (!(error instanceof CommanderError)) await fail(error);
    else if (error.exitCode !== 0 && process.argv.includes('--json')) {
      const { describeUsageError } = await import('./cli/usage-error.js');
      const { printJson } = await import('./cli/print.js');
      await printJson(process.stdout, describeUsageError(error.message));
    }
  }
}

async function fail(error: unknown): Promise<void> {
  process.exitCode = 1;
  const { isDriverFault } = await import('./base/errors.js');
  if (isDriverFault(error)) {
    // A command whose modules cannot be loaded had no chance to say why.
    const { printing } = await import('./cli/context.js');
    return printing(console, process.argv.includes('--json'), () => Promise.reject(error));
  }
  const { print } = await import('./cli/print.js');
  await print(process.stderr, `${error instanceof Error ? error.stack : String(error)}\n`);
}
