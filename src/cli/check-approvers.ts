import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, isoNow } from '../base/clock.js';
import { isNobody } from '../config/access/identity.js';
import type { Config } from '../config/config.js';
import { findWeb } from '../config/load-web.js';
import type { WebSettings } from '../config/web-settings.js';
import { openOperatorStore } from '../store/operators/operator-store.js';

/** Warns if approvals need two people but only users of this machine can approve. */
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
    'approvals.four_eyes: nobody can log in, and nobody has a personal token, so nobody can be the second person. Give someone a token with `talent-sync operator add`.',
  ];
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
