import { describeError } from '../base/errors.js';
import { type Erasure, lookOrErase } from '../operations/erase-person.js';
import { renderErasure } from '../report/texts/erasure-text.js';
import type { Stores } from '../store/open-stores.js';
import { type CommandContext, type CommandResult, type LockFlags, nameOperator, readReason } from './context.js';
import { withApp } from './with-app.js';

export interface EraseFlags extends LockFlags {
  readonly person: string;
  readonly reason: string;
  readonly yes?: boolean;
}

/** `audit erase PERSON`: lists what is stored about a person, and with --yes erases it everywhere. */
export function runAuditErase(context: CommandContext, flags: EraseFlags): Promise<CommandResult> {
  return withApp('audit erase', context, flags, async (app) => {
    const { person, yes: erases = false } = flags;
    const erasure = await lookOrErase(app, { person, reason: readReason(flags), by: nameOperator(), erases });
    return report(erasure, app.stores);
  });
}

function report({ found, findings, notes, erasure }: Erasure, { audit }: Pick<Stores, 'audit'>): CommandResult {
  const { person, emails, names, shared } = found;
  const { entries, restated, rows, files } = findings;
  const json = {
    erased: erasure !== null,
    erasure,
    person: { keys: person.keys, ids: person.ids, external_ids: person.refs, emails, names, shared },
    audit_entries: { about: entries, restated },
    rows,
    removed: files.remove,
    documents: notes.documents,
    left: files.left,
    delivered: notes.isDelivered,
    in_service: notes.inService,
    ...(notes.notAsked === null ? {} : { not_asked: describeError(notes.notAsked).error }),
    log_in_use: notes.isLogInUse,
    head: audit.last()?.hash ?? null,
  };
  return { json, text: renderErasure(found, findings, notes, erasure) };
}
