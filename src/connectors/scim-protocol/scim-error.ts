import type { JsonObject } from '../../model/json.js';

/** The error types of RFC 7644, table 9. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'invalidVers'
  | 'sensitive';

/** An error for the client. The client may log the detail, so the detail names attributes but never values. */
export class ScimError extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly scimType: ScimType | null = null,
  ) {
    super(detail);
    this.name = 'ScimError';
  }
}

export function invalidFilter(detail: string): ScimError {
  return new ScimError(400, detail, 'invalidFilter');
}

export function invalidPath(detail: string): ScimError {
  return new ScimError(400, detail, 'invalidPath');
}

export function invalidSyntax(detail: string): ScimError {
  return new ScimError(400, detail, 'invalidSyntax');
}

export function invalidValue(detail: string): ScimError {
  return new ScimError(400, detail, 'invalidValue');
}

const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** Describes an error for a response, with the status as a text (RFC 7644, 3.12). */
export function describeScimError({ status, detail, scimType }: ScimError): JsonObject {
  return { schemas: [ERROR_SCHEMA], status: String(status), ...(scimType === null ? {} : { scimType }), detail };
}
