/** The tools that read something of a tenant. */
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

/** A tool that is used, with the inputs that its address of the interface takes. */
export interface AskedRead {
  readonly tool: ReadName;
  readonly tenant: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A tenant that may be read, and how. */
export interface ReadableTenant {
  readonly tenant: string;
  readonly role: string;
  /** People are shown under pseudonyms. */
  readonly pseudonyms: boolean;
}

/**
 * All that an assistant is given of this program: functions that read. Their maker decides what the reader may see, and
 * notes each read; nothing in this folder can reach anything else.
 */
export interface AssistantReads {
  tenants(): Promise<readonly ReadableTenant[]>;
  /** @throws SyncError for what is unknown or not allowed */
  read(asked: AskedRead): Promise<unknown>;
}
