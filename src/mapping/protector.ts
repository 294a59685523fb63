import type { Config } from '../config/config.js';
import { objectOf, textOf } from '../model/json.js';
import type { Observed } from '../model/observed.js';
import { compileChecked } from './expression.js';
import { createScope, type Scope } from './scope.js';

const text = { type: 'string', optional: false, format: null, trueWords: null, separator: ';' } as const;
const address = { ...text, ignoresCase: true } as const;
const USER_COLUMNS = {
  id: text,
  email: address,
  name: text,
  external_unique_id: text,
  upn: address,
  roles: { ...text, type: 'list' },
  office_name: text,
  country_code: text,
} as const;

/** The account in the service as `users.protect` expressions see it. Values that are empty in the service are empty strings. */
export type ProtectedUser = {
  readonly [C in keyof typeof USER_COLUMNS]: (typeof USER_COLUMNS)[C]['type'] extends 'list'
    ? readonly string[]
    : string;
};

/** Returns the expression that protects the account; null if none does. */
export type Protector = (user: ProtectedUser) => string | null;

export function createProtectScope(timezone: string): Scope {
  return createScope([{ name: 'user', columns: USER_COLUMNS, enriching: false }], null, timezone);
}

export function createProtector(config: Config): Protector {
  const scope = createProtectScope(config.timezone);
  const expressions = (config.users?.protect ?? []).map((text) => compileChecked(scope, 'users.protect', text, 'bool'));
  return (user) => {
    scope.show('user', { ...user });
    for (const expression of expressions) {
      // An expression that fails also protects, because too much protection is safer than too little.
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

/** Converts an account in the mirror to the form that `users.protect` expressions read. */
export function describeUser({ id, values }: Observed): ProtectedUser {
  const office = objectOf(values.office);
  const { roles } = values;
  return {
    id,
    email: textOf(values.email),
    name: textOf(values.name),
    external_unique_id: textOf(values.external_unique_id),
    upn: textOf(values.upn),
    roles: Array.isArray(roles) ? roles.map(String) : [textOf(values.role)].filter((role) => role !== ''),
    office_name: textOf(office.name),
    country_code: textOf(office.country),
  };
}
