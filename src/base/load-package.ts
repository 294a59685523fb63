import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * Loads a package that few runs need: loading it always would slow down every start. It is not part of the bundle, but
 * among the modules next to it.
 */
export function loadPackage<T>(name: string): T {
  return require(name) as T;
}
