import * as z from 'zod';
import { ENTITIES } from '../../model/entity.js';
import type { ReadName } from './assistant-reads.js';

/** An MCP tool that reads data of a tenant. */
export interface TenantTool {
  readonly name: ReadName;
  readonly description: string;
  /** Inputs in addition to `tenant` and `skip`, which all tools take. */
  readonly input: Readonly<Record<string, z.ZodType>>;
}

const text = z.string().min(1).max(1_000);
const entity = z.enum(ENTITIES).default('users');
const time = z.iso.datetime({ offset: true });

export const TENANT_TOOLS: readonly TenantTool[] = [
  {
    ...{ name: 'status', input: {} },
    description: 'The last runs, what is pending, and how fresh sources and service copy are.',
  },
  {
    ...{ name: 'list_runs', input: { last: z.int().min(1).max(1_000).default(20) } },
    description: 'The last runs, newest first.',
  },
  {
    ...{ name: 'read_run', input: { run: text } },
    description: 'One run by its id, with its final document.',
  },
  {
    ...{ name: 'read_plan', input: { plan: text.default('newest') } },
    description: 'A saved plan in numbers, with what its guards hold; the newest one unless an id is given.',
  },
  {
    ...{ name: 'explain', input: { entity, who: text.describe('Key, e-mail or part of a name.') } },
    description:
      'The stored data about one person, customer or project: both sides, holds, declines, history, and the change in the newest plan. It reads no source, so the steps of mapping are empty.',
  },
  {
    ...{ name: 'list_holds', input: {} },
    description: 'Everything that needs a person: guards, held records, conflicts, sources.',
  },
  {
    ...{ name: 'read_hold', input: { hold: text } },
    description: 'One hold by its id: where, why, and what a person can do.',
  },
  {
    ...{ name: 'find_people', input: { entity, words: text } },
    description:
      'Search records and objects by key, e-mail or part of a name. A reader who sees pseudonyms finds them by key or full address only.',
  },
  {
    name: 'list_audit',
    description:
      'Entries of the audit log, oldest first: the newest `last` of those that match. `earlier` counts the older ones; narrow `from` and `to` to read them.',
    input: {
      run: text.optional(),
      who: text.optional().describe('`jane@example.com`, or one kind of object: `customer:C1`.'),
      from: time.optional(),
      to: time.optional(),
      last: z.int().min(1).max(1_000).default(100),
    },
  },
  {
    ...{ name: 'read_audit_entry', input: { entry: text } },
    description: 'One entry of the audit log by its number, or all entries of a run or change by its id.',
  },
];

export const COMMON_INPUT = {
  tenant: text.optional().describe('Needed if list_tenants lists several.'),
  skip: z.int().min(0).default(0).describe('Number of entries of long lists to skip, as given by `cut` in an answer.'),
};
