#!/usr/bin/env node
import { CommanderError } from 'commander';
import { buildProgram } from './cli/program.js';

const program = buildProgram({
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  setExitCode: (code) => {
    process.exitCode = code;
  },
});

try {
  await program.parseAsync(process.argv);
} catch (error) {
  // Commander has printed its message, and the console was told the exit code.
  if (!(error instanceof CommanderError)) throw error;
}
