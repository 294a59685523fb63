import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { asSyncError } from '../../base/errors.js';
import { openStores } from '../../store/open-stores.js';
import { pingDeadMan } from './dead-man.js';
import { lookAndSend, type NotifyLook } from './look.js';

export interface RunEnding extends Omit<NotifyLook, 'tenant' | 'stores' | 'createSender'> {
  /** The run went through, whether or not something waits for a person. */
  readonly isGood: boolean;
}

/** A tenant's name where no daemon gives it one: that of its file without the ending, as a daemon has it. */
export function nameTenant({ file }: { readonly file: string }): string {
  return basename(file).replace(/\.ya?ml$/, '');
}

/** At the end of a command that ran. Never throws: messages that cannot be sent fail no run. */
export async function notifyAfterRun({ isGood, ...ending }: RunEnding): Promise<void> {
  const { config, logger, signal } = ending;
  const { notify } = config;
  if (notify === null) return;
  const pinged = isGood ? pingDeadMan(notify, logger, signal) : null;
  try {
    if (existsSync(join(config.state, 'state.db'))) await lookIn(ending);
  } catch (thrown) {
    const { code, message } = asSyncError(thrown);
    logger.error({ code, message }, 'messages cannot be kept or sent: the state cannot be used');
  }
  await pinged;
}

async function lookIn(ending: Omit<RunEnding, 'isGood'>): Promise<void> {
  const stores = openStores(ending.config.state);
  try {
    await lookAndSend({ ...ending, stores, tenant: nameTenant(ending.config) });
  } finally {
    stores.close();
  }
}
