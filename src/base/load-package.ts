import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * Loads a package that few runs need, so that it does not slow down every start. The package is not part of the bundle.
 * It is installed next to it.
 */
export function loadPackage<T>(name: string): T {
  return require(name) as T;
}
