import { loadPackage } from '../../base/load-package.js';

/** Loads the encodings other than UTF-8 and UTF-16. */
export function iconv(): typeof import('iconv-lite') {
  return loadPackage('iconv-lite');
}
