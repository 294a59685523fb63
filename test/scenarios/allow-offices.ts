import { readFileSync, writeFileSync } from 'node:fs';
import type { Story } from './kit.js';

/** Marks the offices that the account lacks as new, in the configuration that `init` wrote. */
export function allowOffices({ configFile }: Pick<Story, 'configFile'>): void {
  const text = readFileSync(configFile, 'utf8');
  writeFileSync(
    configFile,
    text.replace(/^( +office: \{ (?![^#\n]*create_missing).*maps\.offices.*) \}/m, '$1, create_missing: true }'),
  );
}
