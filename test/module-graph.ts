import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

export interface Import {
  /** File of `src` or `test`, relative to the checkout, such as `src/model/json.ts`. */
  readonly from: string;
  readonly line: number;
  /** `src/model/json.ts` for a file of the project, otherwise the package or `node:` module as written. */
  readonly target: string;
  readonly isLocal: boolean;
  /** False if compiling removes the import. */
  readonly isValue: boolean;
  readonly names: readonly string[];
}

export interface SourceModule {
  readonly file: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
  readonly imports: readonly Import[];
}

/** A cache, because tests share a process and the tree does not change during a run. */
const read = new Map<string, readonly SourceModule[]>();

/** Every TypeScript file under a folder of the checkout, sorted by name. Each file is parsed when it is first needed. */
export function readModules(folder: string): readonly SourceModule[] {
  const found = read.get(folder) ?? listModules(folder);
  read.set(folder, found);
  return found;
}

function listModules(folder: string): readonly SourceModule[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
    .map((file) => parseModule(file, readFileSync(join(ROOT, file), 'utf8')));
}

export function parseModule(file: string, text: string): SourceModule {
  let tree: ts.SourceFile | undefined;
  let imports: readonly Import[] | undefined;
  const parse = (): ts.SourceFile => {
    tree ??= ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
    return tree;
  };
  return {
    file,
    text,
    get tree() {
      return parse();
    },
    get imports() {
      imports ??= listImports(file, parse());
      return imports;
    },
  };
}

function listImports(file: string, tree: ts.SourceFile): readonly Import[] {
  const imports: Import[] = [];
  const add = (node: ts.Node, specifier: ts.Node | undefined, isValue: boolean, names: readonly string[]): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const isLocal = specifier.text.startsWith('.');
    const path = posix.join(posix.dirname(file), specifier.text).replace(/\.js$/, '.ts');
    const line = lineOf(tree, node);
    imports.push({ from: file, line, target: isLocal ? path : specifier.text, isLocal, isValue, names });
  };
  visit(tree, (node) => {
    if (ts.isImportDeclaration(node)) {
      const { isValue, names } = describeClause(node.importClause);
      add(node, node.moduleSpecifier, isValue, names);
    } else if (ts.isExportDeclaration(node)) {
      add(node, node.moduleSpecifier, !node.isTypeOnly, []);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node, node.arguments[0], true, []);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node, node.argument.literal, false, []);
    }
  });
  return imports;
}

function describeClause(clause: ts.ImportClause | undefined): { isValue: boolean; names: readonly string[] } {
  if (clause === undefined) return { isValue: true, names: [] };
  const bindings = clause.namedBindings;
  const own = clause.name === undefined ? [] : ['default'];
  if (clause.isTypeOnly || bindings === undefined || !ts.isNamedImports(bindings)) {
    const all = bindings !== undefined && ts.isNamedImports(bindings) ? namesOf(bindings.elements) : ['*'];
    return { isValue: !clause.isTypeOnly, names: [...own, ...all] };
  }
  const isValue = own.length > 0 || bindings.elements.some((element) => !element.isTypeOnly);
  return { isValue, names: [...own, ...namesOf(bindings.elements)] };
}

function namesOf(elements: ts.NodeArray<ts.ImportSpecifier>): readonly string[] {
  return elements.map((element) => (element.propertyName ?? element.name).text);
}

export function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}

export function lineOf(tree: ts.SourceFile, node: ts.Node): number {
  return tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
}

/** The room of a file within a folder, `src/sandbox/`: `store/`, or `sandbox.ts` for a file directly in it. */
export function roomOf(file: string, folder: string): string {
  const [first = '', ...rest] = file.slice(folder.length).split('/');
  return rest.length === 0 ? first : `${first}/`;
}
