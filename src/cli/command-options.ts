import { type Command, Option } from 'commander';
import type { AskingWork, CommandWork, Console, States } from './context.js';
import type { AskedStates } from './run-asking.js';

/** The code of a command is loaded only when the command is called. */
type Load = () => Promise<CommandWork<never>>;
type LoadAsking = () => Promise<AskingWork<never>>;

export interface CommandMaker {
  /** A command that works on a configuration. Without `load`, the caller adds the action of the command. */
  configured(usage: string, example: string, load?: Load, states?: States): Command;
  /** A command that can also ask a remote daemon. */
  asking(usage: string, example: string, load: LoadAsking): Command;
  /** A command that locks the tenant's state. */
  locking(usage: string, example: string, load?: Load, states?: States): Command;
  /** A command that locks the tenant's state, or has a remote daemon do the work in turn. */
  ordering(usage: string, example: string, load: LoadAsking): Command;
}

export const WAIT = 'wait for another run on the same state, instead of ending immediately';

/** Options that work only on a local state. */
const LOCAL_ONLY = ['asOf', 'wait'];
const LOCAL_ONLY_ORDERED = ['wait', 'report'];

/** Creates commands under a parent, each with the common options of its kind. */
export function createCommandMaker(parent: Command, console: Console): CommandMaker {
  const beside = (usage: string, example: string): Command =>
    addExample(parent.command(usage), example)
      .option('-c, --config <file>', "the tenant's configuration", 'talent-sync.yaml')
      .option('--json', 'print one JSON document on stdout; logs go to stderr');
  const configured = (usage: string, example: string, load?: Load, states?: States): Command => {
    const command = refuseDaemon(beside(usage, example));
    if (load === undefined) return command;
    return command.action(async () => {
      const work = await load();
      const { runCommand } = await import('./run-command.js');
      await runCommand(console, readFlags(command), work, states);
    });
  };
  const elsewhere = (command: Command, localOnly: readonly string[], load: LoadAsking, states: AskedStates): Command =>
    command
      .addOption(
        new Option(
          '--daemon <url>',
          'ask the daemon whose operator pages are at this address, with the token in TALENT_SYNC_TOKEN',
        ).conflicts(['config', ...localOnly]),
      )
      .option('--tenant <name>', 'the tenant of that daemon, if it has several')
      .action(async () => {
        const work = await load();
        const { runAsking } = await import('./run-asking.js');
        await runAsking(console, readFlags(command), work, states);
      });
  return {
    configured,
    asking: (usage, example, load) => elsewhere(beside(usage, example), LOCAL_ONLY, load, 'ask'),
    ordering: (usage, example, load) =>
      elsewhere(beside(usage, example).option('--wait', WAIT), LOCAL_ONLY_ORDERED, load, 'hold'),
    locking: (usage, example, load, states = 'hold') => configured(usage, example, load, states).option('--wait', WAIT),
  };
}

/** Explains that the command cannot ask a daemon and names the commands that can, instead of reporting an unknown option. */
function refuseDaemon(command: Command): Command {
  const refuse = (): never =>
    command.error(
      `error: \`${command.name()}\` cannot ask a daemon: run it next to the state, without --daemon. The commands that can ask one show --daemon in their --help`,
    );
  return command.addOption(new Option('--daemon <url>').argParser(refuse).hideHelp());
}

export function addExample(command: Command, example: string): Command {
  return command.addHelpText('after', `\nExample:\n  ${example}\n`);
}

/** The options and named arguments of a command line. */
function readFlags(command: Command): never {
  const given = command.registeredArguments.map((argument, index) => [argument.name(), command.processedArgs[index]]);
  return Object.assign(Object.fromEntries(given), command.opts()) as never;
}
