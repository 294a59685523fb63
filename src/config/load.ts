import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import { codeOf, messageOf, SyncError } from '../errors.js';
import type { Config } from './config.js';
import { digestConfig } from './digest.js';
import { resolveConfig } from './resolve-config.js';
import { checkShape } from './yaml/check-shape.js';
import { ConfigProblems } from './yaml/config-problems.js';
import { YamlPlaces } from './yaml/yaml-place.js';

/**
 * Reads, checks and resolves the configuration. Everything that is wrong is reported at once, each with its line and
 * column; what comes back is complete and frozen.
 *
 * @param file path of the YAML file; relative paths in it start from its folder
 * @param content what the file holds, where that has been read already
 * @param env where `{ env: NAME }` secrets come from; null where none is needed, and none is read
 * @param secrets whether all of them must be there; `when used`: `missingSecrets` names what is missing
 * @throws SyncError SYNC_CONFIG_UNREADABLE; SYNC_CONFIG_INVALID, or SYNC_CONFIG_SECRET when the file is in order and
 * only secrets are missing, both with `problems`
 */
export function loadConfig(
  file: string,
  env: NodeJS.ProcessEnv | null,
  content?: string,
  secrets: 'now' | 'when used' = 'now',
): Config {
  const path = resolve(file);
  const text = content ?? readText(path);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const report = new ConfigProblems(new YamlPlaces(document, lines, text, basename(path)));

  for (const error of document.errors) {
    report.addAtOffset(error.pos[0], `this is not YAML: ${error.message}`, adviseSyntax(error.code));
  }
  // A document that cannot be parsed has no keys to check: what is missing would be guesswork.
  if (document.errors.length > 0) throw refuse(path, report);
  const data: unknown = readData(document, report, path);
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    report.addAtOffset(
      0,
      'the configuration is not a map of keys',
      'Begin with `service:`; config/minimal.yaml is an example.',
    );
    throw refuse(path, report);
  }

  const draft = checkShape(data, report);
  const sources = 'sources' in data && typeof data.sources === 'object' && data.sources !== null ? data.sources : {};
  const resolved = resolveConfig(
    draft,
    { file: path, folder: dirname(path), env, written: Object.keys(sources) },
    report,
  );
  const isLacking = report.problems.length > 0;
  const mayLack = secrets === 'when used' && report.hasOnlyMissingSecrets;
  if (resolved === null || (isLacking && !mayLack)) throw refuse(path, report);
  const config = deepFreeze({ ...resolved, digest: digestConfig(resolved) });
  return isLacking ? Object.freeze({ ...config, missingSecrets: refuse(path, report) }) : config;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = codeOf(error) ?? 'unknown';
    throw new SyncError('SYNC_CONFIG_UNREADABLE', {
      message: `The configuration cannot be read (${code})`,
      place: path,
      remedy: 'Name the file with --config, and see that it exists and may be read; config/minimal.yaml is an example.',
      cause: error,
    });
  }
}

function readData(document: ReturnType<typeof parseDocument>, report: ConfigProblems, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    const message = messageOf(error);
    report.addAtOffset(0, `this is not YAML: ${message}`, 'Correct the anchors (&) and aliases (*).');
    throw refuse(path, report);
  }
}

function adviseSyntax(code: string): string {
  if (code === 'TAB_AS_INDENT') return 'Indent with spaces.';
  if (code === 'DUPLICATE_KEY') return 'Keep one of the two.';
  return 'Correct the indentation, quotes or brackets; an expression with `: `, `#` or a quote in front goes in quotes as a whole.';
}

function refuse(path: string, report: ConfigProblems): SyncError {
  const { problems } = report;
  const [first] = problems;
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
  const detail = first === undefined ? '' : `; the first: ${first.message}`;
  return new SyncError(report.hasOnlyMissingSecrets ? 'SYNC_CONFIG_SECRET' : 'SYNC_CONFIG_INVALID', {
    message: `The configuration has ${count}${detail}`,
    place: first?.place ?? path,
    remedy: first?.remedy ?? 'Correct the problems listed.',
    problems,
  });
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
