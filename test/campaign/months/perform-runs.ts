import { Writable } from 'node:stream';
import type { CommandContext, Console } from '../../../src/cli/context.js';
import { runSync } from '../../../src/cli/run-apply.js';
import type { Config } from '../../../src/config/config.js';
import { loadConfig } from '../../../src/config/load.js';
import type { RunDocument } from '../../scenarios/documents.js';
import type { Story } from '../../scenarios/kit.js';

/** Performs the runs of a story in sequence, without reading the same configuration for each again. */
export function openPerformer(story: Story): {
  sync(): Promise<{ readonly code: number; readonly json: RunDocument }>;
} {
  const { configFile, env } = story;
  const context = openContext(story, loadConfig(configFile, env, undefined, 'when used'));
  return {
    async sync() {
      const { json, exitCode = 0 } = await runSync(context, { config: configFile, json: true });
      return { code: exitCode, json: json as RunDocument };
    },
  };
}

/** The context of commands that print nothing. */
export function openContext({ env, clock }: Pick<Story, 'env' | 'clock'>, config: Config): CommandContext {
  const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });
  const console: Console = {
    stdout: nowhere(),
    stderr: nowhere(),
    ...{ env, clock, setExitCode: () => undefined, exit: () => undefined },
  };
  const { signal } = new AbortController();
  return {
    ...{ console, clock, config, by: 'scheduler', color: false, width: null, signal },
    perform: (operation, input) => operation.perform({ config, clock, by: 'scheduler', via: 'machine' }, input),
  };
}
