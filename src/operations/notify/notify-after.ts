import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { asSyncError } from '../../base/errors.js';
import { openStores } from '../../store/open-stores.js';
import { pingDeadMan } from './dead-man.js';
import { lookAndSend, type NotifyLook } from './look.js';

export interface RunEnding extends Omit<NotifyLook, 'tenant' | 'stores' | 'createSender'> {
  /** True if the run succeeded, even if changes wait for a decision. */
  readonly isGood: boolean;
}

/** Names a tenant outside a daemon. As in a daemon, the name is that of the file without the extension. */
export function nameTenant({ file }: { readonly file: string }): string {
  return basename(file).replace(/\.ya?ml$/, '');
}

/** Looks and pings at the end of a command that performed a run. Never throws, because unsent messages must not fail a run. */
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
