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

/** A tenant that the assistant may read, and with which role. */
export interface ReadableTenant {
  readonly tenant: string;
  readonly role: string;
  /** People are shown under pseudonyms. */
  readonly pseudonyms: boolean;
}

/**
 * Everything that an assistant gets from this program: functions that read. Their creator decides what the reader may see,
 * and records each read. Nothing in this folder can reach anything else.
 */
export interface AssistantReads {
  tenants(): Promise<readonly ReadableTenant[]>;
  /** @throws SyncError for anything unknown or not allowed */
  read(asked: AskedRead): Promise<unknown>;
}
