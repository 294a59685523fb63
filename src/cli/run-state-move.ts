import { openLocked } from '../app/open-state.js';
import { openAccount } from '../app/wire.js';
import { isoNow } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import { serviceUrlSchema } from '../config/service-url.js';
import { type AccountProof, proveAccount } from '../mirror/prove-account.js';
import { plural } from '../report/sections/words.js';
import { appendEvent } from '../store/audit/audit-log.js';
import { discardMirror } from '../store/integrity.js';
import type { Stores } from '../store/open-stores.js';
import { type CommandContext, type CommandResult, type LockFlags, nameOperator } from './context.js';
import { openLogger } from './open-logger.js';
import { holdRunLock } from './run-lock.js';

/**
 * `state move --to URL`: changes the address of the account. The command first proves by known ids that the account is the
 * same.
 */
export async function runStateMove(
  context: CommandContext,
  flags: LockFlags & { readonly to: string },
): Promise<CommandResult> {
  const { config, clock } = context;
  const parsed = serviceUrlSchema.safeParse(flags.to);
  if (!parsed.success) {
    throw new SyncError('SYNC_CLI_USAGE', {
      message: `"${flags.to}" is not an address of the service: ${parsed.error.issues[0]?.message ?? ''}.`,
      place: '--to',
      remedy: 'Write it as https://acme.example.com.',
    });
  }
  const to = parsed.data.replace(/\/+$/, '');
  return await holdRunLock(context, 'state move', flags, async () => {
    const stores = await openLocked(config, { clock, logger: openLogger(context.console) }, 'any account');
    let isUnproven = false;
    try {
      const proof = await prove(stores, context, to);
      const result = moveState(stores, { to, proof, isConfigured: config.service.baseUrl === to }, isoNow(clock));
      isUnproven = proof === null;
      return result;
    } finally {
      stores.close();
      // The mirror may show another account.
      if (isUnproven) discardMirror(config.state);
    }
  });
}

/** Null if nothing is linked, because there is nothing to compare. */
async function prove(stores: Stores, context: CommandContext, to: string): Promise<AccountProof | null> {
  if (stores.links.count('users') + stores.links.count('customers') === 0) return null;
  const service = openAccount(context.config, to, { clock: context.clock, logger: openLogger(context.console) });
  try {
    return await proveAccount(stores, service.reader, {
      ...{ to, place: '--to', signal: context.signal },
      remedy:
        'Name the address of the account that the state belongs to. Another account needs its own `state` folder.',
    });
  } finally {
    await service.close();
  }
}

interface StateMove {
  readonly to: string;
  readonly proof: AccountProof | null;
  readonly isConfigured: boolean;
}

function moveState(stores: Stores, { to, proof, isConfigured }: StateMove, at: string): CommandResult {
  const { hostname } = new URL(to);
  const from = stores.history.fact('account');
  const isMoved = from !== hostname;
  if (isMoved) {
    stores.state.transaction(() => {
      stores.history.setFact('account', hostname);
      const { users = 0, customers = 0, found = 0 } = proof ?? {};
      appendEvent(stores.audit, {
        kind: 'state moved',
        at,
        by: nameOperator(),
        from,
        to: hostname,
        compared: users + customers,
        found,
      });
    });
  }
  const compared = proof === null ? { users: 0, customers: 0, found: 0 } : { ...proof };
  return {
    json: { from, to: hostname, moved: isMoved, compared },
    text: [
      isMoved
        ? `The state belongs to ${hostname} now${from === null ? '' : `, and no longer to ${from}`}.`
        : `The state belongs to ${hostname} already.`,
      proof === null
        ? 'Nothing is linked yet, so nothing had to be compared.'
        : `Compared: ${plural(proof.users, 'linked person', 'linked people')} and ${plural(proof.customers, 'linked customer')}; ${proof.found} of them exist there under the same ids.`,
      ...(isConfigured ? [] : [`Set \`service.base_url: ${to}\` in the configuration: until then no run starts.`]),
    ].join('\n'),
  };
}
