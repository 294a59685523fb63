import ts from 'typescript';
import { ENTITIES } from '../src/model/entity.js';
import { FIELDS } from '../src/model/fields.js';
import { lineOf, type SourceModule } from './module-graph.js';

/** Fields with the name of a shape, a form or an entity. A list of these names is not a list of fields. */
const WORDS: ReadonlySet<string> = new Set<string>(
  [
    ...ENTITIES,
    ...Object.values(FIELDS).flatMap((fields) =>
      Object.values(fields).flatMap(({ shape, form = 'email' }) => [shape, form]),
    ),
  ].filter((word) => word !== 'email'),
);
const NAMES = Object.values(FIELDS).map(
  (fields) => new Set(Object.keys(fields).filter((name) => !WORDS.has(name) && name !== 'name')),
);

/** Places where a module lists at least two fields of one entity: `src/x.ts:12: upn, email`. */
export function findFieldLists({ file, tree }: SourceModule): readonly string[] {
  const found: string[] = [];
  const look = (node: ts.Node, isTable: boolean): void => {
    const words = [...new Set(wordsOf(node, isTable))];
    const listed = NAMES.map((names) => words.filter((word) => names.has(word))).sort((a, b) => b.length - a.length)[0];
    if (listed !== undefined && listed.length > 1) found.push(`${file}:${lineOf(tree, node)}: ${listed.join(', ')}`);
    if (isPick(node)) return;
    // Inside functions, an object literal is a built value, not a table.
    ts.forEachChild(node, (child) => look(child, isTable && !ts.isFunctionLike(node)));
  };
  look(tree, true);
  return found;
}

function wordsOf(node: ts.Node, isTable: boolean): readonly string[] {
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(textOf);
  if (ts.isCallExpression(node)) return node.arguments.flatMap(textOf);
  if (ts.isCaseBlock(node))
    return node.clauses.flatMap((clause) => (ts.isCaseClause(clause) ? textOf(clause.expression) : []));
  if (ts.isUnionTypeNode(node))
    return node.types.flatMap((one) => (ts.isLiteralTypeNode(one) ? textOf(one.literal) : []));
  if (!isTable || !ts.isObjectLiteralExpression(node)) return [];
  return node.properties.flatMap(({ name }) =>
    name !== undefined && ts.isIdentifier(name) ? [name.text] : name === undefined ? [] : textOf(name),
  );
}

function textOf(node: ts.Node): readonly string[] {
  return ts.isStringLiteral(node) ? [node.text] : [];
}

/** The compiler checks `Pick<User, 'upn' | 'email'>`. */
function isPick(node: ts.Node): boolean {
  return ts.isTypeReferenceNode(node) && ['Pick', 'Omit'].includes(node.typeName.getText());
}
