import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { SyncError } from '../base/errors.js';
import { configError, openYaml } from './load.js';
import { createSecretReader } from './secrets.js';
import { resolveWeb, type WebSettings, webSchema } from './web-settings.js';
import { checkShape } from './yaml/check-shape.js';
import type { ConfigProblems } from './yaml/config-problems.js';

/** The file in a folder of tenants that configures the daemon and not a tenant. */
export const DAEMON_FILE = 'daemon.yaml';

/** Keys of `daemon.yaml`. Each is checked by the code that reads it. */
export const DAEMON_KEYS = {
  web: z.unknown().optional(),
  backend: z.unknown().optional(),
  fleet: z.unknown().optional(),
};

const daemonSchema = z.strictObject({ ...DAEMON_KEYS, web: webSchema.optional() });

/** @throws SyncError SYNC_CONFIG_UNREADABLE, SYNC_CONFIG_INVALID */
export function openDaemonFile(file: string, begin: string): ReturnType<typeof openYaml> {
  const opened = openYaml(file, undefined, begin);
  if (typeof opened.data === 'object' && opened.data !== null && 'fleet' in opened.data) {
    const remedy =
      'Remove it, and add `backend:`. docs/guides/many-tenants.md explains how, and how to move the states of a fleet.';
    opened.report.add(['fleet'], 'daemons no longer hand states over in a folder: they share a PostgreSQL', remedy);
  }
  return opened;
}

const BEGIN = 'Begin with `web:`; config/daemon.yaml is an example.';

/**
 * Loads `web:` of a daemon: from `daemon.yaml` in a folder of tenants, or from the single configuration.
 *
 * @param target a configuration, or a folder of them
 * @param env null if no secret is needed and none is read
 * @param isLocal every request comes from the operator: only this machine can reach the pages
 * @returns null without pages
 * @throws SyncError SYNC_CONFIG_UNREADABLE, SYNC_CONFIG_INVALID, SYNC_CONFIG_SECRET
 */
export function loadWeb(target: string, env: NodeJS.ProcessEnv | null, isLocal: boolean): WebSettings | null {
  const path = resolve(target);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = isFolder ? join(path, DAEMON_FILE) : path;
  if (isFolder && !statSync(file, { throwIfNoEntry: false })?.isFile()) return null;
  const { data, report } = isFolder ? openDaemonFile(file, BEGIN) : openYaml(file, undefined, BEGIN);
  // The rest of the file is checked when it is loaded as a tenant's configuration.
  const own = isFolder ? data : { web: (data as { readonly web?: unknown }).web };
  const { web } = checkShape(daemonSchema, own, report);
  const folder = dirname(file);
  const readSecret = createSecretReader(folder, env, report);
  const settings = web === undefined ? null : resolveWeb(web, { readSecret, toPath: (text) => resolve(folder, text) });
  if (settings !== null) checkReach(settings, isLocal, report);
  if (report.problems.length > 0) throw configError(file, report);
  return settings;
}

/**
 * Returns the settings of the pages for a configuration, or for the daemon in its folder; null if they are missing or invalid.
 */
export function findWeb(file: string): WebSettings | null {
  try {
    return loadWeb(file, null, false) ?? loadWeb(dirname(file), null, false);
  } catch (error) {
    if (error instanceof SyncError) return null;
    throw error;
  }
}

/** Checks that everyone who can reach the pages must log in, and that cookies are never sent unencrypted. */
function checkReach(settings: WebSettings, isLocal: boolean, report: ConfigProblems): void {
  const { host, openid, proxy, tokens, publicUrl, trustedProxies } = settings;
  if (isLocal && !isThisMachine(host)) {
    const remedy = 'Listen on 127.0.0.1, or start the daemon without --insecure-loopback.';
    report.add(
      ['web', 'listen'],
      `with --insecure-loopback nobody logs in, but other machines can reach ${host}`,
      remedy,
    );
  }
  if (openid === null && proxy === null && !tokens) {
    report.add(['web', 'login'], 'there is no way to log in', 'Configure `openid` or `proxy`, or leave `tokens` on.');
  }
  if (proxy !== null && trustedProxies.length === 0) {
    const remedy = 'Name the addresses of the proxy in `web.trusted_proxies`.';
    report.add(['web', 'login', 'proxy'], 'a header of a proxy names the person, but no proxy is trusted', remedy);
  }
  if (publicUrl === null && (!isThisMachine(host) || openid !== null)) {
    const remedy = 'Write the address that people type, such as https://sync.example.com.';
    report.add(['web'], '`web.public_url` is missing: log-ins and links need the address of the pages', remedy);
  }
  if (publicUrl !== null && !publicUrl.startsWith('https:') && !isThisMachine(new URL(publicUrl).hostname)) {
    const remedy = 'Put a proxy with a certificate in front of the pages, and write its https:// address.';
    report.add(['web', 'public_url'], 'log-ins would be sent unencrypted', remedy);
  }
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || /^127(\.\d+){3}$/.test(host) || host.replace(/^\[|\]$/g, '') === '::1';
}
