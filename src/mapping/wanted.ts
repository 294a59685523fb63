import type { Finding } from './inspect.js';

/**
 * The type that an expression must yield. Any type except `bool` may also be `optional<…>`, because an absent `bool`
 * would have no meaning.
 */
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

/** Explains why an expression does not have the required type; null if it does. */
export function explainMismatch(type: string, want: Want, text: string): Finding | null {
  if (want === 'anything') return null;
  const inner = /^optional<(.+)>$/.exec(type)?.[1];
  const accepted = ACCEPTED[want];
  const place = { start: 0, end: text.length };
  if (inner !== undefined && want === 'bool') {
    return {
      message: 'the value can be absent, but true or false is required',
      remedy: `Replace an absent value, as in \`${wholeOf(text)}.orValue(false)\`.`,
      ...place,
    };
  }
  const found = inner ?? type;
  if (found === 'dyn' || found === 'T' || accepted.types.includes(found)) return null;
  return {
    message: `this yields ${describeType(found)}, but ${accepted.words} is needed`,
    remedy: adviseMismatch(found, want, text, inner !== undefined),
    ...place,
  };
}

/** Adds brackets if the text needs them before a method call. */
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
