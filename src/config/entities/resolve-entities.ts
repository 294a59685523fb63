import type { YamlPath } from '../../base/settings/resolving.js';
import type { Sources } from '../../connectors/kinds.js';
import { checkExpressions, type ExpressionUse } from '../../mapping/check.js';
import { parseJoin } from '../../mapping/join.js';
import { createProtectScope } from '../../mapping/protector.js';
import { createScope } from '../../mapping/scope.js';
import { findStream, listVisible, type StreamShape } from '../../mapping/streams.js';
import type { Want } from '../../mapping/wanted.js';
import { type MatchKey, USUAL } from '../../model/comparison.js';
import { type Entity, isLink, isSection, TRAITS } from '../../model/entity.js';
import { FIELDS } from '../../model/fields.js';
import type { LookupMaps } from '../../model/lookup-maps.js';
import { adviseAmong, adviseName } from '../../model/nearest.js';
import { listStreams } from '../../model/stream.js';
import type { EntityMapping, StreamEntity, StreamMapping, UsersConfig } from '../config.js';
import { resolveWriteBack } from '../write-back/resolve-write-back.js';
import type { ConfigProblems } from '../yaml/config-problems.js';
import { checkTagColumns } from './check-tag-columns.js';
import type { MatchInput, StreamMappingInput, UsersInput } from './entity-schema.js';
import { type ResolvedFields, resolveFields } from './resolve-fields.js';

export interface EntityContext {
  readonly sources: Sources;
  /** Names of all sources as written, including invalid ones. Nothing further is reported about an invalid source. */
  readonly written: readonly string[];
  readonly timezone: string;
  readonly maps: LookupMaps;
  readonly report: ConfigProblems;
}

export function resolveUsers(input: UsersInput, context: EntityContext): UsersConfig {
  const { report, timezone } = context;
  const { protect, leaver, joiner } = input;
  const fields = resolveFields('users', input.fields, report);
  const streams = checkUserSources(input, context, [
    ...fields.uses,
    ...listUses(['users'], input),
    ...listUses(['users', 'leaver'], { when: leaver.when }),
    ...listUses(['users', 'joiner'], { start: joiner?.start ?? null }),
  ]);
  const protecting = protect.map(
    (text, index): ExpressionUse => ({ path: ['users', 'protect', index], text, want: 'bool' }),
  );
  checkUses(createProtectScope(timezone), protecting, report);
  if (input.bulkLoad !== null) checkTagColumns(input.bulkLoad, fields.fields, report);
  const { write_back: _written, ...rest } = input;
  const { createMissingOffices } = fields;
  return { ...rest, ...resolveMapping('users', input, { ...fields, streams }, context), createMissingOffices };
}

/** The required result type of each expression outside `fields`. */
const WANTED: Readonly<Record<'scope' | 'when' | 'start' | 'doubtful' | 'modified', Want>> = {
  scope: 'bool',
  when: 'bool',
  start: 'date',
  doubtful: 'bool',
  modified: 'date',
};

function listUses(
  path: YamlPath,
  texts: { readonly [Key in keyof typeof WANTED]?: string | null | undefined },
): readonly ExpressionUse[] {
  return (['scope', 'when', 'start', 'doubtful', 'modified'] as const).flatMap((key) => {
    const text = texts[key] ?? null;
    return text === null ? [] : [{ path: [...path, key], text, want: WANTED[key] }];
  });
}

/** Checks the sources of people and the expressions over these sources. Returns the streams that could be resolved. */
function checkUserSources(
  { existence: decides, enrich }: UsersInput,
  context: EntityContext,
  uses: readonly ExpressionUse[],
): readonly string[] {
  const { report, timezone, maps, sources } = context;
  const existence = findNamedStream(['users', 'existence'], decides, context);
  const enriching: string[] = [];
  for (const [name, { join }] of Object.entries(enrich)) {
    const path = ['users', 'enrich', name];
    if (name === decides) {
      report.add(path, `\`${name}\` is the existence source already`, 'Remove it from `enrich`.', 'key');
      continue;
    }
    const source = findNamedStream(path, name, context, 'key');
    if (source === null || existence === null) continue;
    enriching.push(name);
    checkJoin([...path, 'join'], join, [existence, source], context);
  }
  if (existence === null) return enriching;
  // If an enriching source is invalid, its columns are unknown, so expressions cannot be checked.
  if (enriching.length === Object.keys(enrich).length) {
    checkUses(createScope(listVisible(sources, existence, enriching), 'record', timezone, maps), uses, report);
  }
  return [existence.name, ...enriching];
}

/** Resolves the part of a mapping that all entities have in common. */
function resolveMapping(
  entity: Entity,
  input: Pick<StreamMappingInput, 'match' | 'scope' | 'modified' | 'write_back'>,
  fields: ResolvedFields & { readonly streams: readonly string[] },
  context: EntityContext,
): EntityMapping {
  const path = mappingPath(entity);
  const { modified = null, scope = null } = input;
  checkNewest(path, fields, modified, context.report);
  return {
    fields: fields.fields,
    rules: fields.rules,
    match: resolveMatch(entity, input.match, fields, context.report),
    writeBack: resolveWriteBack(fields, input.write_back ?? {}, { ...context, entity, path, streams: fields.streams }),
    modified,
    scope,
  };
}

/** Returns the path of an entity in the configuration. */
export function mappingPath(entity: Entity): YamlPath {
  return isSection(entity) ? ['cv_sections', entity] : [entity];
}

/** The only key of a link is the person together with the project. */
const LINK_MATCH: MatchKey = { fields: ['project', 'user'], compare: USUAL };

export function resolveStreamMapping(
  entity: StreamEntity,
  input: StreamMappingInput,
  context: EntityContext,
): StreamMapping {
  const { report, timezone, maps, sources } = context;
  const path = mappingPath(entity);
  const fields = resolveFields(entity, input.fields, report, path);
  const leaver = input.remove ?? null;
  const uses = [
    ...fields.uses,
    ...listUses(path, input),
    ...listUses([...path, 'remove'], { when: leaver?.when ?? null }),
  ];
  const streams: string[] = [];
  input.from.forEach((name, index) => {
    const stream = findNamedStream([...path, 'from', index], name, context);
    if (stream === null) return;
    streams.push(stream.name);
    checkUses(createScope(listVisible(sources, stream, []), 'record', timezone, maps), uses, report);
  });
  return { ...resolveMapping(entity, input, { ...fields, streams }, context), from: input.from, leaver };
}

/** Rejects `newest` for a source that does not say when its records changed, because the newer change is then unknown. */
function checkNewest(path: YamlPath, { rules }: ResolvedFields, modified: string | null, report: ConfigProblems): void {
  const newest = Object.values(rules).find(({ authority }) => authority === 'newest');
  if (newest === undefined || modified !== null) return;
  const message = `\`${newest.path}\` takes the newest change, but no setting says when a record changed`;
  report.add([...path, 'fields'], message, `Add \`${path.join('.')}.modified: …\`, a date or a time.`, 'key');
}

function checkUses(
  scope: Parameters<typeof checkExpressions>[0],
  uses: readonly ExpressionUse[],
  report: ConfigProblems,
): void {
  for (const problem of checkExpressions(scope, uses)) report.addInText(problem);
}

function checkJoin(
  path: YamlPath,
  join: string,
  [existence, enriching]: readonly [StreamShape, StreamShape],
  { timezone, report }: EntityContext,
): void {
  const left = { source: existence.name, columns: existence.columns };
  const right = { source: enriching.name, columns: enriching.columns };
  for (const finding of parseJoin(join, left, right, timezone).findings)
    report.addInText({ ...finding, path, text: join });
}

/** @param at where the name is in the configuration: a key of `enrich`, or a value */
function findNamedStream(
  path: YamlPath,
  name: string,
  { sources, written, report }: EntityContext,
  at: 'key' | 'value' = 'value',
): StreamShape | null {
  const found = findStream(sources, name);
  if (found !== null) return found;
  const [source = ''] = name.split('.');
  // The source was written, but was rejected because of an error that has been reported.
  if (!(source in sources) && written.includes(source)) return null;
  const streams = listStreams(sources);
  const ofSource = streams.filter((stream) => stream.name.startsWith(`${source}.`)).map((stream) => stream.name);
  const names = ofSource.length > 0 && !name.includes('.') ? ofSource : streams.map((stream) => stream.name);
  const message =
    ofSource.length > 0 && !name.includes('.')
      ? `\`${name}\` has several streams, so one of them must be named`
      : `there is no ${name.includes('.') ? 'stream' : 'source'} \`${name}\``;
  report.add(path, message, adviseDeclared(name, names, 'Streams'), at);
  return null;
}

function adviseDeclared(name: string, names: readonly string[], what: string): string {
  return adviseName(name, names, names.length === 0 ? 'Declare it under `sources`.' : `${what}: ${names.join(', ')}.`);
}

/** Without `match`, the default is the mapped identifiers, the most reliable first. */
function resolveMatch(
  entity: Entity,
  input: MatchInput | undefined,
  { fields, misspelt }: ResolvedFields,
  report: ConfigProblems,
): readonly MatchKey[] {
  if (isLink(entity)) return [LINK_MATCH];
  const matchable = Object.entries(FIELDS[entity]).flatMap(([name, field]) => (field.matchable ? [name] : []));
  if (input === undefined) {
    const usual = TRAITS[entity].words ?? matchable.slice(0, 1);
    const match = usual.filter((name) => name in fields).map((name) => ({ fields: [name], compare: USUAL }));
    if (match.length === 0 && !usual.some((name) => misspelt.has(name))) {
      const message = `no mapped field can find ${entity} in the service`;
      report.add(
        [...mappingPath(entity), 'match'],
        message,
        `Add \`match:\`, or map ${usual.map((name) => `\`${name}\``).join(' or ')}.`,
      );
    }
    return match;
  }
  return input.map((entry, index) => {
    const at = [...mappingPath(entity), 'match', index];
    const { fields: names, at: listed, compare } = readMatchEntry(entry, at);
    names.forEach((name, inner) => {
      const path = listed === null ? at : [...listed, inner];
      if (!matchable.includes(name)) {
        const remedy = adviseAmong(name, matchable, 'Accepted');
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

/** Reads an entry: one field, fields that must match together, or fields with their own rule. `at` is the path of the list. */
function readMatchEntry(entry: MatchInput[number], at: YamlPath): MatchKey & { readonly at: YamlPath | null } {
  if (typeof entry === 'string') return { fields: [entry], compare: USUAL, at: null };
  return 'fields' in entry ? { ...entry, at: [...at, 'fields'] } : { fields: entry, compare: USUAL, at };
}
