import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Clock, isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import { isNobody } from '../config/access/identity.js';
import type { Config } from '../config/config.js';
import { DAEMON_FILE, loadWeb } from '../config/load-web.js';
import type { WebSettings } from '../config/web-settings.js';
import { openOperatorStore } from '../store/operators/operator-store.js';

/** Where it takes two people to approve: whether anybody can be the second one, besides those who type on this machine. */
export function warnOfApprovers(
  { file, approvals }: Pick<Config, 'file' | 'approvals'>,
  clock: Clock,
): readonly string[] {
  if (!approvals.fourEyes) return [];
  const settings = findWeb(file);
  if (settings === null)
    return [`approvals.four_eyes: there are no operator pages, so nobody can be the second person. Configure \`web\`.`];
  if (settings.openid !== null || settings.proxy !== null || hasTokens(settings, isoNow(clock))) return [];
  return [
    'approvals.four_eyes: nobody can log in, and nobody has a personal token, so nobody can be the second person. `talent-sync operator add` gives one.',
  ];
}

/** Those of the configuration itself, or of the daemon whose folder it is in; null for none that could be used. */
function findWeb(file: string): WebSettings | null {
  try {
    const folder = dirname(file);
    return loadWeb(file, null, false) ?? (existsSync(join(folder, DAEMON_FILE)) ? loadWeb(folder, null, false) : null);
  } catch (error) {
    if (error instanceof SyncError) return null;
    throw error;
  }
}

function hasTokens({ state, tokens }: WebSettings, now: string): boolean {
  if (!tokens || !existsSync(join(state, 'operators.db'))) return false;
  const store = openOperatorStore(state, now);
  try {
    return store.tokens().some(({ who, expiresAt }) => expiresAt > now && !isNobody(who));
  } finally {
    store.close();
  }
}
