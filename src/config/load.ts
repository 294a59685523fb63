import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { type Document, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { codeOf, messageOf, SyncError } from '../base/errors.js';
import { isJsonObject } from '../model/json.js';
import type { Config } from './config.js';
import { digestConfig } from './digest.js';
import { resolveConfig } from './resolve-config.js';
import { configSchema } from './schema.js';
import { checkShape } from './yaml/check-shape.js';
import { ConfigProblems } from './yaml/config-problems.js';
import { explainSigns } from './yaml/explain-signs.js';
import { explainAlias, explainSyntax, type SyntaxProblem } from './yaml/explain-syntax.js';
import { YamlPlaces } from './yaml/yaml-place.js';

/**
 * Reads, checks and resolves the configuration. Reports all problems together, each with line and column. The result is
 * complete and frozen.
 *
 * @param file path of the YAML file; relative paths in it start from its folder
 * @param content the content of the file, if already read
 * @param env the source of `{ env: NAME }` secrets; null if none is needed and none is read
 * @param secrets whether all secrets must exist; with `when used`, `missingSecrets` lists missing ones
 * @throws SyncError SYNC_CONFIG_UNREADABLE; SYNC_CONFIG_INVALID, or SYNC_CONFIG_SECRET if only secrets are missing, both with
 * `problems`
 */
export function loadConfig(
  file: string,
  env: NodeJS.ProcessEnv | null,
  content?: string,
  secrets: 'now' | 'when used' = 'now',
): Config {
  const path = resolve(file);
  const text = content ?? readText(path);
  const { data, report } = openYaml(path, text, 'Begin with `service:`; config/minimal.yaml is an example.');
  const draft = checkShape(configSchema, data, report);
  const sources = 'sources' in data && typeof data.sources === 'object' && data.sources !== null ? data.sources : {};
  const resolved = resolveConfig(
    draft,
    { file: path, folder: dirname(path), env, written: Object.keys(sources) },
    report,
  );
  const isLacking = report.problems.length > 0;
  const mayLack = secrets === 'when used' && report.hasOnlyMissingSecrets;
  if (resolved === null || (isLacking && !mayLack)) throw configError(path, report);
  const config = deepFreeze({ ...resolved, text, digest: digestConfig(resolved) });
  return isLacking ? Object.freeze({ ...config, missingSecrets: configError(path, report) }) : config;
}

export interface OpenedYaml {
  readonly data: object;
  readonly report: ConfigProblems;
}

/**
 * Opens a YAML file as a map of keys, with a collector for its problems.
 *
 * @param begin the remedy for a file that is not a map
 * @throws SyncError SYNC_CONFIG_UNREADABLE, SYNC_CONFIG_INVALID
 */
export function openYaml(path: string, content: string | undefined, begin: string): OpenedYaml {
  const text = content ?? readText(path);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const report = new ConfigProblems(new YamlPlaces(document, lines, text, basename(path)));

  const odd = explainSigns(document, text);
  const broken = odd.length > 0 ? odd : explainSyntax(document, text);
  for (const problem of broken) report.addSyntax(problem);
  // A document that cannot be parsed has no keys, so checks for missing keys would be meaningless.
  if (broken.length > 0) throw configError(path, report);
  return { data: readData({ document, text, report, path, begin }), report };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = codeOf(error) ?? 'unknown';
    throw new SyncError('SYNC_CONFIG_UNREADABLE', {
      message: `The configuration cannot be read (${code})`,
      place: path,
      remedy:
        'Name the file with --config, and make sure that it exists and that you can read it; config/minimal.yaml is an example.',
      cause: error,
    });
  }
}

interface ReadYaml {
  readonly document: Document;
  readonly text: string;
  readonly report: ConfigProblems;
  readonly path: string;
  readonly begin: string;
}

function readData({ document, text, report, path, begin }: ReadYaml): object {
  const unusable = findUnusable(document, text);
  if (unusable !== null) report.addSyntax(unusable);
  else {
    try {
      const data: unknown = document.toJS({ maxAliasCount: 100 });
      if (isJsonObject(data)) return data;
      report.add([], 'the configuration is not a map of keys', begin);
    } catch (error) {
      report.add([], `this is not YAML: ${messageOf(error)}`, 'Correct the anchors (&) and aliases (*).');
    }
  }
  throw configError(path, report);
}

/** Finds the first alias without an earlier anchor, or the first key `__proto__`. */
function findUnusable(document: Document, text: string): SyntaxProblem | null {
  let found: SyntaxProblem | null = null;
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document) !== undefined) return undefined;
      found = explainAlias(text, alias.range?.[0] ?? 0);
      return visit.BREAK;
    },
    Pair: (_key, { key }) => {
      if (!isScalar(key) || key.value !== '__proto__') return undefined;
      found = { offset: key.range?.[0] ?? 0, message: '`__proto__` cannot be a name', remedy: 'Choose another one.' };
      return visit.BREAK;
    },
  });
  return found;
}

export function configError(path: string, report: ConfigProblems): SyncError {
  const { problems } = report;
  const [first] = problems;
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
  return new SyncError(report.hasOnlyMissingSecrets ? 'SYNC_CONFIG_SECRET' : 'SYNC_CONFIG_INVALID', {
    message: `The configuration has ${count}`,
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
