#!/usr/bin/env node
import { CommanderError } from 'commander';
import { buildProgram } from './cli/program.js';
import { formatUsageError } from './cli/usage-error.js';

const program = buildProgram({
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  setExitCode: (code) => {
    process.exitCode = code;
  },
  exit: (code) => process.exit(code),
});

// Whoever reads us has had enough, as `| head` does: that is no fault of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

// A log that nobody reads any more, or that finds no room on its disk, is no reason to stop: the work goes on.
process.stderr.on('error', () => undefined);

try {
  await program.parseAsync(process.argv);
} catch (error) {
  // Commander has printed its message for people, and the console was told the exit code.
  if (!(error instanceof CommanderError)) throw error;
  if (error.exitCode !== 0 && process.argv.includes('--json')) process.stdout.write(formatUsageError(error.message));
}
