import type { TypeError as CelTypeError, ParseError, ParseResult } from '@marcbachmann/cel-js';
import { EvaluationError, Optional } from '@marcbachmann/cel-js';
import { messageOf, SyncError } from '../errors.js';
import { writeColumnRead } from '../model/column-read.js';
import { adviseName } from '../model/nearest.js';
import { type Finding, inspectExpression } from './inspect.js';
import { nameAsWritten } from './linear-patterns.js';
import type { Scope } from './scope.js';
import { beginTally } from './tally.js';

/** What an expression must yield; any of them may also be `optional<…>` except `bool`, whose absence would mean nothing. */
export type Want =
  | 'text'
  | 'integer'
  | 'names'
  | 'bool'
  | 'flag'
  | 'date'
  | 'rank'
  | 'key'
  | 'scalar'
  | 'month'
  | 'entries'
  | 'cell'
  | 'anything';

const ACCEPTED: Readonly<Record<Want, { readonly types: readonly string[]; readonly words: string }>> = {
  text: { types: ['string'], words: 'a text' },
  integer: { types: ['int'], words: 'a whole number' },
  names: { types: ['list<string>', 'list<T>', 'list', 'string'], words: 'a list of texts' },
  bool: { types: ['bool'], words: 'true or false' },
  date: { types: ['google.protobuf.Timestamp'], words: 'a date' },
  flag: { types: ['bool'], words: 'true or false' },
  rank: {
    types: ['bool', 'int', 'double', 'string', 'google.protobuf.Timestamp'],
    words: 'a number, text, date or true/false',
  },
  key: { types: ['string', 'int'], words: 'a text or a whole number' },
  scalar: { types: ['string', 'int', 'double'], words: 'a text or a number' },
  month: { types: ['string', 'google.protobuf.Timestamp'], words: 'a date, or a text such as 2026-11' },
  cell: {
    types: [
      'string',
      'int',
      'double',
      'bool',
      'google.protobuf.Timestamp',
      'list<string>',
      'list<T>',
      'list',
      'list<dyn>',
    ],
    words: 'a text, number, true/false, date or list of texts',
  },
  anything: { types: [], words: 'a value' },
  entries: {
    types: ['list<string>', 'list<T>', 'list', 'list<dyn>', 'list<map>', 'list<map<string, dyn>>', 'string'],
    words: 'a list of texts or of maps',
  },
};

/** An expression ready to run against whatever record its scope shows. */
export interface Expression {
  readonly text: string;
  /** Sources it can read from, first first. */
  readonly sources: readonly string[];
  /** The value, undefined when absent. Throws the library's EvaluationError. */
  run(): unknown;
}

export type Compiled =
  | { readonly expression: Expression; readonly type: string; readonly findings: readonly [] }
  | { readonly expression: null; readonly type: null; readonly findings: readonly Finding[] };

export function compileExpression(scope: Scope, text: string, want: Want): Compiled {
  let program: ParseResult;
  try {
    program = scope.environment.parse(text);
  } catch (error) {
    return refuse([explainSyntax(error as ParseError, text, scope)]);
  }
  // Inspected before the check: the library's check marks the tree, and its first error hides the others.
  const { references, findings } = inspectExpression(program.ast, scope);
  if (findings.length > 0) return refuse(findings);
  const check = program.check();
  if (!check.valid || check.type === undefined) {
    const error = check.error as CelTypeError;
    return refuse([explainType({ summary: nameAsWritten(error.summary), range: error.range }, text, scope)]);
  }
  const mismatch = want === 'anything' ? null : explainMismatch(check.type, want, text);
  if (mismatch !== null) return refuse([mismatch]);

  const sources = new Set(references.flatMap((r) => scope.variables[r.variable]?.[r.column]?.sources ?? []));
  return {
    expression: { text, sources: [...sources], run: createRunner(program, scope) },
    type: check.type,
    findings: [],
  };
}

/** What runs a part of an expression that was found right as a whole; null where the part means nothing by itself. */
export function compilePart(scope: Scope, text: string): (() => unknown) | null {
  const program = scope.environment.parse(text);
  return program.check().valid ? createRunner(program, scope) : null;
}

/** An expression that was checked when the configuration was loaded: a failure here is a defect. */
export function compileChecked(scope: Scope, path: string, text: string, want: Want): Expression {
  const { expression, findings } = compileExpression(scope, text, want);
  if (expression === null) throw defect(`${path}: ${findings[0]?.message ?? 'the expression cannot be compiled'}`);
  return expression;
}

export function defect(message: string): SyncError {
  return new SyncError('SYNC_INTERNAL', {
    message,
    remedy: 'The configuration should have been refused when it was loaded: report it with the configuration.',
  });
}

function refuse(findings: readonly Finding[]): Compiled {
  return { expression: null, type: null, findings };
}

/** Most mappings are one column; reading it directly costs a tenth of a general evaluation. */
function createRunner(program: ParseResult, scope: Scope): () => unknown {
  const tree = program.ast;
  if ((tree.op === '.' || tree.op === '.?') && tree.args[0].op === 'id') {
    const view = scope.view(tree.args[0].args);
    const column = tree.args[1];
    if (view !== undefined) return () => view.get(column);
  }
  const context = scope.context;
  return () => {
    beginTally();
    const value: unknown = program(context);
    if (!(value instanceof Optional)) return value ?? undefined;
    return value.hasValue() ? (value.value() ?? undefined) : undefined;
  };
}

function explainSyntax(error: ParseError, text: string, scope: Scope): Finding {
  const start = error.range?.start ?? 0;
  return {
    message: `the expression \`${text}\` cannot be read: ${error.summary ?? error.message}`,
    remedy:
      adviseBrackets(text, scope) ??
      'Expressions are CEL (https://cel.dev); a fixed text needs quotes of its own, as in \'"no"\'.',
    start,
    end: error.range?.end ?? start,
  };
}

/** `record.Company name`: a column whose name is none in an expression. */
function adviseBrackets(text: string, { variables }: Scope): string | null {
  for (const [variable, columns] of Object.entries(variables)) {
    for (const [column, { optional }] of Object.entries(columns)) {
      const read = writeColumnRead(variable, column, optional);
      const isWritten = text.includes(`${variable}.${column}`) || text.includes(`${variable}.?${column}`);
      if (read.includes('[') && isWritten) return `Write \`${read}\`: a name with other characters goes in brackets.`;
    }
  }
  return null;
}

interface TypeFault {
  readonly summary: string;
  readonly range: CelTypeError['range'] | undefined;
}

function explainType(error: TypeFault, text: string, scope: Scope): Finding {
  const start = error.range?.start ?? 0;
  const end = error.range?.end ?? text.length;
  const unknown = /^Unknown variable: (.+)$/.exec(error.summary)?.[1];
  if (unknown !== undefined) {
    const names = Object.keys(scope.variables);
    if (scope.environment.hasVariable('today')) names.push('today');
    if (Object.keys(scope.maps).length > 0) names.push('maps');
    const known = `Known here: ${names.join(', ')}. A fixed text needs quotes of its own, as in '"${unknown}"'.`;
    const message = `\`${unknown}\` is not known in the expression \`${text}\``;
    return { message, remedy: adviseName(unknown, names, known), start, end };
  }
  return { message: `type error in \`${text}\`: ${error.summary}`, remedy: adviseType(error, scope), start, end };
}

function adviseType(error: TypeFault, scope: Scope): string {
  const call = /^found no matching overload for '(?:([\w.<>, ]+)\.)?(\w+)\(/.exec(error.summary);
  if (call?.[1]?.startsWith('optional')) {
    return 'The value can be absent: give a replacement first, as in `record.?x.orValue("")`, or use `record.?x.optMap(v, …)`.';
  }
  if (call?.[2] !== undefined) {
    const names = [...new Set(scope.environment.getDefinitions().functions.map(({ name }) => nameAsWritten(name)))];
    if (names.includes(call[2])) return `\`${call[2]}\` takes other types; \`string(…)\` and \`int(…)\` convert.`;
    return adviseName(call[2], names, `There is no function \`${call[2]}\`.`);
  }
  if (error.summary.includes("'null'")) return 'For "no value" use `optional.none()` and `optional.of(…)`.';
  if (error.summary.includes('optional')) {
    return 'A value that can be absent needs a replacement first, as in `record.?x.orValue("")`.';
  }
  return 'Both sides need the same type; `string(…)`, `int(…)` and `double(…)` convert.';
}

function explainMismatch(type: string, want: Want, text: string): Finding | null {
  const inner = /^optional<(.+)>$/.exec(type)?.[1];
  const accepted = ACCEPTED[want];
  const place = { start: 0, end: text.length };
  if (inner !== undefined && want === 'bool') {
    return {
      message: `\`${text}\` can be absent, but true or false is needed`,
      remedy: `Say what absent means, as in \`${wholeOf(text)}.orValue(false)\`.`,
      ...place,
    };
  }
  const found = inner ?? type;
  if (found === 'dyn' || found === 'T' || accepted.types.includes(found)) return null;
  return {
    message: `\`${text}\` yields ${describeType(found)}, but ${accepted.words} is needed`,
    remedy: adviseMismatch(found, want, text, inner !== undefined),
    ...place,
  };
}

/** The text with what may follow it. */
function wholeOf(text: string): string {
  return /^[\w.?]+$/.test(text) ? text : `(${text})`;
}

function describeType(type: string): string {
  return type === 'google.protobuf.Timestamp' ? 'a date' : `the type ${type}`;
}

function adviseMismatch(found: string, want: Want, text: string, optional: boolean): string {
  const convert = want === 'integer' ? 'int' : 'string';
  const whole = wholeOf(text);
  if ((want === 'text' || want === 'integer') && !found.startsWith('list') && !found.startsWith('map')) {
    return `Write \`${optional ? `${whole}.optMap(v, ${convert}(v))` : `${convert}(${text})`}\`.`;
  }
  if (want === 'text' && found.startsWith('list')) {
    const [joined, first] = optional
      ? [`${whole}.optMap(v, v.join(", "))`, `${whole}.optFlatMap(v, v.first())`]
      : [`${whole}.join(", ")`, `${whole}.first()`];
    return `Write \`${joined}\`, or take one with \`${first}\`.`;
  }
  return `Change the expression, or the type declared for the column, so that it yields ${ACCEPTED[want].words}.`;
}

/** The reason of a failed evaluation, in one line. */
export function explainFailure(error: unknown): string {
  if (error instanceof EvaluationError) return error.summary;
  return messageOf(error);
}
