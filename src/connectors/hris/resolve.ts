import { Secret } from '../../base/secrets/secret.js';
import type { Resolving, YamlPath } from '../../base/settings/resolving.js';
import { trimSlash } from '../../base/settings/trim-slash.js';
import { resolveCallBasics } from '../http/call-write-back.js';
import { type HttpAuth, resolveHttpAccess } from '../http/resolve-http.js';
import type { ListedStreamConfig } from '../listed/listed-stream.js';
import { resolvePreset } from '../listed/resolve-preset.js';
import type { HrisInput } from './schema.js';
import { LOGIN_PARTS, type LoginPart, type PeopleVendor } from './vendor.js';
import { PEOPLE_VENDORS } from './vendors.js';

export interface HrisSourceConfig extends ListedStreamConfig {
  readonly type: 'hris';
}

/** The name of a preset's only stream. */
const STREAM = 'people';
const GENERAL = ['bearer', 'basic', 'header', 'oauth2'] as const;

export function resolveHris(path: YamlPath, input: HrisInput, resolving: Resolving): HrisSourceConfig {
  const { report } = resolving;
  const { preset: name, base_url: given, auth, write_back: writeBack, incremental, ...rest } = input;
  const vendor: PeopleVendor = PEOPLE_VENDORS[name];
  if (given === undefined && vendor.preset.baseUrl === null) {
    report.add(path, '`base_url` is missing', 'Name the address of your account at the vendor.');
  }
  const baseUrl = trimSlash(given ?? vendor.preset.baseUrl ?? '');
  const general = GENERAL.some((key) => auth[key] !== undefined);
  const { bearer, basic, header, oauth2 } = auth;
  const access = resolveHttpAccess(
    path,
    { ...rest, auth: general ? { bearer, basic, header, oauth2 } : undefined },
    resolving,
  );
  const login = general
    ? access.auth
    : resolveLogin([...path, 'auth'], auth, { vendor, name, baseUrl, writes: writeBack !== undefined }, resolving);
  const stream = { ...rest, name: STREAM, settle: '60s', after: 'leave' } as const;
  const shape = resolvePreset(
    path,
    {
      ...stream,
      ...(incremental === undefined ? {} : { incremental: { ...incremental, time: 'iso' as const } }),
    },
    { vendor: name, preset: vendor.preset },
    report,
  );
  return {
    type: 'hris',
    baseUrl,
    access: { ...access, auth: login },
    version: null,
    ...shape,
    writeBack: writeBack === undefined ? null : resolveCallBasics(writeBack),
  };
}

interface LoginOf {
  readonly vendor: PeopleVendor;
  readonly name: string;
  readonly baseUrl: string;
  readonly writes: boolean;
}

/** Builds the login from the parts that the vendor issues; null if a part is missing. */
function resolveLogin(
  path: YamlPath,
  auth: HrisInput['auth'],
  { vendor, name, baseUrl, writes }: LoginOf,
  { report, readSecret }: Resolving,
): HttpAuth | null {
  const { needs, takes = [] } = vendor.login;
  const given = new Map<LoginPart, Secret>();
  for (const part of LOGIN_PARTS) {
    const value = auth[part];
    if (value === undefined) continue;
    const at = [...path, part];
    if (!needs.includes(part) && !takes.includes(part)) {
      const known = [...needs, ...takes].join(', ');
      report.add(at, `\`${part}\` has no effect for ${name}`, `The login of ${name} has: ${known}.`, 'key');
      continue;
    }
    given.set(part, typeof value === 'string' ? new Secret(value) : readSecret(at, value));
  }
  const missing = needs.filter((part) => !given.has(part));
  for (const part of missing) {
    report.add(path, `\`${part}\` is missing`, `Add \`${part}: { env: … }\`, or \`file\`.`);
  }
  if (missing.length > 0) return null;
  return vendor.login.build(Object.fromEntries(given) as Record<LoginPart, Secret>, baseUrl, writes);
}
