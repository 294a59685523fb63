import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { codeOf } from '../base/errors.js';
import { Secret } from '../base/secrets/secret.js';
import { parseDuration } from '../base/settings/duration.js';
import { type ProxySettings, resolveProxy } from '../base/settings/proxy.js';
import type { Resolving, YamlPath } from '../base/settings/resolving.js';
import type { SecretInput } from '../base/settings/schema-parts.js';
import { trimSlash } from '../base/settings/trim-slash.js';
import { type ChannelInput, DIGEST_DAYS, type NotifyInput } from './notify-schema.js';

/** The address of another system and how to reach it. */
export interface NotifyAddress {
  readonly url: string | Secret;
  /** True if the address may be on a private network or on this machine. */
  readonly isPrivateAllowed: boolean;
  /** The proxy to use; null for a direct connection. */
  readonly proxy: ProxySettings | null;
  readonly timeoutMs: number;
}

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly tls: 'starttls' | 'implicit' | 'none';
  /** Certificate as PEM. */
  readonly ca: string | null;
  readonly login: { readonly username: string; readonly password: Secret } | null;
  readonly from: string;
  readonly to: readonly string[];
  readonly timeoutMs: number;
}

/** Where messages are sent. */
export type ChannelConfig = { readonly name: string } & (
  | { readonly type: 'webhook'; readonly address: NotifyAddress; readonly secret: Secret }
  | { readonly type: 'slack' | 'teams'; readonly address: NotifyAddress }
  | { readonly type: 'smtp'; readonly server: SmtpServer }
);

export interface NotifyConfig {
  /** Address of the operator pages, without a trailing slash. */
  readonly link: string | null;
  readonly names: boolean;
  readonly remindAfterMs: number;
  readonly lapseAfterMs: number;
  readonly channels: readonly ChannelConfig[];
  readonly deadMan: (NotifyAddress & { readonly method: 'GET' | 'POST' }) | null;
  /** Schedule of the digest; null for no digest. */
  readonly digest: { readonly every: string; readonly timezone: string } | null;
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/;

export function resolveNotify(input: NotifyInput, timezone: string, resolving: Resolving): NotifyConfig {
  const { readSecret } = resolving;
  const proxy = input.proxy === undefined ? null : resolveProxy(['notify', 'proxy'], input.proxy, readSecret);
  const outward: Outward = { ...resolving, proxy };
  const { link, names, remind_after, lapse_after, channels, dead_man: deadMan, digest } = input;
  const [hour, minute] = (digest?.at ?? '').split(':').map(Number);
  return {
    link: link === undefined ? null : trimSlash(link),
    names,
    remindAfterMs: remind_after,
    lapseAfterMs: parseDuration(lapse_after),
    channels: Object.entries(channels).map(([name, channel]) => resolveChannel(name, channel, outward)),
    deadMan:
      deadMan === undefined
        ? null
        : { ...resolveAddress(['notify', 'dead_man'], deadMan, outward), method: deadMan.method },
    digest: digest === undefined ? null : { every: `${minute} ${hour} * * ${DIGEST_DAYS[digest.on]}`, timezone },
  };
}

interface Outward extends Resolving {
  readonly proxy: ProxySettings | null;
}

function resolveChannel(name: string, input: ChannelInput, resolving: Outward): ChannelConfig {
  const path = ['notify', 'channels', name];
  if (!/^[\w.-]+$/.test(name)) {
    const remedy = 'Name it with letters, digits, `-`, `_` and `.`: the name is in commands and metrics.';
    resolving.report.add(path, `"${name}" cannot be the name of a channel`, remedy, 'key');
  }
  if (input.type === 'smtp') return { name, type: input.type, server: resolveSmtp(path, input, resolving) };
  const address = resolveAddress(path, input, resolving);
  if (input.type !== 'webhook') return { name, type: input.type, address };
  return { name, type: input.type, address, secret: resolving.readSecret([...path, 'secret'], input.secret) };
}

interface WrittenAddress {
  readonly url: string | SecretInput;
  readonly private_addresses?: 'allowed' | undefined;
  readonly timeout: number;
}

function resolveAddress(path: YamlPath, input: WrittenAddress, { readSecret, report, proxy }: Outward): NotifyAddress {
  const { url, private_addresses, timeout } = input;
  const isPrivateAllowed = private_addresses === 'allowed';
  const read = typeof url === 'string' ? url : readAddress(readSecret([...path, 'url'], url));
  const value = typeof read === 'string' ? read : read.reveal();
  // A missing secret has already been reported.
  if (value !== '' && !URL.canParse(value))
    report.add([...path, 'url'], 'the secret is not an address', 'Put the complete address into it: https://…');
  else if (value !== '' && !isPrivateAllowed && new URL(value).protocol !== 'https:')
    report.add(
      [...path, 'url'],
      'the address is not encrypted',
      'Use https. Within a private network, `private_addresses: allowed` also accepts http.',
    );
  // Proxies lead out of the network, so an address on a private network is reached directly.
  return { url: read, isPrivateAllowed, proxy: isPrivateAllowed ? null : proxy, timeoutMs: timeout };
}

/** Shorter words in an address, such as `services`, do not count as tokens. */
const SHORTEST_TOKEN = 20;

/** Registers the tokens in an address as secrets too, because servers may quote the requested path. */
function readAddress(secret: Secret): Secret {
  const value = secret.reveal();
  if (!URL.canParse(value)) return secret;
  const { pathname, search, searchParams } = new URL(value);
  const words = [...pathname.split('/'), ...searchParams.values(), ...search.slice(1).split('&')];
  for (const word of [`${pathname}${search}`, ...words]) if (word.length >= SHORTEST_TOKEN) new Secret(word);
  return secret;
}

type SmtpInput = Extract<ChannelInput, { type: 'smtp' }>;

function resolveSmtp(path: YamlPath, input: SmtpInput, { folder, readSecret, report }: Resolving): SmtpServer {
  const { host, port, tls, ca, username, password, from, to, timeout } = input;
  if (tls === 'none' && !LOOPBACK.test(host))
    report.add([...path, 'tls'], 'mails to another machine must be encrypted', 'Write `starttls` or `implicit`.');
  if ((username === undefined) !== (password === undefined))
    report.add(path, 'a log-in needs both username and password', 'Add the other, or remove both.', 'key');
  return {
    host,
    port,
    tls,
    ca: ca === undefined ? null : readPem([...path, 'ca'], resolve(folder, ca), report),
    login:
      username === undefined || password === undefined
        ? null
        : { username, password: readSecret([...path, 'password'], password) },
    from,
    to,
    timeoutMs: timeout,
  };
}

function readPem(path: YamlPath, file: string, report: Resolving['report']): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    report.add(path, `the file cannot be read (${codeOf(error) ?? 'unknown'})`, `Put the PEM file at ${file}.`);
    return null;
  }
}
