import type { Command } from 'commander';
import { buildProgram } from '../../src/cli/program.js';

/** The command `sandbox` with its flags. */
export function sandboxCommand(): Command {
  const nobody = { stdout: process.stdout, stderr: process.stderr, env: {} };
  const program = buildProgram({ ...nobody, setExitCode: () => undefined, exit: () => undefined });
  const command = program.commands.find((one) => one.name() === 'sandbox');
  if (command === undefined) throw new Error('There is no command `sandbox`.');
  return command;
}
