import { Command } from 'commander';
import { VERSION } from '../base/version.js';
import { createCommandMaker } from './command-options.js';
import { addApplying, addLinks, addPause, addPlanning } from './commands/changing.js';
import { addFleet } from './commands/fleet.js';
import { addAudit, addExport, addState } from './commands/keeping.js';
import { addHolds, addLooking, addMirror, addNotify } from './commands/looking.js';
import { addOperator } from './commands/operators.js';
import { addPreview } from './commands/previewing.js';
import { addDaemon, addDemo, addMcp, addSandbox } from './commands/serving.js';
import { addInit, addShellCompletion, addTry } from './commands/starting.js';
import type { Console } from './context.js';

const EXIT_CODES = `
Exit codes, the first that applies:
  1  could not run: configuration, a source or the service
  4  some records failed or are held for their own fault, or a source is not complete
  3  changes need an approval, a conflict needs a decision, or the next run does the rest
  2  the plan has changes (plan --detailed-exitcode only)
  0  done
`;

/** Builds every command with its options and an example. The code of a command is loaded only when the command is called. */
export function buildProgram(console: Console): Command {
  const program = new Command('talent-sync')
    .description('Keeps a talent service in sync with HR, the identity provider and the CRM.')
    .version(VERSION)
    .addHelpText('after', EXIT_CODES)
    .showHelpAfterError('(--help shows the options and an example)');
  configureOutput(program, console);
  program.exitOverride((error) => {
    console.setExitCode(error.exitCode === 0 ? 0 : 1);
    throw error;
  });
  const commands = createCommandMaker(program, console);
  const describe = (group: string, description: string): Command => program.command(group).description(description);
  addInit(program, console);
  addTry(program, console);
  addPlanning(commands, console);
  addPreview(program, console);
  addApplying(commands);
  addPause(commands);
  addDaemon(program, console);
  addLooking(commands);
  addHolds(createCommandMaker(describe('holds', 'holds, and decisions about them'), console));
  addLinks(commands);
  addNotify(createCommandMaker(describe('notify', 'messages about events that need attention'), console));
  addMirror(createCommandMaker(describe('mirror', 'the local copy of the service'), console));
  addAudit(createCommandMaker(describe('audit', 'the log of every change'), console));
  addState(createCommandMaker(describe('state', 'the stored state: links, journal, audit, approvals'), console));
  addExport(createCommandMaker(describe('export', 'reports, deliveries and import files'), console));
  addOperator(program, console);
  addFleet(program, console);
  addMcp(program, console);
  addSandbox(program, console);
  addDemo(program, console, buildProgram);
  addShellCompletion(program, console);
  return program;
}

/** Sets how help and errors are written. Errors quote the command line. */
function configureOutput(command: Command, { stdout, stderr }: Console): Command {
  return command.configureOutput({
    // Help contains only our own words and must appear immediately, so it does not load the code that cleans texts.
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void import('./print.js').then(({ print }) => print(stderr, text)),
  });
}
