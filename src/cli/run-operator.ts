import { type Clock, isoNow, systemClock } from '../base/clock.js';
import { SyncError } from '../base/errors.js';
import { foldIdentity } from '../config/access/identity.js';
import type { Grant, Role } from '../config/access/roles.js';
import { loadWeb } from '../config/load-web.js';
import type { WebSettings } from '../config/web-settings.js';
import { newId } from '../planning/saved/summary.js';
import { formatMinute, plural } from '../report/sections/words.js';
import { joinLines, worded } from '../report/writers/style.js';
import type { OperatorStore, TokenRow } from '../store/operators/operator-store.js';
import { openOperators, type ShareFile } from '../store/operators/operators.js';
import { openSharedFile } from '../store/remote/shared-file.js';
import { type CommandResult, type Console, nameOperator, printing } from './context.js';
import { findDaemonNextTo, findDaemonTarget } from './find-daemon-target.js';
import { usingRemoteOf } from './remote-command.js';

interface OperatorFlags {
  /** A configuration, or a folder of them; by default that of the daemon in this folder. */
  readonly config?: string;
  readonly json?: boolean;
}

export interface OperatorAddFlags extends OperatorFlags {
  readonly who: string;
  readonly role?: Role;
  /** Names of tenants; empty for all tenants. */
  readonly tenant: readonly string[];
  readonly pseudonyms?: boolean;
  /** Milliseconds that the token is valid. */
  readonly expires: number;
}

interface OperatorContext {
  readonly store: OperatorStore;
  readonly settings: WebSettings;
  readonly clock: Clock;
}

/** `operator add WHO`: creates a personal token, shown once, and gives a role if one is named. */
export function runOperatorAdd(console: Console, flags: OperatorAddFlags): Promise<void> {
  return withOperators(console, flags, ({ store, settings, clock }) => {
    const [who, at] = [foldIdentity(flags.who), isoNow(clock)];
    requireRole(flags, [...settings.grants, ...store.grantsOf(who)], who);
    if (!settings.tokens) throw tokensOff();
    if (flags.role !== undefined) {
      const tenants = flags.tenant.length === 0 ? null : flags.tenant;
      const grant: Grant = { role: flags.role, who: [who], groups: [], tenants, pseudonyms: flags.pseudonyms === true };
      store.putOperator({ who, grants: JSON.stringify([grant]), at, by: nameOperator() });
    }
    const [id, expires] = [newId('t', clock), new Date(clock.now() + flags.expires).toISOString()];
    const token = store.addToken({ id, who, at, expiresAt: expires });
    return {
      json: { who, token, id, expires },
      text: joinLines([
        `Token of ${who}, until ${formatMinute(expires)}. It is shown only this once:`,
        '',
        `  ${token}`,
        '',
        `Log in with it at ${settings.publicUrl ?? `http://${settings.host}:${settings.port}`}/login, or send it as a bearer token.`,
      ]),
    };
  });
}

/** `operator list`: people with a token, a role from the command line, or a log-in. */
export function runOperatorList(console: Console, flags: OperatorFlags): Promise<void> {
  return withOperators(console, flags, ({ store, settings, clock }) => {
    store.forgetOld({ nowMs: clock.now(), idleMs: settings.idleMs, longestMs: settings.longestMs });
    const [given, tokens, logins] = [store.operators(), store.tokens(), store.logins()];
    const people = [...new Set([...given, ...tokens, ...logins].map(({ who }) => who))].sort();
    const operators = people.map((who) => ({
      who,
      roles: store.grantsOf(who).map(({ role, tenants, pseudonyms }) => ({ role, tenants, pseudonyms })),
      tokens: tokens.filter((token) => token.who === who).map(describeToken),
      logins: logins.filter((login) => login.who === who).length,
    }));
    const lines = operators.flatMap(({ who, roles, tokens: own, logins: open }) => [
      worded`${who}: ${roles.map(({ role, tenants }) => `${role} of ${tenants?.join(', ') ?? 'all tenants'}`).join('; ') || 'roles from the configuration'}, ${plural(open, 'log-in')}`,
      ...own.map(
        ({ id, expires, used }) =>
          `  token ${id}, until ${formatMinute(expires)}, ${used === null ? 'never used' : `used ${formatMinute(used)}`}`,
      ),
    ]);
    return { json: { operators }, text: lines.length === 0 ? 'Nobody has a token or a log-in.' : joinLines(lines) };
  });
}

/** `operator remove WHO`: ends tokens and log-ins, and removes the role given on the command line. */
export function runOperatorRemove(console: Console, flags: OperatorFlags & { readonly who: string }): Promise<void> {
  return withOperators(console, flags, ({ store, settings }) => {
    const who = foldIdentity(flags.who);
    const { logins, tokens } = store.revoke(who);
    const isRemoved = store.removeOperator(who);
    if (!isRemoved && logins + tokens === 0) {
      throw new SyncError('SYNC_NOT_FOUND', {
        message: `${who} has no token, no log-in and no role from the command line.`,
        place: 'operator remove',
        remedy: '`talent-sync operator list` shows who has one. Remove roles of the configuration from `web.roles`.',
      });
    }
    const still = settings.grants.some((grant) => grant.who.some((one) => foldIdentity(one) === who));
    const more = still ? ' The configuration still gives a role: remove it from `web.roles` too.' : '';
    return {
      json: { who, tokens, logins, role: isRemoved, configured: still },
      text: `${worded`Ended: ${plural(tokens, 'token')} and ${plural(logins, 'log-in')} of ${who}.`}${more}`,
    };
  });
}

function describeToken({ id, at, expiresAt, usedAt }: TokenRow) {
  return { id, at, expires: expiresAt, used: usedAt };
}

function withOperators(
  console: Console,
  { config, json }: OperatorFlags,
  work: (context: OperatorContext) => CommandResult,
): Promise<void> {
  return printing(console, json === true, async () => {
    const { clock = systemClock } = console;
    const { target, settings } = loadPages(findDaemonTarget(config));
    const now = (): string => isoNow(clock);
    return await usingRemoteOf(target, { console, clock }, async (remote) => {
      const share: ShareFile | null =
        remote === null ? null : (line, options) => openSharedFile(remote.postgres, line, options);
      const operators = openOperators(settings.state, now, share);
      try {
        return await operators.change((store) => work({ store, settings, clock }));
      } finally {
        operators.close();
      }
    });
  });
}

/** The pages of a configuration, or those of the `daemon.yaml` next to it. */
function loadPages(named: string): { readonly target: string; readonly settings: WebSettings } {
  for (const target of [named, findDaemonNextTo(named)]) {
    const settings = target === null ? null : loadWeb(target, null, false);
    if (target !== null && settings !== null) return { target, settings };
  }
  throw withoutPages(named);
}

/** A token without any role would show only an empty page. */
function requireRole({ role }: OperatorAddFlags, grants: readonly Grant[], who: string): void {
  if (role !== undefined || grants.some((grant) => grant.who.some((one) => foldIdentity(one) === who))) return;
  throw new SyncError('SYNC_CLI_USAGE', {
    message: `${who} has no role.`,
    place: '--role',
    remedy: 'Write `--role viewer` (or approver, operator, previewer), or name the person in `web.roles`.',
  });
}

function tokensOff(): SyncError {
  return new SyncError('SYNC_CLI_USAGE', {
    message: 'The configuration does not allow personal tokens.',
    place: 'web.login.tokens',
    remedy: 'Set it to true, or let people log in through the identity provider.',
  });
}

function withoutPages(config: string): SyncError {
  return new SyncError('SYNC_CLI_USAGE', {
    message: 'There are no operator pages.',
    place: config,
    remedy: 'Configure `web:` in the configuration of the daemon: docs/reference/operator-pages.md.',
  });
}
