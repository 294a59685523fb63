import { type ASTNode, Environment } from '@marcbachmann/cel-js';

/** The properties of a node that the library's parser sets and its type does not declare. */
interface Built {
  op: string;
  args: unknown;
  readonly meta: { readonly check: unknown; readonly evaluate: unknown; readonly alternate?: ASTNode };
  clone(op: Operator, args: unknown): ASTNode;
  setMeta(key: string, value: unknown): unknown;
}

interface Operator {
  readonly name: string;
  readonly check: unknown;
  readonly evaluate: unknown;
}

interface Templates {
  readonly variable: Operator;
  readonly fields: Readonly<Record<'.' | '.?', Operator>>;
  readonly list: ASTNode;
  readonly call: Operator;
}

let templates: Templates | undefined;

/** Parses the templates in advance, because the library's parser cannot be called again while it runs. */
export function prepareTemplates(): void {
  if (templates !== undefined) return;
  const environment = new Environment({ enableOptionalTypes: true });
  const parse = (text: string): ASTNode => environment.parse(text).ast;
  const list = built(parse('[].map(x, x)')).meta.alternate;
  if (list === undefined) throw new Error('the expression library expands `map` in another way');
  const fields = { '.': operatorOf(parse('x.y')), '.?': operatorOf(parse('x.?y')) };
  templates = { variable: operatorOf(parse('x')), fields, list, call: operatorOf(parse('x.y()')) };
}

function needTemplates(): Templates {
  if (templates === undefined) throw new Error('no environment was created');
  return templates;
}

function built(node: ASTNode): Built {
  return node as unknown as Built;
}

function operatorOf(node: ASTNode): Operator {
  const { op, meta } = built(node);
  return { name: op, check: meta.check, evaluate: meta.evaluate };
}

/** Replaces a node with a read of a variable. */
export function useVariable(node: ASTNode, name: string): void {
  become(node, needTemplates().variable, name);
}

/** Turns `record["x"]` into `record.x`, and `record[?"x"]` into `record.?x`, because `has(…)` accepts nothing else. */
export function useFieldAccess(node: ASTNode, owner: ASTNode, column: string): void {
  become(node, needTemplates().fields[node.op === '[?]' || node.op === '.?' ? '.?' : '.'], [owner, column]);
}

function become(node: ASTNode, operator: Operator, args: unknown): void {
  const target = built(node);
  target.op = operator.name;
  target.args = args;
  target.setMeta('check', operator.check);
  target.setMeta('evaluate', operator.evaluate);
}

/** Creates a method call without arguments, at the position of a node. */
export function callMethod(node: ASTNode, receiver: ASTNode, name: string): ASTNode {
  return built(node).clone(needTemplates().call, [name, receiver, []]);
}

interface ItemsNode {
  readonly init: ASTNode;
  readonly step: ASTNode;
}

/** Creates `ITEMS.map(NAME, VALUE)` from parsed nodes, so that errors in these nodes keep their positions. */
export function mapItems(call: ASTNode, items: ASTNode, variable: string, value: ASTNode): ASTNode {
  const { list } = needTemplates();
  const args = built(list).args as ItemsNode;
  return built(call).clone(operatorOf(list), {
    ...args,
    iterable: items,
    iterVarName: variable,
    init: built(call).clone(operatorOf(args.init), []),
    step: built(value).clone(operatorOf(args.step), value),
  });
}
