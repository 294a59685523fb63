import type { WaitingItem } from '../../../../model/waiting.js';
import type { Status } from '../../../../operations/describe-status.js';
import type { HoldListing, ListedHold } from '../../../../operations/find-hold.js';
import type { FoundPeople } from '../../../../operations/find-people.js';
import type { RunListing } from '../../../../operations/list-runs.js';
import type { AuditListing } from '../../../../operations/read-audit.js';
import type { ShownObject } from '../../../../operations/show-object.js';
import { replaceWords } from '../../../../operations/veil-words.js';
import type { PastRun } from '../../../../report/texts/run-lines.js';
import { labelOf } from '../../../../store/audit/pseudonyms.js';
import { pseudonymiseLine } from '../../../../store/audit/read-log.js';
import { veilCause } from '../../../../store/audit/veil-cause.js';
import { veilField } from '../reading.js';

/* Hides names in documents that can identify a person by more than an address. */

/** Shows audit entries in the form that is stored when names are kept out of the audit log. */
export function veilLog(document: AuditListing, key: string): AuditListing {
  return { ...document, entries: document.entries.map((line) => pseudonymiseLine(key, line)) };
}

export function veilFound({ found, more }: FoundPeople, key: string): FoundPeople {
  return { found: found.map((one) => ({ ...one, label: one.label === null ? null : labelOf(key, one.label) })), more };
}

export function veilObject(document: ShownObject, key: string): ShownObject {
  const { entity, label, values, holds } = document;
  const veil = (field: string, text: string | null) => (text === null ? null : veilField(key, entity, { field, text }));
  return {
    ...document,
    label: label === null ? null : labelOf(key, label),
    values: values.map(({ field, wanted, service, ...more }) => {
      return { field, wanted: veil(field, wanted), service: veil(field, service), ...more };
    }),
    holds: holds.map((hold) => ({ ...veilHold(hold, key), decision: hold.decision })),
  };
}

export function veilStatus(document: Status, key: string): Status {
  return {
    ...document,
    runs: document.runs.map(veilRun),
    waiting: document.waiting.map((item) => veilItem(item, key)),
  };
}

export function veilHolds({ plan, holds, waiting }: HoldListing, key: string): HoldListing {
  return {
    plan,
    holds: holds.map((hold) => veilHold(hold, key)),
    waiting: waiting.map((item) => veilItem(item, key)),
  };
}

export function veilHold(hold: ListedHold, key: string): ListedHold {
  const veil = (text: string): string => veilCause(key, { kind: 'record', of: hold.entity, code: hold.code }, text);
  const { cause } = hold;
  return {
    ...hold,
    reason: veil(hold.reason),
    remedy: veil(hold.remedy),
    ...(cause === undefined ? {} : { cause: veil(cause) }),
  };
}

function veilItem<T extends WaitingItem>(item: T, key: string): T {
  const { label } = item;
  return {
    ...item,
    cause: veilCause(key, item, item.cause),
    ...(label === undefined ? {} : { label: labelOf(key, label) }),
  };
}

export function veilRuns({ runs }: RunListing): RunListing {
  return { runs: runs.map(veilRun) };
}

/** Hides texts in the result that quote records of the sources. */
export function veilRun(run: PastRun): PastRun {
  return run.result === null ? run : { ...run, result: replaceWords(run.result, null) as typeof run.result };
}
