import { pseudonymiseLine } from '../../../audit/read-log.js';
import { isJsonObject, type Json } from '../../../model/json.js';
import type { Status } from '../../../operations/describe-status.js';
import type { RunListing } from '../../../operations/list-runs.js';
import type { AuditListing } from '../../../operations/read-audit.js';
import type { PastRun } from '../../../report/texts/run-lines.js';

/* Documents for readers who see no names, where an address is not all that tells who it is. */

/** Entries of the audit, as they are written where names are kept out of it. */
export function veilLog(document: AuditListing, key: string): AuditListing {
  return { ...document, entries: document.entries.map((line) => pseudonymiseLine(key, line)) };
}

export function veilStatus(document: Status): Status {
  return { ...document, runs: document.runs.map(veilRun) };
}

export function veilRuns({ runs }: RunListing): RunListing {
  return { runs: runs.map(veilRun) };
}

/** Its document says of records what the sources do: who they are by key, and why they were set aside by code alone. */
export function veilRun(run: PastRun): PastRun {
  if (run.result === null) return run;
  const result = Object.entries(run.result).map(([name, value]) => {
    return [name, LISTS.has(name) && Array.isArray(value) ? value.map(dropWords) : value];
  });
  return { ...run, result: Object.fromEntries(result) };
}

const LISTS: ReadonlySet<string> = new Set(['held', 'conflicts', 'failed', 'left_out']);
const WORDS: ReadonlySet<string> = new Set(['reason', 'cause', 'message', 'label', 'about', 'because']);

function dropWords(item: Json): Json {
  if (!isJsonObject(item)) return item;
  return Object.fromEntries(Object.entries(item).filter(([name]) => !WORDS.has(name)));
}
