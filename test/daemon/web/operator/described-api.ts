import { Ajv2020 } from 'ajv/dist/2020.js';
import { buildOpenApi } from '../../../../src/daemon/web/operator/api/openapi.js';
import type { OpenedPages } from './pages.js';

/* The interface as its OpenAPI document describes it, and a program that uses it. */

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedRoute>>>>;
  readonly components: { readonly schemas: object };
}

interface DescribedRoute {
  readonly operationId: string;
  readonly responses: { readonly 200: { readonly content: { 'application/json': { schema: { $ref: string } } } } };
}

export const DOCUMENT = JSON.parse(JSON.stringify(buildOpenApi())) as Document;

export interface Named {
  readonly id: string;
}

/** The parts of the documents that the tests read. Each document has some of them. */
export interface AnsweredParts extends Document, Named {
  readonly runs: readonly [Named, ...Named[]];
  readonly holds: readonly [Named, ...Named[]];
  readonly hold: Named;
  readonly approvals: readonly Named[];
  readonly approval: string;
  readonly before: Named;
  readonly who: string;
  readonly changes: number;
  readonly code: string;
  readonly detail: string;
  readonly remedy: string;
}

interface Asked {
  readonly status: number;
  readonly type: string;
  readonly body: AnsweredParts;
  readonly headers: Headers;
}

export interface Api {
  get(path: string, who?: string): Promise<Asked>;
  post(path: string, body: unknown, who?: string): Promise<Asked>;
}

export function createApi(pages: OpenedPages): Api {
  async function ask(path: string, who: string, init: RequestInit): Promise<Asked> {
    const response = await fetch(new URL(path, pages.url), {
      ...init,
      headers: { authorization: `Bearer ${pages.giveToken(`${who}@example.com`)}`, ...init.headers },
    });
    const body = (await response.json()) as AnsweredParts;
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      body,
      headers: response.headers,
    };
  }
  return {
    get: (path, who = 'approver') => ask(path, who, {}),
    post: (path, body, who = 'approver') =>
      ask(path, who, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
  };
}

export const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { 'date-time': true } });
ajv.addSchema(closeObjects(DOCUMENT) as object, 'openapi');

/** Every object has the fields that are described, and no other. */
function closeObjects(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closeObjects);
  if (typeof node !== 'object' || node === null) return node;
  const closed = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closeObjects(value)]));
  return 'properties' in closed && closed.type === 'object' ? { additionalProperties: false, ...closed } : closed;
}

/** The errors in an answer, according to the OpenAPI document. */
export function judge(method: 'get' | 'post', path: string, body: unknown): readonly string[] {
  const described = DOCUMENT.paths[path]?.[method]?.responses[200].content['application/json'].schema.$ref;
  const validate = ajv.compile({ $ref: `openapi${described}` });
  validate(body);
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    return `${instancePath} ${message} ${JSON.stringify(params)}`;
  });
}
