import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoginPart, PeopleVendor } from '../../src/connectors/hris/vendor.js';
import { PEOPLE_VENDORS } from '../../src/connectors/hris/vendors.js';
import type { Yaml } from '../scenarios/company.js';
import { createSshKey } from '../ssh-key.js';

/** The planted texts that must not be found anywhere, and their places. */
export interface Planted {
  readonly where: string;
  readonly needles: readonly string[];
}

export interface Garden {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly planted: Planted[];
  /** A secret of a place, from the environment. `prefix` is the part that a header or login has before it. */
  secret(where: string, prefix?: string): Yaml;
  /** An address that contains a token, from the environment. */
  address(where: string, url: string): Yaml;
  /** A private key, from a file; `locked` with its passphrase. */
  key(where: string, passphrase?: string): Yaml;
  /** A token that a server issues. */
  token(where: string): string;
}

/** Hex is the same in JSON, addresses and pages, so a search finds it however the rest is quoted. */
export function createGarden(folder: string): Garden {
  const env: Record<string, string> = {};
  const planted: Planted[] = [];
  mkdirSync(join(folder, 'secrets'), { recursive: true });
  const plant = (where: string, prefixes: readonly string[], tail: string): string => {
    const hex = randomBytes(12).toString('hex');
    const value = `${hex}${tail}`;
    planted.push({
      where,
      needles: [hex, ...prefixes.flatMap((prefix) => inBase64(`${prefix}${value}`, prefix.length))],
    });
    return value;
  };
  return {
    folder,
    env,
    planted,
    secret(where, prefix = '') {
      const name = `PLANTED_${planted.length}`;
      env[name] = plant(where, ['', prefix], '+/="&\\<x');
      return { env: name };
    },
    address(where, url) {
      const name = `PLANTED_${planted.length}`;
      const token = randomBytes(12).toString('hex');
      env[name] = `${url}/${token}`;
      planted.push({ where, needles: [token] });
      return { env: name };
    },
    key(where, passphrase) {
      const text = createSshKey(passphrase).private;
      const file = join('secrets', `key-${planted.length}`);
      writeFileSync(join(folder, file), text);
      planted.push({
        where,
        needles: text.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----')),
      });
      return { file };
    },
    token: (where) => plant(where, ['', 'Bearer '], '.sig_-'),
  };
}

/** The text as part of Base64, without the characters at its ends that also depend on neighbouring text. */
function inBase64(text: string, from: number): readonly string[] {
  const whole = Buffer.from(text).toString('base64');
  return [whole.slice(Math.ceil((from * 4) / 3) + 2, -4)];
}

export interface Servers {
  /** An address that quotes every request; the status is the first part of the path. */
  readonly echo: string;
  readonly service: string;
  readonly sftp: { readonly address: string; readonly hostKey: string };
}

const LOGINS = ['bearer', 'basic', 'header', 'oauth2'] as const;

/** Ways to a system that need a secret of their own. */
function plantWays(garden: Garden, echo: string) {
  return {
    tls(where: string): Yaml {
      writeFileSync(join(garden.folder, 'secrets', 'cert.pem'), '-----BEGIN CERTIFICATE-----\nAA==\n');
      const key = garden.key(`${where}.key`) as { readonly file: string };
      return { cert: 'secrets/cert.pem', key: key.file, passphrase: garden.secret(`${where}.passphrase`) };
    },
    proxy: (where: string): Yaml => ({ url: echo, username: 'sync', password: garden.secret(where, 'sync:') }),
  };
}

/** The service behind a proxy that lets nobody through: a run reaches nothing else of such a configuration. */
export function buildTunnelled(
  base: { readonly [key: string]: Yaml },
  service: { readonly [key: string]: Yaml },
  garden: Garden,
  { echo }: Servers,
): Yaml {
  const { tls, proxy } = plantWays(garden, echo);
  return {
    ...base,
    state: './tunnelled',
    service: { ...service, tls: tls('service tls'), proxy: proxy('service proxy') },
  };
}

/**
 * Two configurations that together have a secret in every place that takes one. Each leads to a server that quotes it.
 * A system behind a proxy or TLS gives no answer, and each attempt takes seconds, so it has its own configuration.
 */
export function buildPlanted(
  base: { readonly [key: string]: Yaml },
  garden: Garden,
  servers: Servers,
  part: 'answering' | 'silent',
): Yaml {
  const { echo, sftp } = servers;
  const auth = (where: string, kind: (typeof LOGINS)[number], issue: string): Yaml => {
    if (kind === 'bearer') return { bearer: garden.secret(where) };
    if (kind === 'basic') return { basic: { username: 'sync', password: garden.secret(where, 'sync:') } };
    if (kind === 'header') return { header: { name: 'X-Api-Key', value: garden.secret(where) } };
    return {
      oauth2: { token_url: `${echo}/token/${issue}`, client_id: 'sync', client_secret: garden.secret(where, 'sync:') },
    };
  };
  const login = (where: string, withKey: boolean): Yaml => {
    const common = { username: 'sync', host_key: sftp.hostKey, timeout: '2s' };
    if (!withKey) return { ...common, password: garden.secret(`${where}.password`) };
    const passphrase = garden.secret(`${where}.passphrase`);
    const value = garden.env[(passphrase as { readonly env: string }).env];
    return { ...common, private_key: garden.key(`${where}.private_key`, value), passphrase };
  };
  const { tls, proxy } = plantWays(garden, echo);
  const stream = (path: string): Yaml => ({
    path,
    rows: '/results',
    next: 'none',
    key: 'id',
    columns: { id: 'string', name: 'string' },
  });

  /** Each kind of source has a hook with one secret, and one with several. */
  const hook = (isOne: boolean): Yaml =>
    isOne ? { secret: garden.secret("a hook's secret") } : { secrets: [garden.secret('one of several of a hook')] };
  const sources: Record<string, Yaml> = {};
  const people = { type: 'hris', preset: 'simployer', auth: { token: 'no-secret' } };
  const addSilent = (): void => {
    sources.idp_proxy = { type: 'scim', base_url: `${echo}/403/scim`, proxy: proxy('scim proxy') };
    sources.crm_proxy = {
      ...{ type: 'crm', base_url: `${echo}/403/crm`, proxy: proxy('crm proxy') },
      streams: { companies: stream('/companies') },
    };
    sources.people_proxy = { ...people, base_url: `${echo}/403/hris`, proxy: proxy('hris proxy') };
    const https = echo.replace('http:', 'https:');
    sources.people_tls = { ...people, base_url: `${https}/403/hris`, tls: tls('hris tls') };
    sources.idp_tls = { type: 'scim', base_url: `${https}/403/scim`, tls: tls('scim tls') };
    sources.crm_tls = {
      ...{ type: 'crm', base_url: `${https}/403/crm`, tls: tls('crm tls') },
      streams: { companies: stream('/companies') },
    };
  };
  const addAnswering = (): void => {
    for (const [index, kind] of LOGINS.entries()) {
      // Rejected, missing, not JSON, and a row built from the request.
      const status = [403, 400, 404, 200][index] ?? 403;
      sources[`idp_${kind}`] = {
        type: 'scim',
        base_url: `${echo}/${status}/scim`,
        auth: auth(`scim ${kind}`, kind, 'idp'),
        hook: hook(index === 0),
      };
      sources[`crm_${kind}`] = {
        type: 'crm',
        base_url: `${echo}/${[200, 403, 299, 400][index]}/crm`,
        auth: auth(`crm ${kind}`, kind, 'crm'),
        hook: hook(index === 0),
        streams: { companies: stream('/companies') },
      };
    }
    sources.told = {
      type: 'scim',
      base_url: `${echo}/told/scim`,
      auth: auth('told bearer', 'bearer', ''),
      write_back: true,
    };
    sources.push = { type: 'scim-push', tokens: [garden.secret('push')], key: 'externalId' };
    const back = (where: string, withKey: boolean): Yaml => ({
      drop: `${sftp.address}/${where.replaceAll(' ', '-')}`,
      sftp: login(where, withKey),
    });
    for (const [index, kind] of LOGINS.entries()) {
      sources[`people_${kind}`] = {
        ...{ ...people, base_url: `${echo}/${[200, 403, 404, 400][index]}/hris`, hook: hook(index === 0) },
        auth: auth(`hris ${kind}`, kind, 'hris'),
      };
    }
    for (const [preset, { login: parts }] of Object.entries<PeopleVendor>(PEOPLE_VENDORS)) {
      const plant = (part: LoginPart): Yaml =>
        part === 'private_key' ? garden.key(`${preset} key`, '') : garden.secret(`${preset} ${part}`);
      sources[`people_${preset}`] = {
        ...{ type: 'hris', preset, base_url: `${echo}/403/hris` },
        auth: Object.fromEntries([...parts.needs, ...(parts.takes ?? [])].map((part) => [part, plant(part)])),
      };
    }
    for (const withKey of [false, true]) {
      const name = withKey ? 'key' : 'password';
      const file = { key: 'id', settle: '0s', columns: { id: 'string', name: 'string' } };
      for (const type of ['csv', 'json']) {
        sources[`${type}_${name}`] = {
          ...{ type, drop: `${sftp.address}/${type}-${name}`, pattern: `*.${type}`, ...file },
          sftp: login(`${type} ${name}`, withKey),
          write_back: back(`${type} back ${name}`, withKey),
          hook: hook(withKey),
        };
      }
      sources[`files_${name}`] = {
        ...{ type: 'crm', drop: `${sftp.address}/files-${name}`, sftp: login(`crm files ${name}`, withKey) },
        streams: { companies: { pattern: '*.json', ...file, write_back: back(`crm back ${name}`, withKey) } },
      };
    }
  };
  if (part === 'silent') addSilent();
  else addAnswering();
  const deliver = (of: string, what: object, name: string): Yaml =>
    Object.fromEntries(
      [false, true].map((withKey) => [
        `${of}_by_${withKey ? 'key' : 'password'}`,
        {
          ...what,
          deliver: {
            drop: `${sftp.address}/${of}-${withKey}`,
            sftp: login(`delivery of ${of} ${withKey}`, withKey),
            name,
          },
        },
      ]),
    );
  const delivered = (): Readonly<Record<string, Yaml>> => ({
    deliveries: deliver('cvs', { kind: 'cv_documents', format: 'pdf', language: 'en', at_most: 1 }, '{name}.pdf'),
    reports: deliver('skills', { kind: 'cv', type: 'technologies', schedule: '0 6 * * *' }, '{report}-{date}.csv'),
  });
  const pages = (): Yaml => {
    const openid = {
      issuer: `${echo}/openid`,
      client_id: 'pages',
      client_secret: garden.secret('log-in by openid'),
    };
    return { listen: '127.0.0.1:0', public_url: 'http://127.0.0.1:1', state: './web', login: { openid } };
  };
  const http = (of: string): Yaml => ({
    url: garden.address(`notify ${of}`, `${echo}/403/${of}`),
    ...{ private_addresses: 'allowed', timeout: '2s' },
  });
  const notify = (): Yaml => ({
    proxy: proxy('notify proxy'),
    channels: {
      outside: { type: 'slack', url: garden.address('notify outside', 'https://hooks.example.com'), timeout: '2s' },
      hook: { type: 'webhook', ...(http('hook') as object), secret: garden.secret('notify secret') },
      slack: { type: 'slack', ...(http('slack') as object) },
      teams: { type: 'teams', ...(http('teams') as object) },
      mail: {
        ...{ type: 'smtp', host: '127.0.0.1', port: Number(new URL(echo).port), tls: 'none', timeout: '500ms' },
        ...{ username: 'sync', password: garden.secret('notify mail'), from: 'a@example.com', to: ['b@example.com'] },
      },
    },
    dead_man: http('watch'),
  });
  const baseSources = base.sources as { readonly [key: string]: Yaml };
  const users = base.users as { readonly [key: string]: Yaml };
  // If the people of one system are unreadable, nobody of the others would be created.
  const keys: Readonly<Record<string, string>> = { scim: 'externalId', ...(part === 'silent' ? { hris: 'id' } : {}) };
  const enriching = Object.entries(sources).flatMap(([name, source]) => {
    const key = keys[(source as { type: string }).type];
    return key === undefined ? [] : [[name, key] as const];
  });
  return {
    ...base,
    service: { ...(base.service as object), base_url: servers.service, api_key: garden.secret('service.api_key') },
    sources: { ...baseSources, ...sources },
    users: {
      ...users,
      enrich: Object.fromEntries(enriching.map(([name, key]) => [name, { join: `${name}.${key} == hr.id` }])),
      ...(part === 'silent' ? {} : { write_back: { told: { title: 'user.id' } } }),
    },
    customers: {
      from: Object.entries(sources).flatMap(([name, source]) =>
        (source as { type: string }).type === 'crm' ? [`${name}.companies`] : [],
      ),
      fields: { external_unique_id: 'record.id', customer_name: { en: 'record.name' } },
    },
    ...(part === 'silent' ? {} : { ...delivered(), notify: notify(), web: pages(), schedule: { every: '0 0 1 1 *' } }),
  };
}
