import ts from 'typescript';
import { lineOf, type SourceModule, visit } from './module-graph.js';

/* Where in a module something stands that the house does without: `src/x.ts:12`. */

function at({ file, tree }: SourceModule, node: ts.Node): string {
  return `${file}:${lineOf(tree, node)}`;
}

function collect(module: SourceModule, isFound: (node: ts.Node) => boolean): readonly string[] {
  const found: string[] = [];
  visit(module.tree, (node) => {
    if (isFound(node)) found.push(at(module, node));
  });
  return found;
}

export function findNamed(module: SourceModule, name: string): readonly string[] {
  return collect(
    module,
    (node) =>
      (ts.isPropertyAccessExpression(node) && node.name.text === name) ||
      (ts.isBindingElement(node) && ((node.propertyName ?? node.name) as ts.Node).getText(module.tree) === name),
  );
}

export function findCalls(module: SourceModule, object: string, names: readonly string[]): readonly string[] {
  return collect(
    module,
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
    (node) =>
      ts.isExportAssignment(node) || (node.kind === ts.SyntaxKind.DefaultKeyword && ts.canHaveModifiers(node.parent)),
  );
}

/** Names of the types that a module declares at its top. */
export function listTypeNames({ tree }: SourceModule): readonly string[] {
  return tree.statements.flatMap((statement) => {
    const isType =
      ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement) || ts.isClassDeclaration(statement);
    return isType && statement.name !== undefined ? [statement.name.text] : [];
  });
}

export function findAny(module: SourceModule): readonly string[] {
  return collect(module, (node) => node.kind === ts.SyntaxKind.AnyKeyword);
}

export function findPicked(module: SourceModule): readonly string[] {
  return collect(module, (node) => {
    if (!ts.isPropertyAccessExpression(node) || !/^(only|skip|skipIf|runIf|todo|fails)$/.test(node.name.text))
      return false;
    return /^(it|test|describe|suite)\b/.test(node.getText(module.tree));
  });
}

/** A circle of files that need each other when they run, or null. */
export function findCircle(files: readonly SourceModule[]): readonly string[] | null {
  const needs = new Map(
    files.map(({ file, imports: all }) => [file, all.filter(({ isLocal, isValue }) => isLocal && isValue)]),
  );
  const done = new Set<string>();
  const path: string[] = [];
  function walk(file: string): readonly string[] | null {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return null;
    path.push(file);
    for (const { target } of needs.get(file) ?? []) {
      const circle = walk(target);
      if (circle !== null) return circle;
    }
    path.pop();
    done.add(file);
    return null;
  }
  for (const { file } of files) {
    const circle = walk(file);
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

/** Uses of what only the outside has: time, chance, network, process. `new Date(0)` is a value and none of these. */
export function findGlobals(module: SourceModule): readonly string[] {
  return collect(module, (node) => {
    if (ts.isNewExpression(node))
      return node.expression.getText(module.tree) === 'Date' && (node.arguments?.length ?? 0) === 0;
    if (ts.isPropertyAccessExpression(node)) return ['Date.now', 'Math.random'].includes(node.getText(module.tree));
    if (!ts.isIdentifier(node) || !GLOBALS.includes(node.text)) return false;
    const { parent } = node;
    const isMember = ts.isPropertyAccessExpression(parent) && parent.name === node;
    return !isMember && !ts.isPropertyAssignment(parent) && !ts.isPropertySignature(parent);
  });
}
