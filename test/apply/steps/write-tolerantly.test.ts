import { describe, expect, it } from 'vitest';
import { type ProjectBody, writeTolerantly } from '../../../src/apply/steps/write-tolerantly.js';
import type { WireProject } from '../../../src/service/wire.js';
import { refused } from '../step-world.js';

const FIELDS = [
  { name: 'heads', value: 4 },
  { name: 'size', value: 2 },
];

interface Row {
  readonly body: ProjectBody;
  /** From a part of the body to the status with which it is rejected. */
  readonly wrong: Readonly<Record<string, number>>;
  /** The keys of each body sent, with custom fields by name, and the target project. */
  readonly sent: readonly string[];
  /** Null if the complete body is rejected. */
  readonly refusals: readonly string[] | null;
  /** True if only rejected parts were to be sent. */
  readonly isEmpty?: true;
}

/** The table in `writeTolerantly`. */
const TABLE: Readonly<Record<string, Row>> = {
  'accepts a valid body': {
    ...{ body: { architect: 'A', custom_fields: FIELDS }, wrong: {} },
    ...{ sent: ['architect heads size → new'], refusals: [] },
  },
  'sends the rest without a forbidden stage': {
    ...{ body: { architect: 'A', workflow_stage: 'live' }, wrong: { workflow_stage: 403 } },
    ...{ sent: ['architect workflow_stage → new', 'architect → new'], refusals: ['workflow_stage 403'] },
  },
  'sends custom fields without a forbidden stage': {
    ...{ body: { workflow_stage: 'live', custom_fields: FIELDS }, wrong: { workflow_stage: 403 } },
    ...{ sent: ['workflow_stage heads size → new', 'heads size → new'], refusals: ['workflow_stage 403'] },
  },
  'has nothing left without a forbidden stage': {
    ...{ body: { workflow_stage: 'live' }, wrong: { workflow_stage: 403 }, isEmpty: true },
    ...{ sent: ['workflow_stage → new'], refusals: ['workflow_stage 403'] },
  },
  'leaves out a forbidden stage and forbidden custom fields': {
    body: { architect: 'A', workflow_stage: 'live', custom_fields: FIELDS },
    wrong: { workflow_stage: 403, heads: 403 },
    sent: ['architect workflow_stage heads size → new', 'architect heads size → new', 'architect → new'],
    refusals: ['workflow_stage 403', 'custom_fields.heads 403', 'custom_fields.size 403'],
  },
  'rejects everything if the stage is wrong for another reason': {
    ...{ body: { architect: 'A', workflow_stage: 'live' }, wrong: { workflow_stage: 422 } },
    ...{ sent: ['architect workflow_stage → new'], refusals: null },
  },
  'sends the rest first and then each custom field if one is wrong': {
    ...{ body: { architect: 'A', workflow_stage: 'live', custom_fields: FIELDS }, wrong: { size: 422 } },
    sent: [
      ...['architect workflow_stage heads size → new', 'architect workflow_stage → new'],
      ...['heads → p1', 'size → p1'],
    ],
    refusals: ['custom_fields.size 422'],
  },
  'sends each custom field if one is unknown and there is nothing else': {
    ...{ body: { custom_fields: FIELDS }, wrong: { heads: 404 } },
    ...{ sent: ['heads size → new', 'heads → new', 'size → new'], refusals: ['custom_fields.heads 404'] },
  },
  'does not retry the only custom field': {
    ...{ body: { architect: 'A', custom_fields: FIELDS.slice(0, 1) }, wrong: { heads: 422 } },
    ...{ sent: ['architect heads → new', 'architect → new'], refusals: ['custom_fields.heads 422'] },
  },
  'retries no custom field if they are not enabled': {
    ...{ body: { architect: 'A', custom_fields: FIELDS }, wrong: { heads: 403 } },
    sent: ['architect heads size → new', 'architect → new'],
    refusals: ['custom_fields.heads 403', 'custom_fields.size 403'],
  },
  'rejects everything if a field is rejected for another reason': {
    ...{ body: { architect: 'A', custom_fields: FIELDS }, wrong: { heads: 409 } },
    ...{ sent: ['architect heads size → new'], refusals: null },
  },
  'rejects everything without custom fields': {
    ...{ body: { architect: 'A' }, wrong: { architect: 422 } },
    ...{ sent: ['architect → new'], refusals: null },
  },
};

function partsOf({ custom_fields: fields = [], ...plain }: ProjectBody): readonly string[] {
  return [...Object.keys(plain), ...fields.map(({ name }) => name)];
}

describe('a project that the service accepts in part', () => {
  it.each(Object.entries(TABLE))('%s', async (_, { body, wrong, sent, refusals, isEmpty }) => {
    const calls: string[] = [];
    const written = writeTolerantly(body, async (part, id) => {
      const parts = partsOf(part);
      calls.push(`${parts.join(' ')} → ${id ?? 'new'}`);
      const status = parts.flatMap((name) => wrong[name] ?? [])[0];
      if (status !== undefined) throw refused(status);
      return { value: { id: 'p1' } as WireProject, requestId: 'q1', status: 200, attempts: 1 };
    });
    if (refusals === null) await expect(written).rejects.toThrow('it said');
    else {
      const { answer, refusals: found } = await written;
      expect(found.map(({ field, error }) => `${field} ${error.status}`)).toEqual(refusals);
      expect(answer?.value.id).toBe(isEmpty === true ? undefined : 'p1');
    }
    expect(calls).toEqual(sent);
  });

  it('does not try less after an error without an answer', async () => {
    let calls = 0;
    const send = async (): Promise<never> => {
      calls += 1;
      // The first error is an answer, so the fields are tried one by one.
      throw calls === 1 ? refused(422) : new Error('broken');
    };
    await expect(writeTolerantly({ custom_fields: FIELDS }, send)).rejects.toThrow('broken');
    expect(calls).toBe(2);
  });
});
