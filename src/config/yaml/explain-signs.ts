import { type Document, isCollection, visit } from 'yaml';
import { explainOddSpace, IN_CURLY_QUOTES, STRAY_SPACE } from '../../model/odd-signs.js';
import { isSecret, lineAt, type SyntaxProblem } from './explain-syntax.js';

/** Finds text that YAML reads differently from what its author meant: odd spaces, typographic quotes, `{{ … }}`. */
export function explainSigns(document: Document, text: string): readonly SyntaxProblem[] {
  const found: SyntaxProblem[] = [];
  visit(document, {
    Scalar: (_key, { type, range }) => {
      if (type === 'PLAIN' && range != null) found.push(...explainWord(text, range[0], text.slice(range[0], range[1])));
    },
    Pair: (_key, { key }) => {
      const range = isCollection(key) ? key.range : null;
      if (range != null) found.push(explainKey(text, range[0]));
    },
  });
  return found;
}

function explainWord(text: string, from: number, word: string): readonly SyntaxProblem[] {
  const stray = STRAY_SPACE.exec(word);
  if (stray !== null) {
    const [message, remedy] = explainOddSpace(stray[0]);
    return [{ offset: from + stray.index, message, remedy }];
  }
  const inner = IN_CURLY_QUOTES.exec(word)?.[1];
  if (inner === undefined) return [];
  const shown = isSecret(lineAt(text, from).line) || inner.includes('`') ? '' : `, as in \`${JSON.stringify(inner)}\``;
  return [{ offset: from, message: `${word[0]} is not a YAML quote`, remedy: `Write straight quotes${shown}.` }];
}

function explainKey(text: string, offset: number): SyntaxProblem {
  const { line } = lineAt(text, offset);
  const [, key, expression] = /^\s*([\w.]+):\s*\{\{\s*([\w.?]+)\s*\}\}\s*$/.exec(line) ?? [];
  const remedy =
    expression === undefined || isSecret(line)
      ? 'Write it without brackets and braces.'
      : `Write \`${key}: ${expression}\`.`;
  return { offset, message: 'a map or a list is used as a key', remedy };
}
