import type { TypeError as CelTypeError } from '@marcbachmann/cel-js';
import { writeColumnRead } from '../model/column-read.js';
import { adviseName, nearestName } from '../model/nearest.js';
import { type Finding, REPLACEMENTS } from './inspect.js';
import { nameAsWritten } from './linear-patterns.js';
import { adviseCondition } from './other-languages.js';
import type { Scope } from './scope.js';

export interface TypeFault {
  readonly summary: string;
  readonly range: CelTypeError['range'] | undefined;
}

/** Explains a type error in an expression and suggests a remedy. */
export function explainType(error: TypeFault, text: string, scope: Scope): Finding {
  const start = error.range?.start ?? 0;
  const end = error.range?.end ?? text.length;
  const unknown = /^Unknown variable: (.+)$/.exec(error.summary)?.[1];
  if (unknown !== undefined) {
    return { message: `\`${unknown}\` is not known here`, remedy: adviseVariable(unknown, text, scope), start, end };
  }
  const missing = /^found no matching overload for '.*?(\w+)\(/.exec(error.summary)?.[1];
  const called = missing === undefined ? -1 : text.indexOf(`${missing}(`, start);
  const condition = /^(if|iif|wenn)$/i.test(missing ?? '') ? adviseCondition(text, scope) : null;
  if (condition !== null) return condition;
  const [what, remedy] =
    explainCall(error.summary, scope) ?? explainOperator(error.summary, text.slice(start, end), scope) ?? [];
  return {
    message: `type error: ${what ?? error.summary}`,
    remedy: remedy ?? 'Both sides need the same type; `string(…)`, `int(…)` and `double(…)` convert.',
    ...(called === -1 ? { start, end } : { start: called, end: called + (missing ?? '').length }),
  };
}

/** Advises on a column without its record, a map without `maps`, a misspelt name, or a text without quotes. */
function adviseVariable(unknown: string, text: string, { variables, maps, environment }: Scope): string {
  for (const variable of ['record', ...Object.keys(variables)]) {
    const column = variables[variable]?.[unknown];
    if (column !== undefined) return `Did you mean \`${writeColumnRead(variable, unknown, column.optional)}\`?`;
  }
  if (Object.hasOwn(maps, unknown)) return `Did you mean \`maps.${unknown}\`?`;
  const names = Object.keys(variables);
  if (environment.hasVariable('today')) names.push('today');
  if (Object.keys(maps).length > 0) names.push('maps');
  const known = `Known here: ${names.join(', ')}.`;
  const isText = !text.includes(`${unknown}.`) && !text.includes(`${unknown}(`);
  // In YAML, a single name also needs outer quotes.
  const quoted = text.trim() === unknown ? `'"${unknown}"'` : `\`"${unknown}"\``;
  return adviseName(unknown, names, isText ? `${known} A fixed text needs quotes of its own, as in ${quoted}.` : known);
}

/** A problem and its remedy. */
type TypeAdvice = readonly [message: string, remedy: string];

function explainCall(summary: string, { environment, maps }: Scope): TypeAdvice | null {
  const call = /^found no matching overload for '(?:([\w.<>, ]+)\.)?(\w+)\((.*)\)'/.exec(summary);
  const [, owner, name, given = ''] = call ?? [];
  if (name === undefined) return null;
  const functions = environment.getDefinitions().functions;
  const names = [...new Set(functions.map((one) => nameAsWritten(one.name)))];
  if (owner?.startsWith('optional')) {
    const remedy = 'Give a replacement first, as in `record.?x.orValue("")`, or use `record.?x.optMap(v, …)`.';
    return [`\`${name}\` is used on a value that can be absent`, remedy];
  }
  const isMethod = (one: string): boolean =>
    functions.every((known) => nameAsWritten(known.name) !== one || known.receiverType !== null);
  if (!names.includes(name)) {
    const near = nearestName(name, names);
    if (near === null) return [`there is no function \`${name}\``, `Functions: ${listPlain(names)}.`];
    const behind = owner === undefined && isMethod(near) ? ' Write it after its value and a dot.' : '';
    return [`there is no function \`${name}\``, `Did you mean \`${near}\`?${behind}`];
  }
  const [first] = Object.keys(maps);
  if (name === 'lookup') {
    const remedy = `The first is a map of the configuration, the second a text: \`lookup(maps.${first ?? 'x'}, …)\`.`;
    return ['`lookup` takes a map, a text, and an optional default', remedy];
  }
  if (owner === undefined && isMethod(name)) {
    return [`\`${name}\` comes after its value`, 'Write the value, a dot, then the function.'];
  }
  const types = [owner, ...given.split(', ')].flatMap((type) => (type ? describeType(type) : []));
  return [`\`${name}\` does not take ${types.join(' with ')}`, '`string(…)`, `int(…)` and `double(…)` convert.'];
}

function listPlain(names: readonly string[]): string {
  return names.filter((name) => /^[a-z]\w+$/i.test(name)).join(', ');
}

function explainOperator(summary: string, text: string, scope: Scope): TypeAdvice | null {
  const [, left, sign, right] = /^no such overload: (.+) (==|!=|[<>]=?|&&|\|\||[-+*/%]|in) (.+)$/.exec(summary) ?? [];
  if (left === undefined || right === undefined) {
    return summary.includes("'null'") ? [summary, 'For "no value" use `optional.none()` and `optional.of(…)`.'] : null;
  }
  const types = [left, right];
  const message = `\`${sign}\` has ${describeType(left)} on one side, ${describeType(right)} on the other`;
  if (types.some((type) => type.startsWith('optional'))) return [message, adviseAbsent(text, scope)];
  if (types.includes('google.protobuf.Timestamp')) {
    return [message, 'Compare with `today`, or with a day written as `timestamp("2026-11-20T00:00:00Z")`.'];
  }
  if (types.includes('bool') && types.includes('string')) {
    return [message, 'One side is true or false already: leave the comparison out, and put `!` in front for "not".'];
  }
  if (types.includes('int') && types.includes('string') && /==|!=/.test(sign ?? '')) {
    return [message, 'Write the number in quotes, or convert the other side with `int(…)`.'];
  }
  return [message, 'Both sides need the same type; `string(…)`, `int(…)` and `double(…)` convert.'];
}

const WORDS: Readonly<Record<string, string>> = {
  string: 'a text',
  int: 'a whole number',
  double: 'a number',
  bool: 'true or false',
  'google.protobuf.Timestamp': 'a date',
};

function describeType(type: string): string {
  const inner = /^optional<(.+)>$/.exec(type)?.[1];
  if (inner !== undefined) return `${describeType(inner)} that can be absent`;
  return WORDS[type] ?? (type.startsWith('list') ? 'a list' : type);
}

/** Suggests a replacement value for the first column that is read as optional. */
function adviseAbsent(text: string, { variables }: Scope): string {
  const [read, variable = '', name, quoted] = /(\w+)(?:\.\?(\w+)|\[\?"([^"]+)"\])/.exec(text) ?? [];
  const column = variables[variable]?.[name ?? quoted ?? ''];
  const whole =
    read === undefined || column === undefined
      ? 'record.?x.orValue("")'
      : `${read}.orValue(${REPLACEMENTS[column.type]})`;
  return `Replace an absent value, as in \`${whole}\`.`;
}
