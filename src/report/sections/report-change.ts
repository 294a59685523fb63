import type { DeclineWords } from '../../model/decline.js';
import type { Failure } from '../../model/failure.js';
import { showGuard } from '../../model/held-source.js';
import { isJsonObject, objectOf, type Values } from '../../model/json.js';
import { isTicked, type PlannedChange } from '../../model/plan.js';
import type { PlannedSourceChange } from '../../model/write-back.js';
import type { AuditEntry } from '../../store/audit/audit-entry.js';
import type { SourceWritten } from '../../store/audit/events.js';
import { saysNo } from './declined.js';
import { leaf, listCells, listDifferences, wordsOf } from './differences.js';
import { TELL } from './kinds.js';
import type { ReportChange, State } from './report.js';

/*
 * A change in reports: first as planned, then with its result. `CHANGE_COLUMNS` in report.ts defines how each change is
 * shown.
 */

/** Shows a place. A missing person is not in any row, so the plan has `absent` as the place. */
function showPlace(place: string): string {
  return place === 'absent' ? '' : place;
}

/**
 * Converts a planned change. Copies each field by name, because spreading a planned change is ten times slower. Each
 * document has its own hidden class.
 */
export function changeOfPlan(change: PlannedChange, declined: Declined): ReportChange {
  const { id, entity, action, key, target, label, reason, place, needs, approval } = change;
  return {
    id,
    entity,
    action,
    sourceRecord: null,
    alone: isTicked(change),
    key,
    target,
    label,
    hint: action === 'create' ? distinguish(change.after) : '',
    reason,
    place: showPlace(place),
    needs,
    differences: listDifferences(change),
    state: stateOf(change),
    about: waitText(change, declined),
    approval,
    at: null,
    calls: [],
  };
}

/** A property that distinguishes new objects at a glance. */
function distinguish({ office, customer }: Values): string {
  if (isJsonObject(office)) return wordsOf(office) ?? '';
  return typeof customer === 'string' ? `for ${customer}` : '';
}

/** Properties of all write-backs, which change no object of the service. */
const TO_SOURCE = { action: TELL, alone: false, target: null, hint: '', calls: [] } as const;

/** A write-back to one record of a source. */
export function changeToSource(change: PlannedSourceChange, declined: Declined): ReportChange {
  const { id, source, record, entity, key, label, place, cells, reason, needs, approval } = change;
  return {
    ...TO_SOURCE,
    id,
    entity,
    sourceRecord: { source, record },
    key,
    label,
    reason: { kind: TELL, text: reason },
    place,
    needs,
    differences: listCells(cells),
    state: stateOf(change),
    about: waitText(change, declined),
    approval,
    at: null,
  };
}

type ChangeStatus = Pick<PlannedChange, 'withheld' | 'approval'>;

/** Id of a change → who declined it, why and until when. */
export type Declined = ReadonlyMap<string, DeclineWords>;

function stateOf({ withheld, approval }: ChangeStatus): State {
  if (withheld?.by === 'declined') return 'declined';
  if (withheld !== null) return 'waits';
  return approval === null ? 'planned' : 'approved';
}

function waitText({ id, withheld }: ChangeStatus & Pick<PlannedChange, 'id'>, declined: Declined): string {
  const words = withheld?.by === 'declined' ? declined.get(id) : undefined;
  if (words !== undefined) return saysNo(words);
  return withheld === null ? '' : `for ${showGuard(withheld.name)}`;
}

export function changeOfWritten(event: SourceWritten, failure: Failure | undefined): ReportChange {
  const { change: id, entity, key, label, at, source, record, cause, result, where, approval } = event;
  const by = [`by ${where}`, ...(event.request_id === null ? [] : [`request ${event.request_id}`])].join(', ');
  const said = failure === undefined ? [result, event.error].filter(Boolean).join(': ') : aboutFailure(failure);
  const [before, after] = [objectOf(event.before), objectOf(event.after)];
  return {
    ...TO_SOURCE,
    id,
    entity,
    sourceRecord: { source, record },
    key,
    label,
    reason: { kind: TELL, text: cause },
    place: '',
    needs: [],
    differences: Object.keys(after).map((field) => leaf(field, before[field], after[field])),
    state: result === 'done' ? 'done' : 'failed',
    about: result === 'done' ? by : said,
    approval,
    at,
  };
}

const FULFILLED: ReadonlySet<string> = new Set<AuditEntry['result']>(['done', 'already so']);

export function changeOfEntry(entry: AuditEntry, failure: Failure | undefined): ReportChange {
  const { change: id, entity, action, key, target, label, cause, place, result, approval, at, calls } = entry;
  const said = failure === undefined ? (entry.error ?? '') : aboutFailure(failure);
  const isSaid = result === 'done' || result === 'refused';
  const [before, after] = [objectOf(entry.before), objectOf(entry.after)];
  const fields = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return {
    id,
    entity,
    action,
    sourceRecord: null,
    alone: false,
    key,
    target,
    label,
    hint: '',
    reason: cause,
    place: showPlace(place),
    needs: [],
    differences: listDifferences({ entity, fields, before, after }),
    state: FULFILLED.has(result) ? 'done' : 'failed',
    about: isSaid ? said : [result, said].filter((part) => part !== '').join(': '),
    approval,
    at,
    calls,
  };
}

export function aboutFailure({ code, message, remedy }: Failure): string {
  return `${code}: ${message} ${remedy}`;
}
