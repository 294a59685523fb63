import type { Secret } from '../secrets/secret.js';
import type { SecretInput } from './schema-parts.js';

/** A place in the configuration: `sources`, `hr`, `columns`, `email`. */
export type YamlPath = readonly (string | number)[];

/** Reads a secret; reports a missing one and returns an empty one. */
export type ReadSecret = (path: YamlPath, secret: SecretInput) => Secret;

/** Collects all problems, so that they are reported together. */
export interface ProblemSink {
  add(path: YamlPath, message: string, remedy: string, at?: 'key' | 'value'): void;
}

/** The context for resolving the values of the configuration. */
export interface Resolving {
  /** Absolute path of the configuration's folder, from which relative paths start. */
  readonly folder: string;
  readonly readSecret: ReadSecret;
  readonly report: ProblemSink;
  /** The environment variable that names a proxy; absent if none does. Only the configuration's proxies are used. */
  readonly proxyVariable?: string;
}
