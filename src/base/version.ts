import { readFileSync } from 'node:fs';

/** The version of this package. The relative path is the same from `dist` and from `src`. */
export const VERSION = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }
).version;
