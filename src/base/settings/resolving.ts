import type { Secret } from '../secrets/secret.js';
import type { SecretInput } from './schema-parts.js';

/** Where something is in the configuration: `sources`, `hr`, `columns`, `email`. */
export type YamlPath = readonly (string | number)[];

/** The secret, or an empty one once its absence has been reported. */
export type ReadSecret = (path: YamlPath, secret: SecretInput) => Secret;

/** Takes every problem that is found, so that they are reported together. */
export interface ProblemSink {
  add(path: YamlPath, message: string, remedy: string, at?: 'key' | 'value'): void;
}

/** What the written values are resolved with. */
export interface Resolving {
  /** Absolute path of the configuration's folder: relative paths start from there. */
  readonly folder: string;
  readonly readSecret: ReadSecret;
  readonly report: ProblemSink;
  /** The variable of the environment that names a proxy; absent where none does. Only the configuration's proxies are used. */
  readonly proxyVariable?: string;
}
