import type * as z from 'zod';
import type { Shape } from './shapes.js';

/** Kinds of responses without a JSON body. */
type OtherAnswerKind = 'nothing' | 'file' | 'redirect';

/** An endpoint without its path parameters, which are in the route. */
export interface ServiceOperation {
  /** Unique name in camelCase. Generated clients use it as the name of the function. */
  readonly id: string;
  readonly summary: string;
  readonly query?: Shape;
  /** Required query parameters. */
  readonly needs?: readonly string[];
  /** Schema of a JSON body, or the media type of any other body. */
  readonly body?: z.ZodType | 'text/csv' | 'multipart/form-data';
  readonly answer: z.ZodType | OtherAnswerKind;
  /** Set if the sandbox serves the endpoint in addition to the documented interface. */
  readonly isBeyond?: true;
}

/** `METHOD path`, as in the table of routes → operation. */
export type Operations = Readonly<Record<string, ServiceOperation>>;

export interface OperationGroup {
  readonly tag: string;
  readonly description: string;
  readonly operations: Operations;
}
