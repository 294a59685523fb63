import { type Document, isCollection, isScalar, type Node, visit, type YAMLError } from 'yaml';

/** One YAML mistake with its offset in the file. */
export interface SyntaxProblem {
  readonly offset: number;
  readonly message: string;
  readonly remedy: string;
}

/** The parser's first error and the complete text, because the mistake is often before the place where the parser stopped. */
interface Broken {
  readonly text: string;
  readonly document: Document;
  readonly error: YAMLError;
  /** The other errors of the parser. */
  readonly others: readonly YAMLError[];
}

const IN_QUOTES = 'Put the entire value in quotes.';

/**
 * Explains YAML mistakes. After the first mistake the parser reports consequences, so only the first one is reported. Duplicate
 * keys do not affect the rest, so all of them are reported.
 */
export function explainSyntax(document: Document, text: string): readonly SyntaxProblem[] {
  const errors = [...document.errors, ...document.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED')];
  const isTwice = ({ code }: YAMLError): boolean => code === 'DUPLICATE_KEY';
  const [error, ...others] = errors.filter((one) => !isTwice(one)).sort((a, b) => a.pos[0] - b.pos[0]);
  if (error !== undefined) return [explainFirst({ text, document, error, others })];
  return errors.map(({ pos }) => explainTwice(document, text, pos[0]));
}

/** Explains an alias without an anchor, which is probably a text that begins with `*`. */
export function explainAlias(text: string, offset: number): SyntaxProblem {
  return needsQuotes(text, offset);
}

function explainFirst(broken: Broken): SyntaxProblem {
  const { error, text } = broken;
  const offset = error.pos[0];
  switch (error.code) {
    case 'TAB_AS_INDENT':
      return {
        offset,
        message: 'this line is indented with a tab',
        remedy: 'Indent it with spaces, like the lines around it.',
      };
    case 'BAD_INDENT':
      return error.message.startsWith('Flow') ? explainOpen(broken, isCollection) : explainIndent(text, offset);
    case 'BLOCK_AS_IMPLICIT_KEY':
      return explainNested(broken);
    case 'MULTILINE_IMPLICIT_KEY':
      return explainNoKey(text, offset);
    case 'MISSING_CHAR':
      return explainMissing(broken);
    case 'UNEXPECTED_TOKEN':
    case 'BAD_SCALAR_START':
    case 'TAG_RESOLVE_FAILED':
    case 'MULTIPLE_ANCHORS':
    case 'BAD_ALIAS':
      return needsQuotes(text, offset);
    case 'BAD_DQ_ESCAPE':
      return { ...needsQuotes(text, offset), message: 'a `\\` in double quotes must be written twice' };
    case 'MULTIPLE_DOCS':
      return { offset, message: '`---` begins a second document', remedy: 'Write one configuration per file.' };
    default:
      return {
        offset,
        message: `this is not YAML: ${error.message}`,
        remedy: 'Correct the indentation or the quotes.',
      };
  }
}

/** Explains a bracket or quote that is never closed, at the place where it opens. */
function explainOpen({ document, error, text }: Broken, isOpen: (node: Node) => boolean): SyntaxProblem {
  let opened = error.pos[0];
  visit(document, {
    Node: (_key, node) => {
      const [start, , end] = node.range ?? [0, 0, 0];
      if (isOpen(node) && /["'[{]/.test(text[start] ?? '') && start < error.pos[0] && error.pos[0] <= end)
        opened = start;
    },
  });
  const sign = text[opened] ?? '';
  const closing = CLOSING[sign];
  const remedy =
    closing === undefined
      ? `Close it with \`${sign}\` at the end of the text.`
      : `Close it with \`${closing}\`; put a text that begins like this in quotes.`;
  return { offset: opened, message: `\`${sign}\` is never closed`, remedy };
}

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '{': '}' };

function explainMissing(broken: Broken): SyntaxProblem {
  const { error, text } = broken;
  if (error.message.startsWith('Missing closing')) return explainOpen(broken, isScalar);
  return error.message.startsWith('Flow') ? explainOpen(broken, isCollection) : explainNoKey(text, error.pos[0]);
}

/** Explains a line that is indented differently from its neighbours. */
function explainIndent(text: string, offset: number): SyntaxProblem {
  const { from, line } = lineAt(text, offset);
  const own = indentOf(line);
  const before = linesBefore(text, from);
  const neighbour = before.find((one) => indentOf(one) <= own) ?? '';
  if (indentOf(neighbour) === own && neighbour.trimStart().startsWith('- ')) {
    const remedy = 'Remove the dashes from the lines above, or add one to this line.';
    return { offset: from + own, message: 'a key follows the entries of a list', remedy };
  }
  return outOfLine(from + own, indentOf(before[0] ?? ''));
}

function outOfLine(offset: number, spaces: number): SyntaxProblem {
  const remedy = `Begin it with ${spaces} spaces, like the line above, if both are on one level.`;
  return { offset, message: 'this line is not aligned with the keys around it', remedy };
}

/** Explains `key: value` where a value is expected: on the next line with too much indentation, or after a `: ` in the value. */
function explainNested({ error, others, text }: Broken): SyntaxProblem {
  const offset = error.pos[0];
  const { from, line } = lineAt(text, offset);
  const multiline = others.find(({ code, pos }) => code === 'MULTILINE_IMPLICIT_KEY' && pos[0] === offset);
  if (multiline !== undefined) {
    const next = lineAt(text, multiline.pos[1]);
    return outOfLine(next.from + indentOf(next.line), indentOf(line));
  }
  const colon = line.slice(offset - from).search(/:(\s|$)/);
  return {
    offset: offset + Math.max(0, colon),
    message: '`: ` within a value begins another key',
    remedy: adviseQuotes(line),
  };
}

function explainNoKey(text: string, offset: number): SyntaxProblem {
  const { from, line } = lineAt(text, offset);
  const glued = /^\s*(\w+):(\S.*)$/.exec(line);
  const message = 'this line has no `: ` between a key and its value';
  if (glued === null) return { offset, message, remedy: 'Write it as `key: value`, or remove it.' };
  const remedy = isSecret(line) ? 'Put a space after the colon.' : `Write \`${glued[1]}: ${glued[2]}\`.`;
  return { offset: from + line.indexOf(':'), message, remedy };
}

/** Explains a value that begins with a special character, or that continues after YAML considers it complete. */
function needsQuotes(text: string, offset: number): SyntaxProblem {
  const { from, line } = lineAt(text, offset);
  const found = text[offset] ?? '';
  if (/[\]},]/.test(found)) return { offset, message: `\`${found}\` closes nothing here`, remedy: 'Remove it.' };
  const { value } = splitLine(line);
  const first = value[0] ?? '';
  const begins = from + line.indexOf(value);
  const within = explainWithin(line, from);
  if (within !== null) return within;
  if (first === '-' && /^-\s/.test(value)) {
    const written = isSecret(line) ? '' : `Write \`${line.trim().replace(/:\s+-\s+(.*)$/, ': [$1]')}\`, or put `;
    const remedy = `${written === '' ? 'Put ' : written}each entry on its own line.`;
    return { offset, message: 'a list begins on the line of its key', remedy };
  }
  const message =
    offset === begins
      ? `a text cannot begin with ${found === '`' ? 'a back tick' : `\`${found}\``}`
      : `a value that begins with \`${first}\` ends before this`;
  return { offset, message, remedy: adviseQuotes(line) };
}

/** Explains a mistake in part of a line; null if the entire value needs quotes. */
function explainWithin(line: string, from: number): SyntaxProblem | null {
  if (/^\s*<<\s*:/.test(line)) {
    return { offset: from + indentOf(line), message: '`<<` merges nothing here', remedy: 'Write the keys out.' };
  }
  const { value } = splitLine(line);
  const [whole = '', key = '', rest = ''] = /^[{[]/.test(value) && !isSecret(line) ? (WITHIN.exec(value) ?? []) : [];
  if (whole === '') return null;
  const remedy = `Put the entire value in quotes: \`${key}: ${quoteYaml(rest.trim())}\`.`;
  const offset = from + line.indexOf(whole) + whole.indexOf(rest);
  return { offset, message: `a text cannot begin with \`${rest[0]}\``, remedy };
}

/** Matches a key in braces whose value begins with a special character. */
const WITHIN = /([\w.-]+):\s+([*&@%][^,{}[\]]*)/;

function explainTwice(document: Document, text: string, offset: number): SyntaxProblem {
  let first = offset;
  const key = (node: unknown): Node | null => (isScalar(node) ? node : null);
  visit(document, {
    Map: (_key, map) => {
      const keys = map.items.map((pair) => key(pair.key));
      const one = keys.find((node) => node?.range?.[0] === offset);
      if (one == null) return;
      first = keys.find((node) => isScalar(node) && isScalar(one) && node.value === one.value)?.range?.[0] ?? offset;
    },
  });
  const name =
    lineAt(text, offset)
      .line.slice(offset - lineAt(text, offset).from)
      .split(/[:\s]/)[0] ?? '';
  const line = text.slice(0, first).split('\n').length;
  return {
    offset,
    message: `\`${name}\` is written twice: it is also in line ${line}`,
    remedy: 'Keep one of the two.',
  };
}

/** Shows `key: value` with quotes, but never repeats a value that is a secret. */
function adviseQuotes(line: string): string {
  const { key, value } = splitLine(line);
  if (key === '' || value === '' || value.includes('`') || isSecret(line)) return IN_QUOTES;
  return `Put the entire value in quotes: \`${key}: ${quoteYaml(value)}\`.`;
}

function quoteYaml(value: string): string {
  const inner = /^'(.*)'$/.exec(value)?.[1];
  if (inner?.includes("'") && !/["\\]/.test(inner)) return `"${inner}"`;
  const escaped = /^"([^"]*\\[^"]*)"$/.exec(value)?.[1];
  const plain = escaped ?? value;
  return /["\\]/.test(plain) ? `'${plain.replaceAll("'", "''")}'` : `"${plain}"`;
}

function splitLine(line: string): { readonly key: string; readonly value: string } {
  const found = /^\s*(?:- )?([\w.-]+):\s+(.*?)(?:\s+#.*)?\s*$/.exec(line);
  return { key: found?.[1] ?? '', value: found?.[2] ?? '' };
}

const SECRET = /(?:api_?key|private_key|token|bearer|password|passphrase|secret)\w*["']?\s*:(.*)/gi;
const NAMED = /^\s*(?:\{\s*(?:env:\s*[A-Z_][A-Z0-9_]*|file:\s*[\w./-]+)\s*(?:\}|$)|$)/;

/** True if a line may contain a secret and not only its name. Such a line is not shown. */
export function isSecret(line: string): boolean {
  return [...line.matchAll(SECRET)].some(([, rest = '']) => !NAMED.test(rest));
}

export function lineAt(text: string, offset: number): { readonly from: number; readonly line: string } {
  const from = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  return { from, line: text.slice(from, end === -1 ? undefined : end) };
}

/** Lists the preceding lines, the nearest first, without empty lines and comments. */
function linesBefore(text: string, from: number): readonly string[] {
  const lines = text.slice(0, Math.max(0, from - 1)).split('\n');
  return lines.filter((line) => !/^\s*(#|$)/.test(line)).reverse();
}

function indentOf(line: string): number {
  return line.search(/\S|$/);
}
