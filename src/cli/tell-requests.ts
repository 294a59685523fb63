import type { Logger } from '../base/logger.js';
import type { HookEvent } from '../daemon/web/hooks/hook-receiver.js';
import type { PushEvent } from '../daemon/web/scim/receiver.js';

/** Minimum time between log lines about unauthorized requests. */
const DENIED_EVERY_MS = 1_000;

/** Logs pushes of identity providers. */
export function tellPushes(logger: Logger, now: () => number): (event: PushEvent) => void {
  const warn = warnAtTimes(logger, now, 'a push was not authorised');
  return ({ source, method, status, result, ms, error }) => {
    const facts = { tenant: source?.tenant, source: source?.name, method, status, result, ms: Math.round(ms) };
    if (result === 'failed')
      logger.error({ ...facts, because: error instanceof Error ? error.message : null }, 'a push failed');
    else if (result !== 'denied') logger.debug(facts, 'push');
    else warn(facts);
  };
}

/** Logs hooks of vendors. */
export function tellHooks(logger: Logger, now: () => number): (event: HookEvent) => void {
  const warn = warnAtTimes(logger, now, 'a hook was not authorised');
  return ({ source, form, status, result, ms, error }) => {
    const facts = { tenant: source?.tenant, source: source?.name, form, status, result, ms: Math.round(ms) };
    if (error !== undefined)
      logger.error({ ...facts, because: error instanceof Error ? error.message : null }, 'a hook failed');
    else if (result === 'accepted' || result === 'ping') logger.debug(facts, 'hook');
    else warn(facts);
  };
}

/** Limits the rate of warnings and counts the suppressed ones. Otherwise anyone could fill the log. */
function warnAtTimes(logger: Logger, now: () => number, message: string): (facts: object) => void {
  let toldMs = Number.NEGATIVE_INFINITY;
  let untold = 0;
  return (facts) => {
    if (Math.abs(now() - toldMs) < DENIED_EVERY_MS) untold++;
    else {
      logger.warn({ ...facts, ...(untold === 0 ? {} : { others_untold: untold }) }, message);
      toldMs = now();
      untold = 0;
    }
  };
}
