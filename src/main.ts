import { CommanderError } from 'commander';
import type { Console } from './cli/context.js';
import { buildProgram } from './cli/program.js';

const console: Console = {
  stdout: process.stdout,
  stderr: process.stderr,
  // Opened only if a command asks a question.
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

// A reader that closes the pipe, such as `| head`, does not cause an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

// The work continues even if nobody reads the log or its disk is full.
process.stderr.on('error', () => undefined);

// Reports uncaught errors like all others, instead of leaving them to Node.
process.on('uncaughtException', (error) => void fail(error).finally(() => process.exit(1)));

/**
 * The module that starts the program awaits this. If it never settles, Node.js exits with code 13, so this does not
 * look like success.
 */
export const ended = run();

async function run(): Promise<void> {
  try {
    await program.parseAsync(process.argv);
  } catch (error) {
    // Commander has already printed its message and set the exit code through the console.
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
    // A command that could not be loaded cannot report the error itself.
    const { printing } = await import('./cli/context.js');
    return printing(console, process.argv.includes('--json'), () => Promise.reject(error));
  }
  const { print } = await import('./cli/print.js');
  await print(process.stderr, `${error instanceof Error ? error.stack : String(error)}\n`);
}
