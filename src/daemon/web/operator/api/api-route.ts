import type * as z from 'zod';
import type { Role } from '../../../../config/access/roles.js';
import type { TenantOperation } from '../../../../operations/operation.js';
import type { WebRequest } from '../route.js';

/** A route of the API. The server uses it to answer, and the OpenAPI document is built from it. */
export interface ApiRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The lowest role that may use the route for the tenant in the address. */
  readonly audience: Role | 'logged in';
  /** The name of the operation in generated clients. */
  readonly name: string;
  readonly summary: string;
  /** Parameters of the path and the query, or the body of a POST. */
  readonly input: z.ZodObject;
  readonly answer: z.ZodType;
}

/** A route about the daemon itself. */
export interface DaemonRoute extends ApiRoute {
  readonly read: (request: WebRequest, input: never) => unknown;
}

/** A read or a decision about one tenant. Commands with `--daemon` use it too. */
export interface TenantRoute extends ApiRoute {
  readonly audience: Role;
  readonly operation: TenantOperation<never, unknown>;
  /** True if readers of pseudonyms cannot use the route, because they could not name the person. */
  readonly needsNames?: true;
  /** Hides names from readers who must not see them. Addresses become pseudonyms in every answer. */
  readonly veil?: (document: never, key: string) => unknown;
}

interface DaemonRow<Input, Document, Answer extends z.ZodType> extends Omit<DaemonRoute, 'read' | 'input' | 'answer'> {
  readonly read: (request: WebRequest, input: Input) => Document | Promise<Document>;
  readonly input: z.ZodObject & z.ZodType<Input>;
  readonly answer: Answer;
}

interface TenantRow<Input, Document, Answer extends z.ZodType>
  extends Omit<TenantRoute, 'name' | 'operation' | 'input' | 'answer' | 'veil'> {
  /** Path relative to the path of the tenant. */
  readonly path: string;
  readonly operation: TenantOperation<Input, Document>;
  readonly input: z.ZodObject & z.ZodType<Input>;
  readonly answer: Answer;
  readonly veil?: (document: NoInfer<Document>, key: string) => NoInfer<Document>;
}

/** Checks at compile time that the document matches the schema of the answer. */
export function daemonRoute<Input, Answer extends z.ZodType, Document extends z.input<Answer>>(
  row: DaemonRow<Input, Document, Answer>,
): DaemonRoute {
  return row;
}

/** Also checks at compile time that the operation accepts the input. */
export function tenantRoute<Input, Answer extends z.ZodType, Document extends z.input<Answer>>(
  row: TenantRow<Input, Document, Answer>,
): TenantRoute {
  const operation = row.operation as unknown as TenantRoute['operation'];
  return { ...row, operation, path: `${TENANT_PATH}${row.path}`, name: operation.name };
}

export const TENANT_PATH = '/api/tenants/:tenant';
