import type { Config } from '../config/config.js';
import { SyncError } from '../errors.js';
import { type Json, textOf } from '../model/json.js';
import type { Observed } from '../model/observed.js';
import { compileExpression } from './expression.js';
import { createScope, type Scope } from './scope.js';

/** The account in the service as `users.protect` sees it; what the service leaves empty is an empty text. */
export interface ProtectedUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly external_unique_id: string;
  readonly upn: string;
  readonly roles: readonly string[];
  readonly office_name: string;
  readonly country_code: string;
}

/** Gives the expression that protects the account, or null when none does. */
export type Protector = (user: ProtectedUser) => string | null;

const text = { type: 'string', optional: false, format: null, trueWords: null, separator: ';' } as const;
const USER_COLUMNS = {
  id: text,
  email: text,
  name: text,
  external_unique_id: text,
  upn: text,
  roles: { ...text, type: 'list' },
  office_name: text,
  country_code: text,
} as const;

export function createProtectScope(timezone: string): Scope {
  return createScope([{ name: 'user', columns: USER_COLUMNS, named: true, enriching: false }], null, timezone);
}

export function createProtector(config: Config): Protector {
  const scope = createProtectScope(config.timezone);
  const expressions = (config.users?.protect ?? []).map((source) => {
    const { expression, findings } = compileExpression(scope, source, 'bool');
    if (expression !== null) return expression;
    throw new SyncError('SYNC_INTERNAL', {
      message: `users.protect: ${findings[0]?.message ?? 'the expression cannot be compiled'}`,
      remedy: 'The configuration should have been refused when it was loaded: report it with the configuration.',
    });
  });
  return (user) => {
    scope.show('user', { ...user });
    for (const expression of expressions) {
      // An expression that fails protects: a protection that gave way silently would be worse than one too many.
      if (runOrTrue(expression.run) !== false) return expression.text;
    }
    return null;
  };
}

function runOrTrue(run: () => unknown): unknown {
  try {
    return run();
  } catch {
    return true;
  }
}

/** An account as the mirror keeps it, for the expressions that protect. */
export function describeUser(user: Observed): ProtectedUser {
  const word = (value: Json | undefined): string => textOf(value);
  const { values, id } = user;
  const office = (values.office ?? {}) as Readonly<Record<string, Json>>;
  const roles = values.roles;
  return {
    id,
    email: word(values.email),
    name: word(values.name),
    external_unique_id: word(values.external_unique_id),
    upn: word(values.upn),
    roles: Array.isArray(roles) ? roles.map(String) : [word(values.role)].filter((role) => role !== ''),
    office_name: word(office.name),
    country_code: word(office.country),
  };
}
