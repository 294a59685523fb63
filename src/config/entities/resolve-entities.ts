import type { Sources } from '../../connectors/kinds.js';
import { checkExpressions, type ExpressionUse } from '../../mapping/check.js';
import { parseJoin } from '../../mapping/join.js';
import { createProtectScope } from '../../mapping/protector.js';
import { createScope } from '../../mapping/scope.js';
import { findStream, listVisible, type StreamShape } from '../../mapping/streams.js';
import { type MatchKey, USUAL } from '../../model/comparison.js';
import { type Entity, isSection } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import { nearestName } from '../../model/nearest.js';
import { listStreams } from '../../model/stream.js';
import { parseDuration } from '../../settings/duration.js';
import type { YamlPath } from '../../settings/resolving.js';
import type { LeaverConfig, StreamEntity, StreamMapping, UsersConfig, UsersLeaverConfig } from '../config.js';
import { resolveWriteBack } from '../write-back/resolve-write-back.js';
import type { ConfigProblems } from '../yaml/report.js';
import type { MatchInput, StreamMappingInput, UsersInput } from './entity-schema.js';
import { resolveBulkLoad } from './resolve-bulk-load.js';
import { type ResolvedFields, resolveFields } from './resolve-fields.js';

export interface EntityContext {
  readonly sources: Sources;
  /** Every source as written, those that could not be resolved included: of these nothing more is reported. */
  readonly written: readonly string[];
  readonly timezone: string;
  readonly report: ConfigProblems;
}

export function resolveUsers(input: UsersInput, context: EntityContext): UsersConfig {
  const { report, timezone } = context;
  const fields = resolveFields('users', input.fields, report);
  const uses = [...fields.uses];
  if (input.scope !== undefined) uses.push({ path: ['users', 'scope'], text: input.scope, want: 'bool' });
  if (input.leaver.when !== undefined) {
    uses.push({ path: ['users', 'leaver', 'when'], text: input.leaver.when, want: 'bool' });
  }
  if (input.joiner !== undefined) {
    uses.push({ path: ['users', 'joiner', 'start'], text: input.joiner.start, want: 'date' });
  }
  if (input.modified !== undefined) uses.push({ path: ['users', 'modified'], text: input.modified, want: 'date' });
  const existence = findUserSource(['users', 'existence'], 'value', input.existence, context);
  const enriching: string[] = [];
  for (const [name, { join }] of Object.entries(input.enrich)) {
    const path = ['users', 'enrich', name];
    if (name === input.existence) {
      report.add(path, `\`${name}\` is the existence source already`, 'Remove it from `enrich`.', 'key');
      continue;
    }
    const source = findUserSource(path, 'key', name, context);
    if (source === null || existence === null) continue;
    enriching.push(name);
    checkJoin([...path, 'join'], join, existence, source, context);
  }
  // Where an enriching source could not be read, its columns are unknown, and so is what is wrong with the expressions.
  if (existence !== null && enriching.length === Object.keys(input.enrich).length) {
    checkUses(createScope(listVisible(context.sources, existence, enriching, true), 'record', timezone), uses, report);
  }
  const protect = input.protect.map(
    (text, index): ExpressionUse => ({ path: ['users', 'protect', index], text, want: 'bool' }),
  );
  checkUses(createProtectScope(timezone), protect, report);
  checkNewest(['users'], fields, input.modified, report);
  const streams = [...(existence === null ? [] : [existence.name]), ...enriching];
  const writeBack = resolveWriteBack(fields, input.write_back ?? {}, {
    ...context,
    entity: 'users',
    path: ['users'],
    streams,
  });
  return {
    fields: fields.fields,
    rules: fields.rules,
    writeBack,
    modified: input.modified ?? null,
    match: resolveMatch('users', input.match, fields, ['external_unique_id', 'email'], report),
    scope: input.scope ?? null,
    existence: input.existence,
    enrich: input.enrich,
    createMissingOffices: fields.createMissingOffices,
    joiner: input.joiner === undefined ? null : { start: input.joiner.start, leadMs: parseDuration(input.joiner.lead) },
    parkingEmail: input.parking_email ?? null,
    relinkWithinMs: parseDuration(input.relink.within),
    leaver: { ...resolveLeaver(input.leaver), purge: resolvePurge(input.leaver.purge) },
    outOfScope: input.out_of_scope,
    unowned: input.unowned,
    protect: input.protect,
    bulkLoad: input.bulk_load === undefined ? null : resolveBulkLoad(input.bulk_load, fields.fields, report),
  };
}

function resolvePurge(input: UsersInput['leaver']['purge']): UsersLeaverConfig['purge'] {
  return input === undefined ? null : { afterMs: parseDuration(input.after) };
}

function resolveLeaver(input: Omit<UsersInput['leaver'], 'action' | 'purge'>): LeaverConfig {
  return {
    when: input.when ?? null,
    afterMissingReads: input.after_missing_reads,
    missingIntervalMs: parseDuration(input.missing_interval),
    graceMs: parseDuration(input.grace),
  };
}

/** Where an entity that has a feed stands in the configuration. */
export function mappingPath(entity: Entity): YamlPath {
  return isSection(entity) ? ['cv_sections', entity] : [entity];
}

/** Keys by which records of an entity are found without `match`, surest first. */
const USUAL_MATCH: Readonly<Partial<Record<StreamEntity, readonly string[]>>> = {
  countries: ['code'],
  offices: ['name'],
  proposals: ['name'],
};

export function resolveStreamMapping(
  entity: StreamEntity,
  input: StreamMappingInput,
  context: EntityContext,
): StreamMapping {
  const { report, timezone, sources } = context;
  const path = mappingPath(entity);
  const fields = resolveFields(entity, input.fields, report, path);
  const uses = [...fields.uses];
  if (input.scope !== undefined) uses.push({ path: [...path, 'scope'], text: input.scope, want: 'bool' });
  if (input.remove?.when !== undefined) {
    uses.push({ path: [...path, 'remove', 'when'], text: input.remove.when, want: 'bool' });
  }
  if (input.modified !== undefined) uses.push({ path: [...path, 'modified'], text: input.modified, want: 'date' });
  const streams: string[] = [];
  input.from.forEach((name, index) => {
    const stream = findNamedStream([...path, 'from', index], name, context);
    if (stream === null) return;
    streams.push(stream.name);
    checkUses(createScope(listVisible(sources, stream, [], false), 'record', timezone), uses, report);
  });
  checkNewest(path, fields, input.modified, report);
  const writeBack = resolveWriteBack(fields, input.write_back ?? {}, { ...context, entity, path, streams });
  return {
    writeBack,
    modified: input.modified ?? null,
    fields: fields.fields,
    rules: fields.rules,
    match: resolveMatch(entity, input.match, fields, USUAL_MATCH[entity] ?? ['external_unique_id'], report),
    scope: input.scope ?? null,
    from: input.from,
    leaver: input.remove === undefined ? null : resolveLeaver(input.remove),
  };
}

/** Which change is the newest can only be told of a source that tells when its records changed. */
function checkNewest(
  path: YamlPath,
  { rules }: ResolvedFields,
  modified: string | undefined,
  report: ConfigProblems,
): void {
  const newest = Object.values(rules).find(({ authority }) => authority === 'newest');
  if (newest === undefined || modified !== undefined) return;
  const message = `\`${newest.path}\` goes by the newest change, and nothing says when a record changed`;
  report.add([...path, 'fields'], message, `Add \`${path.join('.')}.modified: …\`, a date or a time.`, 'key');
}

function checkUses(
  scope: Parameters<typeof checkExpressions>[0],
  uses: readonly ExpressionUse[],
  report: ConfigProblems,
): void {
  for (const { path, text, start, message, remedy } of checkExpressions(scope, uses)) {
    report.addInText(path, text, start, message, remedy);
  }
}

function checkJoin(
  path: YamlPath,
  join: string,
  existence: StreamShape,
  enriching: StreamShape,
  { timezone, report }: EntityContext,
): void {
  const left = { source: existence.name, columns: existence.columns };
  const right = { source: enriching.name, columns: enriching.columns };
  for (const { start, message, remedy } of parseJoin(join, left, right, timezone).findings) {
    report.addInText(path, join, start, message, remedy);
  }
}

/** Users come from sources of one stream: expressions write `hr.email`, and `crm.people.email` would be ambiguous. */
function findUserSource(path: YamlPath, at: 'key' | 'value', name: string, context: EntityContext): StreamShape | null {
  const candidates = listStreams(context.sources).filter((stream) => !stream.name.includes('.'));
  const found = candidates.find((stream) => stream.name === name);
  if (found !== undefined) return found;
  const source = context.sources[name];
  if (source === undefined && context.written.includes(name)) return null;
  const names = candidates.map((stream) => stream.name);
  if (source !== undefined) {
    const remedy = 'Use a csv or scim source; a CRM feeds `customers` and `projects`.';
    context.report.add(path, `\`${name}\` is a CRM, whose streams cannot tell who exists`, remedy, at);
  } else context.report.add(path, `there is no source \`${name}\``, adviseName(name, names, 'Sources'), at);
  return null;
}

function findNamedStream(path: YamlPath, name: string, context: EntityContext): StreamShape | null {
  const found = findStream(context.sources, name);
  if (found !== null) return found;
  const [source = ''] = name.split('.');
  if (!(source in context.sources) && context.written.includes(source)) return null;
  const names = listStreams(context.sources).map((stream) => stream.name);
  context.report.add(path, `there is no stream \`${name}\``, adviseName(name, names, 'Streams'));
  return null;
}

function adviseName(name: string, names: readonly string[], what: string): string {
  const near = nearestName(name, names);
  if (near !== null) return `Did you mean \`${near}\`?`;
  return names.length === 0 ? 'Declare it under `sources`.' : `${what}: ${names.join(', ')}.`;
}

/** Without `match`, the identifiers that are mapped, surest first. */
function resolveMatch(
  entity: Entity,
  input: MatchInput | undefined,
  { fields, misspelt }: ResolvedFields,
  usual: readonly string[],
  report: ConfigProblems,
): readonly MatchKey[] {
  // A link of a person to a project is found by both; there is no other key.
  if (entity === 'staffing') return [{ fields: ['project', 'user'], compare: USUAL }];
  if (input === undefined) {
    const match = usual.filter((name) => name in fields).map((name) => ({ fields: [name], compare: USUAL }));
    if (match.length === 0 && !usual.some((name) => misspelt.has(name))) {
      const message = `nothing says how ${entity} are found in the service`;
      report.add(
        [...mappingPath(entity), 'match'],
        message,
        `Add \`match:\`, or map ${usual.map((name) => `\`${name}\``).join(' or ')}.`,
      );
    }
    return match;
  }
  const matchable = Object.entries(FIELDS[entity]).flatMap(([name, field]) => (field.matchable ? [name] : []));
  return input.map((entry, index) => {
    const at = [...mappingPath(entity), 'match', index];
    const { fields: names, at: listed, compare } = readMatchEntry(entry, at);
    names.forEach((name, inner) => {
      const path = listed === null ? at : [...listed, inner];
      if (!matchable.includes(name)) {
        const near = nearestName(name, matchable);
        const remedy = `${near === null ? '' : `Did you mean \`${near}\`? `}Accepted: ${matchable.join(', ')}.`;
        report.add(path, `${entity} cannot be matched by \`${name}\``, remedy);
      } else if (!(name in fields) && !misspelt.has(name)) {
        report.add(
          path,
          `\`${name}\` is not mapped`,
          `Add \`${name}: …\` to \`${mappingPath(entity).join('.')}.fields\`, or remove it here.`,
        );
      }
    });
    return { fields: names, compare };
  });
}

/** One field, fields that must match together, or these with a rule of their own; `at`: where their list stands. */
function readMatchEntry(entry: MatchInput[number], at: YamlPath): MatchKey & { readonly at: YamlPath | null } {
  if (typeof entry === 'string') return { fields: [entry], compare: USUAL, at: null };
  return 'fields' in entry ? { ...entry, at: [...at, 'fields'] } : { fields: entry, compare: USUAL, at };
}
