import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { codeOf } from '../base/errors.js';
import { Secret } from '../base/secrets/secret.js';
import type { ReadSecret, YamlPath } from '../base/settings/resolving.js';
import type { SecretInput } from '../base/settings/schema-parts.js';
import type { ConfigProblems } from './yaml/config-problems.js';

/**
 * Secrets come from the environment or from files (mounted by the platform), never from the configuration itself.
 *
 * @param env null if no other system will be called: then secrets are not read, and are empty
 */
export function createSecretReader(folder: string, env: NodeJS.ProcessEnv | null, report: ConfigProblems): ReadSecret {
  const read = (path: YamlPath, { env: name, file }: SecretInput): string => {
    if (env === null) return '';
    if (name !== undefined) {
      const value = env[name]?.trim() ?? '';
      if (value === '') {
        const found = env[name] === undefined ? 'is not set' : 'is empty';
        report.addMissingSecret(path, `the environment variable ${name} ${found}`, `Set ${name} to the secret.`);
      }
      return value;
    }
    return file === undefined ? '' : readSecretFile(path, file, resolve(folder, file), report);
  };
  return (path, secret) => new Secret(read(path, secret));
}

function readSecretFile(path: YamlPath, written: string, file: string, report: ConfigProblems): string {
  try {
    const value = readFileSync(file, 'utf8').trim();
    if (value === '') report.addMissingSecret(path, `the secret file ${written} is empty`, 'Put the secret into it.');
    return value;
  } catch (error) {
    const code = codeOf(error) ?? 'unknown';
    const remedy = `Mount or create ${file}, readable by the user that runs talent-sync.`;
    report.addMissingSecret(path, `the secret file ${written} cannot be read (${code})`, remedy);
    return '';
  }
}
