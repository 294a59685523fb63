import { asSyncError } from '../base/errors.js';
import {
  type AskingContext,
  attending,
  type CommandContext,
  type CommandWork,
  type CommonOptions,
  type Console,
  isNextToBackend,
  printing,
  type States,
} from './context.js';

/** Runs a command that works on a configuration, and prints its result or error in the requested form. */
export async function runCommand<Flags extends CommonOptions>(
  console: Console,
  flags: Flags,
  work: CommandWork<Flags>,
  states: States = 'look',
): Promise<void> {
  await printing(console, flags.json === true, async () => {
    const { loadConfig } = await import('../config/load.js');
    // Reading the configuration needs no secrets. When a secret is used, an error names all missing ones (`wireApp`).
    const config = loadConfig(flags.config, console.env, undefined, 'when used');
    const ended = attending(console, async (attended) => {
      const { clock, by } = attended;
      const perform: AskingContext['perform'] = (one, input) =>
        one.perform({ config, clock, by, via: 'machine' }, input);
      const context: CommandContext = { ...attended, config, perform };
      if (states === 'by itself' || !isNextToBackend(flags.config)) return await work(context, flags);
      const { workRemotely } = await import('./remote-command.js');
      return await workRemotely(context, flags, states, (given) => work(given, flags));
    });
    return await ended.catch((error: unknown) => {
      throw asSyncError(error, config.state);
    });
  });
}
