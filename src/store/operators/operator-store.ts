import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Grant } from '../../config/access/roles.js';
import { sha256 } from '../../model/sha256.js';
import { openDatabase } from '../database.js';
import { createSecretFact } from '../state/secret-fact.js';
import { columnsOf, createStatements, type RowOf } from '../statements.js';
import { logins, operators, tokens } from './operators-schema.js';

export type OperatorRow = RowOf<typeof operators>;
export type TokenRow = RowOf<typeof tokens>;
export type LoginRow = RowOf<typeof logins>;
export type OperatorStore = ReturnType<typeof openOperatorStore>;

const TOKEN = 'ts_';
const MINUTE_MS = 60_000;

/**
 * operators.db contains people added on the command line, tokens and log-ins. Several processes may have it open.
 *
 * @param folder `web.state`
 * @param now ISO 8601; the few small tables are migrated without a lock
 * @param note stores the time when a person was last seen
 * @throws SyncError SYNC_STATE_UNUSABLE, _NEWER, _MIGRATION
 */
export function openOperatorStore(folder: string, now: string, note = (work: () => void): void => work()) {
  const { sqlite } = openDatabase(join(folder, 'operators.db'), 'operators', { lockedAt: now });
  const { all, one, run, upsert, atOnce } = createStatements(sqlite);
  const findOperator = one<OperatorRow>(`SELECT ${columnsOf(operators)} FROM operators WHERE who = $who`);
  const addToken = upsert(tokens);
  const addLogin = upsert(logins);
  const findToken = one<TokenRow>(`SELECT ${columnsOf(tokens)} FROM tokens WHERE hash = $hash AND expires_at > $now`);
  const useToken = run(
    'UPDATE tokens SET used_at = $now WHERE id = $id AND (used_at IS NULL OR used_at < $aMinuteAgo)',
  );
  const findLogin = one<LoginRow>(
    `SELECT ${columnsOf(logins)} FROM logins WHERE hash = $hash AND seen_ms > $idleSince AND at_ms > $begunSince
       AND (token IS NULL OR token IN (SELECT id FROM tokens WHERE expires_at > $now))`,
  );
  const seeLogin = run('UPDATE logins SET seen_ms = $nowMs WHERE hash = $hash AND seen_ms < $nowMs - 60000');
  const endLogin = run('DELETE FROM logins WHERE hash = $hash');
  const dropLogins = run('DELETE FROM logins WHERE seen_ms <= $idleSince OR at_ms <= $begunSince');
  const dropTokens = run('DELETE FROM tokens WHERE expires_at <= $now');
  const endLoginsOf = run('DELETE FROM logins WHERE who = $who');
  const endTokensOf = run('DELETE FROM tokens WHERE who = $who');
  const removeOperator = run('DELETE FROM operators WHERE who = $who');
  return {
    /** Key that signs cookies. */
    cookieKey: createSecretFact(sqlite, 'cookie.key').make,
    /** Grants given with `operator add`. */
    grantsOf(who: string): readonly Grant[] {
      const found = findOperator({ who });
      return found === null ? [] : (JSON.parse(found.grants) as readonly Grant[]);
    },
    operators: all<OperatorRow>(`SELECT ${columnsOf(operators)} FROM operators ORDER BY who`),
    tokens: all<TokenRow>(`SELECT ${columnsOf(tokens)} FROM tokens ORDER BY who, at`),
    logins: all<LoginRow>(`SELECT ${columnsOf(logins)} FROM logins ORDER BY who, at_ms`),
    /** Adds a person, or replaces that person's entry. */
    putOperator: upsert(operators),
    /** @returns the token, which is shown once and not stored */
    addToken({ id, who, at, expiresAt }: Pick<TokenRow, 'id' | 'who' | 'at' | 'expiresAt'>): string {
      const token = `${TOKEN}${randomBytes(32).toString('base64url')}`;
      addToken({ id, who, hash: sha256(token), at, expiresAt, usedAt: null });
      return token;
    },
    findToken(token: string, now: string): TokenRow | null {
      if (!token.startsWith(TOKEN)) return null;
      const found = findToken({ hash: sha256(token), now });
      if (found === null) return null;
      const aMinuteAgo = new Date(Date.parse(now) - MINUTE_MS).toISOString();
      if ((found.usedAt ?? '') < aMinuteAgo) note(() => void useToken({ id: found.id, now, aMinuteAgo }));
      return found;
    },
    /** The owner of a token, even if it has expired; null if nobody has this token. */
    ownerOf(token: string): string | null {
      return token.startsWith(TOKEN) ? (findToken({ hash: sha256(token), now: '' })?.who ?? null) : null;
    },
    /** @returns the value of the cookie */
    addLogin(login: Omit<LoginRow, 'hash'>): string {
      const cookie = randomBytes(32).toString('base64url');
      addLogin({ ...login, hash: sha256(cookie) });
      return cookie;
    },
    /** Finds a valid log-in and records its use. */
    findLogin(cookie: string, { nowMs, idleMs, longestMs }: LoginTimes): LoginRow | null {
      const hash = sha256(cookie);
      const times = { idleSince: nowMs - idleMs, begunSince: nowMs - longestMs, now: new Date(nowMs).toISOString() };
      const found = findLogin({ hash, ...times });
      if (found !== null && found.seenMs < nowMs - MINUTE_MS) note(() => void seeLogin({ hash, nowMs }));
      return found;
    },
    endLogin: (cookie: string) => void endLogin({ hash: sha256(cookie) }),
    /** Deletes expired log-ins and tokens. */
    forgetOld({ nowMs, idleMs, longestMs }: LoginTimes): void {
      dropLogins({ idleSince: nowMs - idleMs, begunSince: nowMs - longestMs });
      dropTokens({ now: new Date(nowMs).toISOString() });
    },
    /** Ends all log-ins and tokens of a person in one transaction. @returns how many of each were ended */
    revoke: atOnce((who: string) => ({ logins: endLoginsOf({ who }), tokens: endTokensOf({ who }) })),
    removeOperator: (who: string) => removeOperator({ who }) > 0,
    close: () => void sqlite.close(),
  };
}

interface LoginTimes {
  readonly nowMs: number;
  readonly idleMs: number;
  readonly longestMs: number;
}
