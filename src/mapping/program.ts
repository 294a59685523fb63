import type { Config, StreamMapping, UsersConfig } from '../config/config.js';
import { createDateWriter } from '../model/date-in-zone.js';
import { type Entity, isAccount, isSection } from '../model/entity.js';
import type { CellNote } from '../model/source.js';
import { type BackedStream, listBacked } from './backing.js';
import { findLasting, type Lasting } from './day-tests.js';
import { compileChecked, defect, isTrueOf } from './expression.js';
import { buildFieldSteps } from './field-steps.js';
import { findFreeColumns } from './free-columns.js';
import { inspectExpression } from './inspect.js';
import { type JoinKeys, parseJoin } from './join.js';
import { createLeavingDates, type LeavingDates } from './leaving-dates.js';
import type { MappingLeaf } from './mapping-leaf.js';
import { createScope, type Scope } from './scope.js';
import type { FieldStep } from './step-kit.js';
import { listEnriching, listVisible, needStream } from './streams.js';
import { findVocabulary, type WordReader } from './vocabulary.js';
import type { Want } from './wanted.js';

/** The expressions of an entity, compiled for one stream. */
export interface Program {
  readonly scope: Scope;
  readonly origin: string;
  readonly enriching: readonly string[];
  readonly inScope: MappingLeaf | null;
  readonly leaver: MappingLeaf | null;
  readonly leaving: LeavingDates | null;
  /** The leaving dates that `scope` decides, if people out of scope leave. */
  readonly leavingScope: LeavingDates | null;
  /** The columns of the row that `leaver.when` reads. */
  readonly decisive: ReadonlySet<string>;
  readonly joiner: { readonly start: MappingLeaf; readonly leadMs: number } | null;
  readonly doubtful: MappingLeaf | null;
  readonly words: readonly WordReader[];
  readonly steps: readonly FieldStep[];
  readonly backed: readonly BackedStream[];
  readonly modified: MappingLeaf | null;
  /** Says how long the results of all expressions together stay valid. */
  readonly lasting: Lasting;
}

export function listSayingLeft({ leaver, steps }: Program): readonly string[] {
  const saying = leaver?.expression.sources ?? [];
  const leaves = steps.flatMap((step) => step.leaves);
  return leaves.flatMap(({ path, expression }) => {
    return expression.sources.some((source) => saying.includes(source)) ? [path] : [];
  });
}

/** Lists the columns that each expression reads, such as `hr.End date`, by the path of the field or rule. */
export function listReads({
  inScope,
  leaver,
  joiner,
  doubtful,
  modified,
  steps,
}: Program): readonly (readonly [string, readonly string[]])[] {
  const leaves = [inScope, leaver, joiner?.start ?? null, doubtful, modified, ...steps.flatMap((step) => step.leaves)];
  return leaves.flatMap((leaf) => (leaf === null ? [] : [[leaf.path, leaf.expression.reads] as const]));
}

export function listFreeRoles({ steps, scope }: Program): readonly string[] {
  const leaves = steps.flatMap((step) => step.leaves).filter(({ path }) => path === 'roles');
  return leaves.flatMap(({ expression }) => findFreeColumns(scope, expression.text));
}

export function buildProgram(
  config: Config,
  entity: Entity,
  origin: string,
  mapping: UsersConfig | StreamMapping,
): Program {
  const stream = needStream(config.sources, origin);
  const users = 'enrich' in mapping ? mapping : null;
  const enriching = listEnriching(config, entity);
  const { sources, timezone, maps } = config;
  const scope = createScope(listVisible(sources, stream, enriching), 'record', timezone, maps);
  const texts: string[] = [];
  const writeDate = createDateWriter(timezone);
  const compile = (path: string, text: string, want: Want): MappingLeaf => {
    texts.push(text);
    const expression = compileChecked(scope, path, text, want);
    const { reads, saysEmpty } = expression;
    const from = reads.length === 1 ? (reads[0] ?? text) : text;
    const hear = (word: string): void => {
      scope.tracker.heard.push({ path, word, from });
    };
    const hidden = (): CellNote | null => {
      const { noted } = scope.tracker;
      return noted === null
        ? null
        : (reads.map((name) => noted.get(name)).find((note) => note?.kind === 'hidden') ?? null);
    };
    return { path, expression, writeDate, hidden, ...(saysEmpty ? {} : { hear }) };
  };
  const compileGiven = (path: string, text: string | null | undefined, want: Want): MappingLeaf | null =>
    text == null ? null : compile(path, text, want);
  const when = mapping.leaver?.when ?? null;
  const start = compileGiven('joiner.start', users?.joiner?.start, 'date');
  const doubtful = compileGiven('doubtful', users?.doubtful, 'bool');
  const leaver = compileGiven('leaver.when', when, 'bool');
  const inScope = compileGiven('scope', mapping.scope, 'bool');
  const dated = {
    beginnings: [mapping.scope, users?.joiner?.start].filter((text) => text != null),
    placeholdersAllowed: mapping.leaver?.placeholderDates === true,
    setting: describeSetting(entity),
  };
  const program = {
    scope,
    origin,
    enriching,
    inScope,
    leaver,
    leaving:
      leaver === null
        ? null
        : createLeavingDates(scope, {
            ...dated,
            text: leaver.expression.text,
            hasLeft: () => isTrueOf(leaver.expression),
          }),
    leavingScope:
      inScope === null || users?.outOfScope !== 'deactivate'
        ? null
        : createLeavingDates(scope, {
            ...dated,
            text: inScope.expression.text,
            hasLeft: () => !isTrueOf(inScope.expression),
          }),
    decisive: listColumns(scope, origin, when),
    joiner: start === null ? null : { start, leadMs: users?.joiner?.leadMs ?? 0 },
    doubtful,
    words: findVocabulary(scope, {
      scope: mapping.scope,
      leaver: when,
      others: [users?.joiner?.start, users?.doubtful].filter((text) => text != null),
    }),
    steps: buildFieldSteps(entity, mapping, scope, compile),
    backed: listBacked(config, entity, origin, enriching),
    modified: compileGiven('modified', mapping.modified, 'date'),
  };
  return { ...program, lasting: findLasting(scope, texts) };
}

/** The name of the setting that allows a placeholder as the day of leaving. */
function describeSetting(entity: Entity): string {
  if (isAccount(entity)) return `${entity}.leaver.placeholder_dates`;
  return `${isSection(entity) ? 'cv_sections.' : ''}${entity}.remove.placeholder_dates`;
}

/** The columns of the row itself that an expression reads. */
function listColumns(scope: Scope, origin: string, text: string | null): ReadonlySet<string> {
  if (text === null) return new Set();
  const { references } = inspectExpression(scope.parse(text).ast, scope);
  return new Set(
    references.flatMap(({ variable, column }) => {
      const sources = scope.variables[variable]?.[column]?.sources ?? [];
      return sources.includes(origin) ? [column] : [];
    }),
  );
}

export function buildJoins(
  { sources, timezone }: Config,
  mapping: UsersConfig | StreamMapping,
): ReadonlyMap<string, JoinKeys> {
  if (!('enrich' in mapping)) return new Map();
  const sideOf = (name: string) => ({ source: name, columns: needStream(sources, name).columns });
  const existence = sideOf(mapping.existence);
  const joins = Object.entries(mapping.enrich).map(([name, { join }]) => {
    const { keys, findings } = parseJoin(join, existence, sideOf(name), timezone);
    if (keys === null) throw defect(`enrich.${name}.join: ${findings[0]?.message ?? 'the join cannot be compiled'}`);
    return [name, keys] as const;
  });
  return new Map(joins);
}
