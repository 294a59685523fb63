import ts from 'typescript';
import { lineOf, roomOf, type SourceModule, visit } from './module-graph.js';

/* Finds constructs that our code avoids. Each place is shown as `src/x.ts:12`. */

function at({ file, tree }: SourceModule, node: ts.Node): string {
  return `${file}:${lineOf(tree, node)}`;
}

/** @param clue a text in every module with such a node; a module without it is not parsed */
function collect(module: SourceModule, clue: RegExp, isFound: (node: ts.Node) => boolean): readonly string[] {
  if (!clue.test(module.text)) return [];
  const found: string[] = [];
  visit(module.tree, (node) => {
    if (isFound(node)) found.push(at(module, node));
  });
  return found;
}

export function findNamed(module: SourceModule, name: string): readonly string[] {
  return collect(
    module,
    new RegExp(name),
    (node) =>
      (ts.isPropertyAccessExpression(node) && node.name.text === name) ||
      (ts.isBindingElement(node) && ((node.propertyName ?? node.name) as ts.Node).getText(module.tree) === name),
  );
}

export function findCalls(module: SourceModule, object: string, names: readonly string[]): readonly string[] {
  return collect(
    module,
    new RegExp(`\\b${object}\\b`),
    (node) =>
      ts.isPropertyAccessExpression(node) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === object &&
      names.includes(node.name.text),
  );
}

export function findDefaultExports(module: SourceModule): readonly string[] {
  return collect(
    module,
    /\bexport\s*(default\b|=)/,
    (node) =>
      ts.isExportAssignment(node) || (node.kind === ts.SyntaxKind.DefaultKeyword && ts.canHaveModifiers(node.parent)),
  );
}

/** Names of the types that a module declares at its top level. */
export function listTypeNames({ tree }: SourceModule): readonly string[] {
  return tree.statements.flatMap((statement) => {
    const isType =
      ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement) || ts.isClassDeclaration(statement);
    return isType && statement.name !== undefined ? [statement.name.text] : [];
  });
}

export function findAny(module: SourceModule): readonly string[] {
  return collect(module, /\bany\b/, (node) => node.kind === ts.SyntaxKind.AnyKeyword);
}

export function findPicked(module: SourceModule): readonly string[] {
  return collect(module, /\.\s*(only|skip|skipIf|runIf|todo|fails)\b/, (node) => {
    if (!ts.isPropertyAccessExpression(node) || !/^(only|skip|skipIf|runIf|todo|fails)$/.test(node.name.text))
      return false;
    return /^(it|test|describe|suite)\b/.test(node.getText(module.tree));
  });
}

/** Tags of templates with text for people. */
const SHOWN_TAGS: ReadonlySet<string> = new Set(['html', 'worded']);

/** Templates with a missing placeholder: `$name`, or `$ {name}`, in their text. */
export function findUnfilled(module: SourceModule): readonly string[] {
  return collect(module, /\b(html|worded)`/, (node) => {
    if (!ts.isTaggedTemplateExpression(node) || !SHOWN_TAGS.has(node.tag.getText(module.tree))) return false;
    const { template } = node;
    const texts = ts.isNoSubstitutionTemplateLiteral(template)
      ? [template.text]
      : [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)];
    return texts.some((text) => /\$\s*\{?\s*[A-Za-z_]/.test(text));
  });
}

/** A chain of imports, including types, from a file back to itself; null if there is none. */
export function findCircle(files: readonly SourceModule[]): readonly string[] | null {
  const local = files.flatMap(({ imports }) => imports.filter(({ isLocal }) => isLocal));
  return findRound(local.map(({ from, target }) => [from, target]));
}

/**
 * Finds a circle of imports inside a folder (`src/sandbox/`): `a/ → b.ts → a/`. Each subfolder counts as one place, and so
 * does each file directly in the folder. Null if there is no circle.
 *
 * @param sees imports of values only, or of types too
 */
export function findRoomCircle(
  files: readonly SourceModule[],
  folder: string,
  sees: 'values' | 'types',
): readonly string[] | null {
  const inside = files
    .flatMap(({ imports }) => imports)
    .filter(({ from, target }) => from.startsWith(folder) && target.startsWith(folder))
    .filter(({ isValue }) => isValue || sees === 'types');
  const rooms = inside.map(({ from, target }) => [roomOf(from, folder), roomOf(target, folder)] as const);
  return findRound(rooms.filter(([from, to]) => from !== to));
}

function findRound(arrows: readonly (readonly [from: string, to: string])[]): readonly string[] | null {
  const targets = new Map<string, Set<string>>();
  for (const [from, to] of arrows) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  const done = new Set<string>();
  const path: string[] = [];
  function walk(place: string): readonly string[] | null {
    if (path.includes(place)) return [...path.slice(path.indexOf(place)), place];
    if (done.has(place)) return null;
    path.push(place);
    for (const target of targets.get(place) ?? []) {
      const circle = walk(target);
      if (circle !== null) return circle;
    }
    path.pop();
    done.add(place);
    return null;
  }
  for (const place of targets.keys()) {
    const circle = walk(place);
    if (circle !== null) return circle;
  }
  return null;
}

const GLOBALS = [
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'process',
  'console',
  'performance',
  'queueMicrotask',
];

/** Uses of time, randomness, network and process. `new Date(0)` is only a value, so it is allowed. */
export function findGlobals(module: SourceModule): readonly string[] {
  return collect(module, /./, (node) => {
    if (ts.isNewExpression(node))
      return node.expression.getText(module.tree) === 'Date' && (node.arguments?.length ?? 0) === 0;
    if (ts.isPropertyAccessExpression(node)) return ['Date.now', 'Math.random'].includes(node.getText(module.tree));
    if (!ts.isIdentifier(node) || !GLOBALS.includes(node.text)) return false;
    const { parent } = node;
    const isMember = ts.isPropertyAccessExpression(parent) && parent.name === node;
    return !isMember && !ts.isPropertyAssignment(parent) && !ts.isPropertySignature(parent);
  });
}

export interface TopFunction {
  readonly file: string;
  readonly name: string;
  /** The type of the result, as written; empty if the compiler derives it. */
  readonly result: string;
  readonly isExported: boolean;
}

/** The functions at the top level of a module, as declarations or as constants. */
export function listFunctions({ file, tree }: SourceModule): readonly TopFunction[] {
  return tree.statements.flatMap((statement) => {
    const isExported = ts.canHaveModifiers(statement) && /^export\b/.test(statement.getText(tree));
    const top = (name: string, { type }: ts.SignatureDeclaration): TopFunction => ({
      ...{ file, name, isExported },
      result: type?.getText(tree).replaceAll(/\s+/g, ' ') ?? '',
    });
    if (ts.isFunctionDeclaration(statement) && statement.name !== undefined)
      return [top(statement.name.text, statement)];
    if (!ts.isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.flatMap(({ name, initializer }) =>
      initializer !== undefined && ts.isArrowFunction(initializer) ? [top(name.getText(tree), initializer)] : [],
    );
  });
}
