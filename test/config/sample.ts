import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Problem, SyncError } from '../../src/base/errors.js';
import type { Config } from '../../src/config/config.js';
import { loadConfig } from '../../src/config/load.js';

export const ENV = { TALENT_API_KEY: 'key', HR_TOKEN: 'token', IDP_TOKEN: 'token' };
/** The environment that the files in `config/` need. */
export const EXAMPLE_ENV = {
  ...ENV,
  CRM_TOKEN: 'token',
  HUBSPOT_TOKEN: 'token',
  SALESFORCE_SECRET: 'secret',
  DYNAMICS_SECRET: 'secret',
  HR_HOOK: 'secret',
  NEXT_HR_HOOK: 'secret',
  HR_SFTP_PASSWORD: 'secret',
  SFTP_PASSWORD: 'secret',
  NOTIFY_SECRET: 'secret',
  SLACK_URL: 'https://hooks.slack.example/services/secret',
  TEAMS_URL: 'https://teams.example/workflows/secret',
  SMTP_PASSWORD: 'secret',
  DEAD_MAN_URL: 'https://watch.example/ping/secret',
  OIDC_CLIENT_SECRET: 'secret',
};

/** A complete configuration; tests replace one piece of it. */
export const SAMPLE = `service:
  base_url: https://acme.example.com/
  api_key: { env: TALENT_API_KEY }
state: ./var
policy: sync
sources:
  hr:
    type: csv
    drop: ./drop
    pattern: "*.csv"
    key: id
    columns:
      id: string
      email: string
      name: string
      country: string
      dept: string
      year: { type: int, optional: true }
      phone: { type: string, optional: true }
      left: { type: bool, optional: true }
  idp: { type: scim, base_url: https://idp.example.com/v2, auth: { bearer: { env: IDP_TOKEN } } }
users:
  existence: hr
  enrich: { idp: { join: 'idp.externalId == hr.id' } }
  scope: record.dept != "x"
  match: [external_unique_id, email]
  leaver: { when: record.?left.orValue(false) }
  fields:
    external_unique_id: record.id
    email: record.email
    office: { country: record.country, name: record.dept }
    telephone: record.?phone
    born_year: record.?year
    title: { en: idp.?title }
`;

export function writeSample(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'talent-sync-')), 'talent-sync.yaml');
  writeFileSync(file, text);
  return file;
}

export function loadSample(text: string = SAMPLE, env: NodeJS.ProcessEnv = ENV): Config {
  return loadConfig(writeSample(text), env);
}

/** The sample with one piece replaced; fails if the piece does not occur exactly once. */
export function change(piece: string, by: string, text: string = SAMPLE): string {
  if (text.split(piece).length !== 2) throw new Error(`"${piece}" is not there exactly once`);
  return text.replace(piece, () => by);
}

export function readProblems(text: string, env: NodeJS.ProcessEnv = ENV): readonly Problem[] {
  return catchError(text, env).problems;
}

export function catchError(text: string, env: NodeJS.ProcessEnv = ENV): SyncError {
  try {
    loadSample(text, env);
  } catch (error) {
    if (error instanceof SyncError) return error;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

/** `12:5 users.fields.emial | message | remedy` */
export function show(problems: readonly Problem[]): readonly string[] {
  return problems.map(
    ({ place, message, remedy }) => `${place.replace('talent-sync.yaml:', '')} | ${message} | ${remedy}`,
  );
}
