import { describe, expect, test } from 'vitest';
import type { Stretch } from '../../../src/model/desired.js';
import type { Entity } from '../../../src/model/entity.js';
import type { Json, Values } from '../../../src/model/json.js';
import type { Authority, Conflicts, SentValue, WriteBackColumn } from '../../../src/model/write-back.js';
import { hashLeaf } from '../../../src/reconcile/fields/leaves.js';
import { LeafMerge } from '../../../src/reconcile/fields/merge-leaves.js';
import { desiredOf, observedOf } from '../../samples.js';
import { settingsOf } from '../fake-ports.js';

/** One field whose two sides differ; by default a telephone that belongs to the source and is not written back. */
interface Row {
  readonly entity?: Entity;
  readonly path?: string;
  /** The agreed value, that of the source and that of the service; undefined means never agreed or no value. */
  readonly base?: Json;
  readonly source?: Json;
  readonly service?: Json;
  /** The other values that the object shows. */
  readonly shown?: Values;
  readonly written?: Values;
  readonly authority?: Authority;
  readonly conflicts?: Conflicts;
  readonly drift?: 'report';
  /** The column of HR that the field is written back to. */
  readonly column?: Partial<WriteBackColumn>;
  /** The value in that column, if it is not what the mapping makes of it. */
  readonly cell?: Json;
  readonly sent?: Partial<SentValue>;
  /**
   * The time at which the source says that its record changed, and the time at which the service's value was first
   * seen.
   */
  readonly modified?: Stretch;
  readonly seenAt?: string;
  /** The value that an operator has undone. */
  readonly undone?: Json;
  /** The side that a person has said is right. */
  readonly answer?: 'source' | 'service';
  readonly verdict: 'to_service' | 'to_source' | 'leave' | 'conflict' | 'drift';
  readonly union?: Json;
  /** True if the run notes that it saw the service's value. */
  readonly sighted?: boolean;
}

const NOW = '2026-11-20T08:00:00.000Z';

function at(path: string, value: Json | undefined): Values {
  const [field = '', part] = path.split('.');
  if (value === undefined) return {};
  return { [field]: part === undefined ? value : { [part]: value } };
}

function merge(row: Row) {
  const { entity = 'users', path = 'telephone', authority, column, cell = row.source, sent, answer } = row;
  const [field = '', part = null] = path.split('.');
  const sighted: string[] = [];
  const columns: WriteBackColumn[] =
    column === undefined
      ? []
      : [{ source: 'hr', column: 'cell', leaf: path, value: null, whenEmpty: 'keep', isRead: true, ...column }];
  const { verdict, union, question } = new LeafMerge({
    pair: {
      desired: desiredOf('E1', at(path, row.source), {
        entity,
        writeBack: {
          records: { hr: { record: 'row 2', cells: cell === undefined ? {} : { cell } } },
          modified: row.modified ?? null,
        },
      }),
      base: row.base === undefined ? null : at(path, row.base),
      written: row.written ?? null,
      observed: observedOf('u1', { ...at(path, row.service), ...row.shown }, { entity }),
    },
    settings: settingsOf({
      entity,
      conflicts: row.conflicts ?? 'owner',
      drift: row.drift ?? 'correct',
      rules: authority === undefined ? {} : { [path]: { apply: 'always', authority } },
      writeBack: columns,
    }),
    ports: {
      now: NOW,
      pins: () => (row.undone === undefined ? [] : [{ path, value: hashLeaf(row.undone), mapping: 'm' }]),
      resolution: () => answer ?? null,
      seenAt: () => row.seenAt ?? null,
      sight: (_entity, key, leaf) => void sighted.push(`${key} ${leaf}`),
      sent: (source, record, name) =>
        sent === undefined || `${source} ${record} ${name}` !== 'hr row 2 cell'
          ? null
          : { value: null, shown: null, serviceHash: null, status: 'sent', at: NOW, times: 1, message: null, ...sent },
    },
    idOf: () => null,
  }).merge({ path, field, part });
  return { verdict, union, question, sighted };
}

/** Both sides have changed it. */
const BOTH = { base: '1', source: '2', service: '3' } as const;
const SOURCE = { base: '1', source: '2', service: '1' } as const;
const SERVICE = { base: '1', source: '1', service: '3' } as const;
const BACK = { column: {} } as const;

const OWNERS: Readonly<Record<string, Row>> = {
  'the source moved its own field': { ...SOURCE, verdict: 'to_service' },
  'the service moved it': { ...SERVICE, verdict: 'to_service' },
  'the service moved it, and that is only reported': { ...SERVICE, drift: 'report', verdict: 'drift' },
  'a person says that the source is right': { ...SERVICE, drift: 'report', answer: 'source', verdict: 'to_service' },
  'a person says that the service is right, and HR has a column': {
    ...{ ...SERVICE, ...BACK, drift: 'report', answer: 'service', verdict: 'to_source' },
  },
  'a person says that the service is right, and HR has no column': {
    ...SERVICE,
    drift: 'report',
    answer: 'service',
    verdict: 'leave',
  },
  'a person answers what was not asked': { ...SERVICE, ...BACK, answer: 'service', verdict: 'to_service' },
  'both moved it, and a person must decide': { ...BOTH, conflicts: 'hold', verdict: 'conflict' },
  'a person has decided for the source': { ...BOTH, conflicts: 'hold', answer: 'source', verdict: 'to_service' },
  'a person has decided for the service': {
    ...{ ...BOTH, ...BACK, conflicts: 'hold', answer: 'service', verdict: 'to_source' },
  },
  'the service moved its own field': { ...SERVICE, ...BACK, authority: 'service', verdict: 'to_source' },
  'the service moved it, and no column exists for it': { ...SERVICE, authority: 'service', verdict: 'leave' },
  'the service moved it, and the column is that of another field': {
    ...{ ...SERVICE, column: { leaf: 'landline' }, authority: 'service', verdict: 'leave' },
  },
  'the service moved it, and its source has no row of the record': {
    ...{ ...SERVICE, column: { source: 'crm' }, authority: 'service', verdict: 'leave' },
  },
  'emptied in the service': { ...SERVICE, ...BACK, service: '', authority: 'service', verdict: 'leave' },
  'emptied in the service, and the column may be cleared': {
    ...{ ...SERVICE, column: { whenEmpty: 'clear' }, service: '', authority: 'service', verdict: 'to_source' },
  },
  'not shown by this read, as some fields are': {
    ...{ path: 'tags.unit', base: 'a', source: 'b', column: { whenEmpty: 'clear' }, authority: 'service' },
    verdict: 'leave',
  },
  'shown empty': {
    ...{ path: 'tags.unit', base: 'a', source: 'b', column: { whenEmpty: 'clear' }, authority: 'service' },
    ...{ shown: { tags: {} }, verdict: 'to_source' },
  },
  'absent from a read that always shows it': {
    ...{ base: '1', source: '2', column: { whenEmpty: 'clear' }, authority: 'service', verdict: 'to_source' },
  },
  'the source moved it only by a blank': {
    ...{ base: '1', source: '1 ', service: '3', conflicts: 'hold', verdict: 'to_service' },
  },
  'a language that the source moved only by a blank': {
    ...{ path: 'title.en', base: 'a', source: 'a ', service: 'b', conflicts: 'hold', verdict: 'conflict' },
  },
  'a language that only the service moved': {
    ...{ path: 'title.en', base: 'a', source: 'a', service: 'b', conflicts: 'hold', verdict: 'to_service' },
  },
  'the source has no value for it': { base: '1', service: '3', conflicts: 'hold', verdict: 'leave' },
  'the source empties a value that the service changed': {
    ...{ base: '1', source: null, service: '3', conflicts: 'hold', verdict: 'conflict' },
  },
  'a hidden value of the service, known by what was written': {
    ...{ path: 'tags.unit', base: 'a', source: 'b', written: { tags: { unit: 'a' } }, shown: { tags: {} } },
    ...{ conflicts: 'hold', verdict: 'conflict' },
  },
};

const FROM_5_TO_6 = { from: '2026-11-20T05:00:00.000Z', to: '2026-11-20T06:00:00.000Z' };
const day = (time: string): string => `2026-11-20T${time}.000Z`;
const NEWEST = { ...BACK, authority: 'newest' } as const;

const NEWER: Readonly<Record<string, Row>> = {
  'only the source moved': { ...NEWEST, ...SOURCE, verdict: 'to_service', sighted: false },
  'only the service moved': { ...NEWEST, ...SERVICE, verdict: 'to_source', sighted: true },
  'the source has no time of change': { ...NEWEST, ...BOTH, verdict: 'conflict', sighted: true },
  'the source was earlier': {
    ...{ ...NEWEST, ...BOTH, modified: FROM_5_TO_6, seenAt: day('06:00:01'), verdict: 'to_source', sighted: true },
  },
  'in the last moment of the source': {
    ...{ ...NEWEST, ...BOTH, modified: FROM_5_TO_6, seenAt: day('06:00:00'), verdict: 'conflict', sighted: true },
  },
  'in the first moment of the source': {
    ...{ ...NEWEST, ...BOTH, modified: FROM_5_TO_6, seenAt: day('05:00:00'), verdict: 'conflict', sighted: true },
  },
  'the source was later': {
    ...{ ...NEWEST, ...BOTH, modified: FROM_5_TO_6, seenAt: day('04:59:59'), verdict: 'to_service', sighted: true },
  },
  'the service value is seen for the first time': {
    ...{ ...NEWEST, ...BOTH, modified: FROM_5_TO_6, verdict: 'to_source', sighted: true },
  },
  'the clock of the source is a little ahead': {
    ...{ ...NEWEST, ...BOTH, modified: { from: day('08:05:00'), to: day('08:05:00') }, verdict: 'to_service' },
    sighted: true,
  },
  'the source gives a time in the future': {
    ...{ ...NEWEST, ...BOTH, modified: { from: day('08:05:01'), to: day('08:05:01') }, verdict: 'conflict' },
    sighted: true,
  },
};

/** The value that HR was sent last: `2`, made of what the service held then. */
const SENT = { value: '2', shown: '1', serviceHash: hashLeaf('2') } as const;

const EVIDENCE: Readonly<Record<string, Row>> = {
  'HR has taken it, and the service has moved on': {
    ...{ ...NEWEST, base: '1', source: '2', service: '3', sent: SENT, verdict: 'to_source', sighted: true },
  },
  'HR has taken it, and the service still holds what it was made of': {
    ...{ ...NEWEST, base: '1', source: '2', service: '3', sent: { ...SENT, serviceHash: hashLeaf('3') } },
    ...{ verdict: 'leave', sighted: false },
  },
  'HR has taken it, and that counts as agreed': {
    ...{ ...NEWEST, source: '2', service: '3', sent: SENT, verdict: 'to_source', sighted: true },
  },
  'HR has taken it in a form of its own': {
    ...{ ...NEWEST, source: '2', cell: '(2)', service: '3', sent: SENT, verdict: 'to_source', sighted: true },
  },
  'HR has rejected it, although it shows it': {
    ...{ ...NEWEST, base: '1', source: '2', service: '3', sent: { ...SENT, status: 'refused' }, verdict: 'conflict' },
    sighted: true,
  },
  'HR shows the old value': {
    ...{ ...NEWEST, base: '0', source: '1', service: '2', sent: SENT, verdict: 'to_source', sighted: true },
  },
  'HR shows the old value, and so does the service': {
    ...{ ...NEWEST, base: '2', source: '1', service: '2', sent: SENT, verdict: 'to_source', sighted: true },
  },
  'HR shows the old value, which was never agreed on': {
    ...{ ...NEWEST, source: '1', service: '2', sent: SENT, verdict: 'to_source', sighted: true },
  },
  'HR shows the old value, never agreed on, and the service is empty': {
    ...{ ...BACK, authority: 'service', source: '1', sent: SENT, verdict: 'leave' },
  },
  'HR had taken it, and shows another value': {
    ...{ ...NEWEST, base: '1', source: '4', service: '2', sent: { ...SENT, shown: '2' }, verdict: 'to_service' },
    sighted: false,
  },
  'HR never took it and shows another value, so the base decides': {
    ...{ ...NEWEST, base: '1', source: '4', service: '2', sent: SENT, verdict: 'conflict', sighted: true },
  },
  'HR never took it, and the service has not moved': {
    ...{ ...NEWEST, base: '2', source: '4', service: '2', sent: SENT, verdict: 'to_service', sighted: false },
  },
  'a field of the source, which HR has taken': {
    ...{ ...BACK, base: '1', source: '2', service: '3', sent: SENT, conflicts: 'hold', verdict: 'to_service' },
  },
  'a field of the source, else decided by the base': {
    ...{ ...BACK, base: '0', source: '1', service: '2', sent: SENT, conflicts: 'hold', verdict: 'conflict' },
  },
  'a value sent to another column': {
    ...{ ...NEWEST, column: { column: 'other' }, base: '1', source: '2', service: '3', sent: SENT },
    ...{ verdict: 'conflict', sighted: true },
  },
};

/** The source still asks for `2`, which an operator has undone. */
const UNDONE: Readonly<Record<string, Row>> = {
  'a field of the service keeps the restored value': {
    ...{ ...BACK, authority: 'service', base: '3', source: '2', service: '3', undone: '2', verdict: 'leave' },
  },
  'a field of the service, which a person says is right': {
    ...{ ...BACK, authority: 'service', base: '3', source: '2', service: '3', undone: '2', drift: 'report' },
    ...{ answer: 'service', verdict: 'leave' },
  },
  'a field of the service that it has changed since': {
    ...{ ...BACK, authority: 'service', base: '3', source: '2', service: '4', undone: '2', conflicts: 'hold' },
    verdict: 'to_source',
  },
  'the service has the newest change since then': {
    ...{ ...NEWEST, base: '3', source: '2', service: '4', undone: '2', verdict: 'to_source', sighted: true },
  },
  'nothing was there before, and nothing is': {
    ...{ ...NEWEST, source: '2', column: { whenEmpty: 'clear' }, undone: '2', verdict: 'leave', sighted: false },
  },
  'nothing was there before, and the service has filled it': {
    ...{ ...NEWEST, source: '2', service: '4', undone: '2', verdict: 'to_source', sighted: true },
  },
  'another value was undone': {
    ...{ ...NEWEST, base: '3', source: '2', service: '3', undone: '1', verdict: 'to_service', sighted: false },
  },
};

const LIST = { base: ['a', 'b'], source: ['a', 'c'], service: ['b', 'd'], conflicts: 'hold' } as const;
const OFFICE = (name: string): Json => ({ country: 'no', name });

const LISTS: Readonly<Record<string, Row>> = {
  'is merged: added by either side, without what either removed': {
    ...{ ...LIST, entity: 'customers', path: 'tags.unit', verdict: 'to_service', union: ['d', 'c'] },
  },
  'is not merged if the owner decides': {
    ...{ ...LIST, entity: 'customers', path: 'tags.unit', conflicts: 'owner', verdict: 'to_service' },
  },
  'is not merged if only one side moved': {
    ...{ ...LIST, entity: 'customers', path: 'tags.unit', service: ['b', 'a'], verdict: 'to_service' },
  },
  'is merged and noted if the newest decides': {
    ...{ entity: 'customers', path: 'tags.unit', authority: 'newest', base: ['a'], source: ['a', 'b'] },
    ...{ service: ['a', 'c'], verdict: 'to_service', union: ['a', 'c', 'b'], sighted: true },
  },
  'goes only to the source if the service has it all': {
    ...{ entity: 'customers', path: 'tags.unit', conflicts: 'hold', base: ['a', 'b'], source: ['a', 'c'] },
    ...{ service: ['c'], verdict: 'to_source', union: ['c'] },
  },
  'goes nowhere if both have it all': {
    ...{ entity: 'customers', path: 'tags.unit', conflicts: 'hold', base: ['a'], source: ['b', 'c'] },
    ...{ service: ['c', 'b'], verdict: 'leave', union: ['c', 'b'] },
  },
  'is compared by person': {
    ...{ entity: 'projects', path: 'owners', conflicts: 'hold', base: ['E1', 'E2'], source: ['E1', 'E3'] },
    ...{ service: ['jane@example.com', 'E2', 'E4'], shown: { owners_ids: { 'jane@example.com': 'u1', e1: 'u1' } } },
    ...{ verdict: 'to_service', union: ['E1', 'E4', 'E3'] },
  },
  'is compared without case': {
    ...{ entity: 'customers', path: 'tags.unit', conflicts: 'hold', base: ['A', 'x'], source: ['a', 'b'] },
    ...{ service: ['a', 'c', 'x'], verdict: 'to_service', union: ['a', 'c', 'b'] },
  },
  'needs a decision for roles': {
    ...{ path: 'roles', conflicts: 'hold', base: ['consultant'], source: ['consultant', 'bidmanager'] },
    ...{ service: ['consultant', 'countrymanager'], verdict: 'conflict' },
  },
  'is merged for roles if the newest decides': {
    ...{ path: 'roles', authority: 'newest', base: ['consultant'], source: ['consultant', 'bidmanager'] },
    ...{ service: ['consultant', 'countrymanager'], verdict: 'to_service' },
    ...{ union: ['consultant', 'countrymanager', 'bidmanager'], sighted: true },
  },
  'is not merged for roles that exclude each other': {
    ...{ path: 'roles', authority: 'newest', base: ['consultant'], source: ['external'] },
    ...{ service: ['internationalmanager'], verdict: 'conflict', sighted: true },
  },
  'is not merged for offices': {
    ...{ path: 'role_allowed_offices', conflicts: 'hold', base: [OFFICE('Oslo')], source: [OFFICE('Bergen')] },
    ...{ service: [OFFICE('Bodø')], verdict: 'conflict' },
  },
  'is not merged if a side has no list': {
    ...{ entity: 'customers', path: 'tags.unit', conflicts: 'hold', base: ['a'], source: null },
    ...{ service: ['b'], verdict: 'conflict' },
  },
  'is not merged if there was none': {
    ...{ entity: 'customers', path: 'tags.unit', conflicts: 'hold', base: null, source: ['a'] },
    ...{ service: ['b'], verdict: 'conflict' },
  },
};

describe.each([
  ['the side that a field belongs to', OWNERS],
  ['the newest decides', NEWER],
  ['something was written back', EVIDENCE],
  ['something was undone', UNDONE],
  ['a list that both changed', LISTS],
])('LeafMerge: %s', (_, rows) => {
  test.each(Object.entries(rows))('decides right: %s', (_name, row) => {
    const { verdict, union, sighted } = merge(row);
    expect({ verdict, union }).toEqual({ verdict: row.verdict, union: row.union });
    expect(sighted).toEqual(row.sighted === true ? [`E1 ${row.path ?? 'telephone'}`] : []);
  });
});

describe('the id of a question', () => {
  const { question } = merge({ ...BOTH, verdict: 'to_service' });
  const rows: Readonly<Record<string, [Row, boolean]>> = {
    'stays while both sides say the same': [{ ...BOTH, base: '0', verdict: 'to_service' }, true],
    'changes with the source': [{ ...BOTH, source: '4', verdict: 'to_service' }, false],
    'changes with the service': [{ ...BOTH, service: '4', verdict: 'to_service' }, false],
    'changes with the field': [{ ...BOTH, path: 'landline', verdict: 'to_service' }, false],
    'changes with the kind of object': [{ ...BOTH, entity: 'projects', verdict: 'to_service' }, false],
  };
  test.each(Object.entries(rows))('%s', (_, [row, isSame]) => {
    expect(question).toMatch(/^[0-9a-f]{64}$/);
    expect(merge(row).question === question).toBe(isSame);
  });
});
