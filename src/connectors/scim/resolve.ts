import * as z from 'zod';
import { hookSchema } from '../../base/settings/hook.js';
import type { ProblemSink, Resolving, YamlPath } from '../../base/settings/resolving.js';
import { emptySchema, endSchema, milliseconds, orNull, text, urlSchema } from '../../base/settings/schema-parts.js';
import { trimSlash } from '../../base/settings/trim-slash.js';
import { keyColumn, prefer } from '../cells/column-schema.js';
import { checkKey } from '../cells/resolve-columns.js';
import { callWriteBackSchema, resolveCallBasics } from '../http/call-write-back.js';
import { httpAccessShape } from '../http/http-schema.js';
import { resolveHttpAccess } from '../http/resolve-http.js';
import { SCIM_COLUMNS } from '../scim-protocol/columns.js';
import { findFilterProblem } from './filter.js';

export const scimSchema = z.strictObject({
  type: z.literal('scim'),
  base_url: urlSchema.describe('SCIM 2.0 address, up to /v2.'),
  ...httpAccessShape,
  page_size: z.int().min(1).max(1000).default(100),
  paging: z.enum(['auto', 'index', 'cursor']).default('auto'),
  filter: orNull(text).describe('SCIM filter that the provider applies.'),
  attributes: z.array(text).optional(),
  excluded_attributes: z.array(text).optional(),
  memberships: z.enum(['user', 'groups']).default('user'),
  incremental: z.strictObject({ full_every: milliseconds }).optional(),
  key: keyColumn.default('id'),
  prefer,
  empty: emptySchema.optional(),
  end: endSchema.optional(),
  write_back: callWriteBackSchema.optional(),
  hook: hookSchema.optional(),
});
export type ScimInput = z.infer<typeof scimSchema>;

export type ScimSourceConfig = Readonly<ReturnType<typeof resolveScim>>;

export function resolveScim(path: YamlPath, input: ScimInput, resolving: Resolving) {
  const { report } = resolving;
  const { key, filter } = input;
  const excludedAttributes: readonly string[] = input.excluded_attributes ?? [];
  checkKey([...path, 'key'], { key, columns: SCIM_COLUMNS, mayBeOptional: true }, report);
  if (filter !== null) checkFilter([...path, 'filter'], filter, report);
  return {
    type: 'scim' as const,
    baseUrl: trimSlash(input.base_url),
    access: resolveHttpAccess(path, input, resolving),
    columns: SCIM_COLUMNS,
    key,
    pageSize: input.page_size,
    /** `auto` means paging by cursor if the provider's ServiceProviderConfig prefers it (RFC 9865), otherwise by index. */
    paging: input.paging,
    /** null for all users. */
    filter,
    /** The attributes to request or to leave out; empty for the provider's defaults. */
    attributes: listAttributes([...path, 'attributes'], input, report),
    excludedAttributes,
    /** `user`: memberships come from each user; `groups`: they come from the members of each group. */
    memberships: input.memberships,
    /** The time between complete reads, with reads of changes in between; null if every read is complete. */
    fullEveryMs: input.incremental?.full_every ?? null,
    prefer: input.prefer ?? null,
    mayBeEmpty: input.empty === 'allowed',
    isEndTrusted: input.end === 'trusted',
    /** null if nothing is written back to the source. */
    writeBack: input.write_back === undefined ? null : resolveCallBasics(input.write_back),
  };
}

function checkFilter(path: YamlPath, filter: string, report: ProblemSink): void {
  const problem = findFilterProblem(filter);
  if (problem === null) return;
  const remedy = 'Write it as in `active eq true and userType eq "Employee"`.';
  report.add(path, `the filter is not a SCIM filter: ${problem}`, remedy);
}

/**
 * Lists the attributes to request. A request has either `attributes` or `excludedAttributes` (RFC 7644, 3.4.2.5). `id`
 * is always included, because it identifies users.
 */
function listAttributes(path: YamlPath, input: ScimInput, report: ProblemSink): readonly string[] {
  const { attributes = [], excluded_attributes: excluded = [] } = input;
  if (attributes.length > 0 && excluded.length > 0) {
    report.add(path, '`attributes` and `excluded_attributes` cannot be combined', 'Keep one of them.', 'key');
  }
  return attributes.length === 0 || attributes.includes('id') ? attributes : ['id', ...attributes];
}
