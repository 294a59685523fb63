import { expect } from 'vitest';
import type { AuditEntry } from '../../src/store/audit/audit-entry.js';

/** Expects of each call of a finished change an answer, or the read that proved it. */
export function expectProven(entries: readonly AuditEntry[]): void {
  for (const { result, calls, label } of entries) {
    if (result !== 'done') continue;
    expect(calls.length, label).toBeGreaterThan(0);
    for (const { status, request_id: id, proved_by: proof } of calls)
      expect((status === 200 || status === 204) && id !== null ? 'answered' : proof, label).toEqual(expect.any(String));
  }
}
