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
  /** By a part of the body: how a body that has it is refused. */
  readonly wrong: Readonly<Record<string, number>>;
  /** The keys of each body that is sent, custom fields by their names, and the project that it is sent to. */
  readonly sent: readonly string[];
  /** Null: the whole is refused. */
  readonly refusals: readonly string[] | null;
  /** Nothing but what was refused was to be sent. */
  readonly isEmpty?: true;
}

/** The table over `writeTolerantly`. */
const TABLE: Readonly<Record<string, Row>> = {
  'a body that is taken': {
    ...{ body: { architect: 'A', custom_fields: FIELDS }, wrong: {} },
    ...{ sent: ['architect heads size → new'], refusals: [] },
  },
  'the stage may not be set: the rest goes without it': {
    ...{ body: { architect: 'A', workflow_stage: 'live' }, wrong: { workflow_stage: 403 } },
    ...{ sent: ['architect workflow_stage → new', 'architect → new'], refusals: ['workflow_stage 403'] },
  },
  'the stage may not be set, and custom fields go along': {
    ...{ body: { workflow_stage: 'live', custom_fields: FIELDS }, wrong: { workflow_stage: 403 } },
    ...{ sent: ['workflow_stage heads size → new', 'heads size → new'], refusals: ['workflow_stage 403'] },
  },
  'the stage alone may not be set: nothing is left': {
    ...{ body: { workflow_stage: 'live' }, wrong: { workflow_stage: 403 }, isEmpty: true },
    ...{ sent: ['workflow_stage → new'], refusals: ['workflow_stage 403'] },
  },
  'neither stage nor custom fields may be set': {
    body: { architect: 'A', workflow_stage: 'live', custom_fields: FIELDS },
    wrong: { workflow_stage: 403, heads: 403 },
    sent: ['architect workflow_stage heads size → new', 'architect heads size → new', 'architect → new'],
    refusals: ['workflow_stage 403', 'custom_fields.heads 403', 'custom_fields.size 403'],
  },
  'the stage is wrong otherwise: the whole is refused': {
    ...{ body: { architect: 'A', workflow_stage: 'live' }, wrong: { workflow_stage: 422 } },
    ...{ sent: ['architect workflow_stage → new'], refusals: null },
  },
  'one custom field is wrong: the rest first, then each by itself': {
    ...{ body: { architect: 'A', workflow_stage: 'live', custom_fields: FIELDS }, wrong: { size: 422 } },
    sent: [
      ...['architect workflow_stage heads size → new', 'architect workflow_stage → new'],
      ...['heads → p1', 'size → p1'],
    ],
    refusals: ['custom_fields.size 422'],
  },
  'one custom field is unknown, and there is nothing else': {
    ...{ body: { custom_fields: FIELDS }, wrong: { heads: 404 } },
    ...{ sent: ['heads size → new', 'heads → new', 'size → new'], refusals: ['custom_fields.heads 404'] },
  },
  'the only custom field is wrong: it is not tried again': {
    ...{ body: { architect: 'A', custom_fields: FIELDS.slice(0, 1) }, wrong: { heads: 422 } },
    ...{ sent: ['architect heads → new', 'architect → new'], refusals: ['custom_fields.heads 422'] },
  },
  'custom fields are not enabled: none is tried by itself': {
    ...{ body: { architect: 'A', custom_fields: FIELDS }, wrong: { heads: 403 } },
    sent: ['architect heads size → new', 'architect → new'],
    refusals: ['custom_fields.heads 403', 'custom_fields.size 403'],
  },
  'a field is refused for another reason: the whole is refused': {
    ...{ body: { architect: 'A', custom_fields: FIELDS }, wrong: { heads: 409 } },
    ...{ sent: ['architect heads size → new'], refusals: null },
  },
  'what has no custom fields is refused as a whole': {
    ...{ body: { architect: 'A' }, wrong: { architect: 422 } },
    ...{ sent: ['architect → new'], refusals: null },
  },
};

function partsOf({ custom_fields: fields = [], ...plain }: ProjectBody): readonly string[] {
  return [...Object.keys(plain), ...fields.map(({ name }) => name)];
}

describe('a project of which the service takes a part', () => {
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

  it('an error that is no answer of the service is no reason to try less', async () => {
    let calls = 0;
    const send = async (): Promise<never> => {
      calls += 1;
      // The first is an answer, so that a field is tried by itself.
      throw calls === 1 ? refused(422) : new Error('broken');
    };
    await expect(writeTolerantly({ custom_fields: FIELDS }, send)).rejects.toThrow('broken');
    expect(calls).toBe(2);
  });
});
