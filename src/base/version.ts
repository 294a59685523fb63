import { readFileSync } from 'node:fs';

/** Of the package that this program is in, seen from `dist` as from `src`. */
export const VERSION = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }
).version;
