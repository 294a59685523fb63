/** A rule of RFC 7644 for a request, independent of the implementation. `{jane}` and `{team}` stand for ids. */
export interface Rule {
  readonly rule: string;
  readonly ask: readonly [method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>];
  readonly status: number;
  readonly scimType?: string;
  /** The ids in the answer, as names such as `jane`. */
  readonly finds?: readonly string[];
}

export const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
