import type { Secret } from '../secrets/secret.js';
import type { SecretInput } from './schema-parts.js';

/** A place in the configuration: `sources`, `hr`, `columns`, `email`. */
export type YamlPath = readonly (string | number)[];

/** Reads a secret. If it is missing, reports that and returns an empty secret. */
export type ReadSecret = (path: YamlPath, secret: SecretInput) => Secret;

/** Collects all problems so that they can be reported together. */
export interface ProblemSink {
  add(path: YamlPath, message: string, remedy: string, at?: 'key' | 'value'): void;
}

/** The context for resolving the values of the configuration. */
export interface Resolving {
  /** Absolute path of the configuration's folder; relative paths start there. */
  readonly folder: string;
  readonly readSecret: ReadSecret;
  readonly report: ProblemSink;
  /** The environment variable that names a proxy; absent if there is none. Only proxies in the configuration are used. */
  readonly proxyVariable?: string;
}
