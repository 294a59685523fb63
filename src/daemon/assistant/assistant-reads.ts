/** The tools that read data of a tenant. */
export const READS = [
  'status',
  'list_runs',
  'read_run',
  'read_plan',
  'explain',
  'list_holds',
  'read_hold',
  'find_people',
  'list_audit',
  'read_audit_entry',
] as const;
export type ReadName = (typeof READS)[number];

/** A call of a tool, with the inputs that the API route of the same name takes. */
export interface AskedRead {
  readonly tool: ReadName;
  readonly tenant: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A tenant that the assistant may read, and the role that it has there. */
export interface ReadableTenant {
  readonly tenant: string;
  readonly role: string;
  /** True if people are shown under pseudonyms. */
  readonly pseudonyms: boolean;
}

/**
 * The functions through which an assistant reads data. The creator of the functions decides what the reader may see, and
 * records each read. The code in this folder can reach nothing else.
 */
export interface AssistantReads {
  tenants(): Promise<readonly ReadableTenant[]>;
  /** @throws SyncError for anything unknown or not allowed */
  read(asked: AskedRead): Promise<unknown>;
}
