import { OFFICE_IDS } from '../../../model/desired.js';
import { officeKey } from '../../../model/directory.js';
import { FIELDS } from '../../../model/fields.js';
import { isJsonObject, itemsOf, type Json, type Values } from '../../../model/json.js';
import type { ReconcilePorts } from '../../ports.js';
import { isSameValue } from '../compare.js';
import { takerOfOffice } from '../planned-places.js';
import type { RecordDraft } from '../record-draft.js';

/**
 * An office under another name moves neither people nor scopes:
 *
 * | the source names                       | the person is in           | →                        |
 * |----------------------------------------|----------------------------|--------------------------|
 * | a name that an office is about to get  | that office                | stays, nothing to write  |
 * | the name at the last agreement, which  | the office that was agreed | stays, nothing to write: |
 * | no office has any more                 | on, called differently now | the source is behind     |
 *
 * A scope that must accompany roles is sent with the current names.
 */
export function ignoreRenamedOffices(draft: RecordDraft): void {
  const before: Record<string, Json> = { ...draft.before };
  const after: Record<string, Json> = { ...draft.after };
  for (const name of Object.keys(OFFICE_IDS)) {
    const verdict = judgeNames(name, draft);
    if (verdict === 'moved') continue;
    if (!isCompanion(name, draft.after)) {
      delete after[name];
      delete before[name];
    } else if (verdict === 'behind') after[name] = draft.observed?.values[name] ?? null;
  }
  draft.before = before;
  draft.after = after;
}

function isCompanion(name: string, after: Values): boolean {
  return FIELDS.users[name]?.ofRole !== undefined && after.roles !== undefined;
}

function judgeNames(field: string, { after, base, observed, ports }: RecordDraft): 'moved' | 'renamed' | 'behind' {
  const named = after[field];
  const ids = OFFICE_IDS[field] ?? '';
  const shown = idsOf(observed?.values[ids]);
  const offices = itemsOf(named).filter(isJsonObject);
  if (shown.length === 0 || offices.length === 0) return 'moved';
  const meant = offices.map((office) => officeMeant(office, ports));
  if (meant.includes(YET_TO_BE_MADE)) return 'moved';
  if (!meant.includes(null)) return meant.length === shown.length && isWithin(meant, shown) ? 'renamed' : 'moved';
  const wasAgreed = isSameValue({ shape: field === 'office' ? 'office' : 'offices' }, named, base?.[field]);
  return wasAgreed && idsOf(base?.[ids]).join() === shown.join() ? 'behind' : 'moved';
}

const YET_TO_BE_MADE = '';

/** The id of the office that a name means, or is about to mean; null if no office has that name. */
function officeMeant({ country, name }: Values, ports: ReconcilePorts): string | null {
  const words = [String(country ?? ''), String(name ?? '')] as const;
  const taker = takerOfOffice(officeKey(...words), ports);
  return taker === null ? ports.service.directory.officeId(...words) : (taker.target ?? YET_TO_BE_MADE);
}

function isWithin(meant: readonly (string | null)[], shown: readonly (string | null)[]): boolean {
  return meant.every((id) => shown.includes(id));
}

function idsOf(value: Json | undefined): readonly string[] {
  return itemsOf(value).map(String).sort();
}
