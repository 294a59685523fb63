import * as z from 'zod';

/** Lists the keys that a map may have at a path of the configuration. */
export function listKnownKeys(schema: z.ZodType, path: readonly (string | number)[], data: unknown): readonly string[] {
  let nodes = listBranches(schema, data);
  let value = data;
  for (const segment of path) {
    value =
      typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[segment] : undefined;
    nodes = nodes.flatMap((node) => stepInto(node, segment)).flatMap((node) => listBranches(node, value));
  }
  const keys = nodes.flatMap((node) => (node instanceof z.ZodObject ? Object.keys(node.shape) : []));
  return [...new Set(keys)];
}

/** Unwraps defaults and transforms. For a union, returns the possible branches; for sources, `type` selects one. */
function listBranches(schema: unknown, value: unknown): readonly unknown[] {
  if (schema instanceof z.ZodPipe) return listBranches(schema.in, value);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly
  )
    return listBranches(schema.unwrap(), value);
  if (!(schema instanceof z.ZodUnion)) return [schema];
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  const branches = schema.options.flatMap((option) => listBranches(option, value));
  const chosen = branches.filter(
    (branch) =>
      branch instanceof z.ZodObject && branch.shape.type instanceof z.ZodLiteral && branch.shape.type.value === type,
  );
  return chosen.length === 1 ? chosen : branches;
}

function stepInto(schema: unknown, segment: string | number): readonly unknown[] {
  if (schema instanceof z.ZodArray) return [schema.element];
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  return schema instanceof z.ZodObject && segment in schema.shape ? [schema.shape[segment]] : [];
}

/** Returns a sentence that says where further out a key is known; null if nowhere. */
export function findOuterPlace(
  schema: z.ZodType,
  path: readonly (string | number)[],
  key: string,
  data: unknown,
): string | null {
  for (let depth = path.length - 1; depth >= 0; depth--) {
    const owner = path.slice(0, depth);
    if (!listKnownKeys(schema, owner, data).includes(key)) continue;
    const outermost = depth === 0 ? ', at the beginning of a line' : '';
    return `Write it next to \`${path[depth]}\`${outermost}, not inside it.`;
  }
  return null;
}
