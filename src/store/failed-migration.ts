import { readFileSync, rmSync } from 'node:fs';
import { codeOf } from '../base/errors.js';
import { createDraft } from '../base/new-file.js';

/** A failed migration. The note is stored next to the database, for processes that only read. */
export interface FailedMigration {
  /** ISO 8601. */
  readonly at: string;
  /** The first of the missing migrations. */
  readonly migration: string;
  readonly message: string;
  readonly backup: string | null;
}

const noteOf = (database: string): string => `${database}.migration-failed.json`;

export function noteFailedMigration(database: string, failed: FailedMigration): void {
  const draft = createDraft(noteOf(database));
  draft.write(`${JSON.stringify(failed)}\n`);
  draft.finish();
}

/** Returns null if no migration failed, or if the note cannot be read. */
export function readFailedMigration(database: string): FailedMigration | null {
  try {
    return JSON.parse(readFileSync(noteOf(database), 'utf8')) as FailedMigration;
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) !== null) return null;
    throw error;
  }
}

export function forgetFailedMigration(database: string): void {
  rmSync(noteOf(database), { force: true });
}
