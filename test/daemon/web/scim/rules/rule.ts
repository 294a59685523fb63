/** What RFC 7644 says of a request, whatever the code makes of it. `{jane}` and `{team}` stand for ids. */
export interface Rule {
  readonly rule: string;
  readonly ask: readonly [method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>];
  readonly status: number;
  readonly scimType?: string;
  /** Ids of the answer's resources, as names: `jane`. */
  readonly finds?: readonly string[];
}

export const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
