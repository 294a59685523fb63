import type * as z from 'zod';
import type { Shape } from './shapes.js';

/** Kinds of responses that are not JSON. */
type OtherAnswerKind = 'nothing' | 'file' | 'redirect';

/** An endpoint, except for the path parameters, which are in its route. */
export interface ServiceOperation {
  /** camelCase and unique: generated clients use it as the function name. */
  readonly id: string;
  readonly summary: string;
  readonly query?: Shape;
  /** Required query parameters. */
  readonly needs?: readonly string[];
  /** A JSON body, or the media type of another one. */
  readonly body?: z.ZodType | 'text/csv' | 'multipart/form-data';
  readonly answer: z.ZodType | OtherAnswerKind;
  /** Served in addition to the documented interface. */
  readonly isBeyond?: true;
}

/** `METHOD path`, as in the table of routes → the operation. */
export type Operations = Readonly<Record<string, ServiceOperation>>;

export interface OperationGroup {
  readonly tag: string;
  readonly description: string;
  readonly operations: Operations;
}
