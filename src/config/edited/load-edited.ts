import { SyncError } from '../../base/errors.js';
import type { Config } from '../config.js';
import { loadConfig, openYaml } from '../load.js';
import { compareWritten } from './compare-written.js';

/** An edited configuration from an untrusted author, together with the current one. */
export interface EditedConfig {
  readonly inForce: Config;
  readonly edited: Config;
  /** Paths at which the two differ, such as `users.fields.title`. */
  readonly paths: readonly string[];
}

export interface WrittenPair {
  /** Path of the current file. Relative paths in both configurations start from its folder. */
  readonly file: string;
  readonly inForce: string;
  readonly edited: string;
}

const BEGIN = 'Begin with the current configuration, and edit its mapping, guards, scope, leaver or joiner rules.';

/**
 * Checks an untrusted edited configuration. First compares its YAML: it may only differ in parts that decide what is derived,
 * so addresses, paths and secrets are the current ones. Then applies the usual checks. Reads no secrets.
 *
 * @throws SyncError SYNC_PREVIEW_REFUSED with the paths that must not differ; SYNC_CONFIG_INVALID
 */
export function loadEdited({ file, inForce, edited }: WrittenPair): EditedConfig {
  const written = openYaml(file, inForce, BEGIN).data;
  const { allowed, refused } = compareWritten(written, openYaml(file, edited, BEGIN).data);
  if (refused.length > 0) throw refuseDifferences(refused);
  return {
    inForce: loadConfig(file, null, inForce, 'when used'),
    edited: loadConfig(file, null, edited, 'when used'),
    paths: allowed,
  };
}

const MOST_NAMED = 50;

function refuseDifferences(paths: readonly string[]): SyncError {
  return new SyncError('SYNC_PREVIEW_REFUSED', {
    message: 'This configuration cannot be previewed: it also changes parts that a preview must not change.',
    place: paths[0] ?? '',
    remedy:
      'Edit only the mapping, guards, scope, leaver and joiner rules; for anything else run `talent-sync plan` on the machine of the state.',
    problems: paths
      .slice(0, MOST_NAMED)
      .map((place) => ({ place, message: 'this must equal the current configuration' })),
  });
}
