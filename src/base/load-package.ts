import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * A package that few runs need, when one does: loading it would be a good part of the start of all the others. It stays
 * outside the bundle, among the modules beside it.
 */
export function loadPackage<T>(name: string): T {
  return require(name) as T;
}
