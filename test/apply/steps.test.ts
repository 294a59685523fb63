import { describe, expect, it } from 'vitest';
import { forecastCalls } from '../../src/apply/calls.js';
import type { Step } from '../../src/apply/step.js';
import type { Change } from '../../src/model/plan.js';
import { ServiceError } from '../../src/service/service-error.js';
import { changeOf, observedOf } from '../samples.js';
import { failing, look, NAMES, only, pages, refused, stepsOf, type World } from './step-world.js';

const JANE = 'u:jane@x.test';
const jane = observedOf(JANE, { email: 'jane@x.test', default_cv_id: 'cv1' }, { label: 'Jane' });
const proposal = observedOf('b1', { name: 'Dam', owner: 'Joe', owner_id: 'u9' }, { entity: 'proposals' });
const WIRE = { id: 'b1', name: 'Dam', status: 'open', archived: false, owner_id: 'u9', owner_name: 'Joe' };
const bid = (more: Partial<Change>) => changeOf('proposals', 'B1', { action: 'update', target: 'b1', ...more });

describe('a proposal', () => {
  it('is changed and given to another owner by a call each, which a look proves separately', async () => {
    const change = bid({ after: { status: 'won', owner: 'jane@x.test' }, fields: ['owner', 'status'] });
    const { steps, calls } = stepsOf(change, {
      mirror: [proposal],
      writes: { 'proposals.update': { ...WIRE, status: 'won' } },
    });
    expect(steps.map(({ name, endpoint, repeat, seenBy }) => [name, endpoint, repeat, seenBy])).toEqual([
      ['update', 'updateProposal', 'idempotent', 'getProposal'],
      ['owner', 'changeProposalOwner', 'idempotent', 'getProposal'],
    ]);
    const [update, owner] = steps;
    expect((await update?.send(null))?.observed?.values).toMatchObject({ status: 'won', name: 'Dam' });
    const given = await owner?.send(null);
    expect(given).toMatchObject({ answered: false, observed: { values: { owner: 'jane@x.test', owner_id: JANE } } });
    expect(calls).toEqual([
      'proposals.update ["b1",{"status":"won"}]',
      `proposals.changeOwner ["b1",{"type":"user","id":"${JANE}"}]`,
    ]);
    const seen = (values: object) => observedOf('b1', { ...values }, { entity: 'proposals' });
    expect(update?.happened?.(seen({ status: 'won', name: 'other' }))).toBe(true);
    expect(update?.happened?.(seen({ status: 'open', name: 'Dam' }))).toBe(false);
    expect(owner?.happened?.(seen({ owner_id: JANE }))).toBe(true);
    expect(owner?.happened?.(seen({ owner_id: 'u9' }))).toBe(false);
  });

  it('is created with its plain fields, and without any contents yet', async () => {
    const create = changeOf('proposals', 'B1', {
      after: { name: 'Dam', status: 'open', owner: 'jane@x.test', archived: true },
      fields: ['archived', 'name', 'owner', 'status'],
    });
    const { steps, calls } = stepsOf(create, { writes: { 'proposals.create': WIRE, 'proposals.update': WIRE } });
    expect(steps.map(({ endpoint, repeat }) => [endpoint, repeat])).toEqual([
      ['createProposal', 'probe'],
      ['updateProposal', 'idempotent'],
    ]);
    const made = await steps[0]?.send(null);
    expect(made?.observed?.values).toMatchObject({ name: 'Dam', collaborators: [], cvs: [], references: [] });
    await steps[1]?.send(made?.observed ?? null);
    expect(calls).toEqual([
      `proposals.create [{"name":"Dam","status":"open","owner_id":"${JANE}"}]`,
      'proposals.update ["b1",{"archived":true}]',
    ]);
    const plain = changeOf('proposals', 'B1', { after: { name: 'Dam' }, fields: ['name'] });
    const bare = only(plain, { writes: { 'proposals.create': WIRE } });
    await bare.step.send(null);
    expect(bare.calls).toEqual(['proposals.create [{"name":"Dam"}]']);
  });

  it('is shown with its new owner if the answer has one', async () => {
    const change = bid({ after: { owner: 'jane@x.test' }, fields: ['owner'] });
    const shown = { ...WIRE, owner_id: JANE, owner_name: 'Jane' };
    const { step } = only(change, { mirror: [proposal], writes: { 'proposals.changeOwner': shown } });
    expect(await step.send(null)).toMatchObject({
      answered: true,
      observed: { values: { owner: 'Jane', owner_id: JANE } },
    });
  });

  it('is found after a lost create if it is linked to the record, or the only free one with its name', async () => {
    const change = changeOf('proposals', 'B1', { after: { name: ' Dam' }, fields: ['name'] });
    const find = async (rows: readonly object[], linked: Readonly<Record<string, string>> = {}) => {
      const { step, calls } = only(change, { reads: { 'proposals.list': pages(...rows) }, linked });
      expect([step.repeat, step.seenBy]).toEqual(['probe', 'listProposals']);
      const found = await step.probe();
      expect(calls).toEqual(['proposals.list [{"query":"Dam","includeArchived":true}]']);
      return found?.id ?? null;
    };
    const named = (id: string, name = 'DAM') => ({ ...WIRE, id, name });
    expect(await find([named('b1')])).toBe('b1');
    expect(await find([named('b1', 'Damage')])).toBeNull();
    expect(await find([named('b1')], { 'proposals:b1': 'B9' })).toBeNull();
    expect(await find([named('b1'), named('b2')], { 'proposals:b2': 'B1' })).toBe('b2');
    expect(await find([named('b1'), named('b2')], { 'proposals:b2': 'B9' })).toBe('b1');
    await expect(find([named('b1'), named('b2')])).rejects.toThrow('2 proposals are called " Dam"');
  });

  interface Content {
    readonly kind: 'collaborators' | 'cvs' | 'references';
    readonly word: string;
    readonly list: string;
    /** The list with the content, and without it. */
    readonly isIn: unknown;
    readonly isOut: unknown;
    readonly sent: string;
  }
  const users = (...ids: readonly string[]) => ({
    api_users: [],
    users: ids.map((id) => ({ id, email: `${id.slice(2)}` })),
  });
  const contents: readonly Content[] = [
    {
      ...{ kind: 'collaborators', word: 'jane@x.test', list: 'proposals.listCollaborators' },
      ...{ isIn: users('u:joe@x.test', JANE), isOut: users('u:joe@x.test') },
      sent: `proposals.addCollaborator ["b1",{"type":"user","id":"${JANE}"}]`,
    },
    {
      ...{ kind: 'cvs', word: 'jane@x.test', list: 'proposals.listCvs' },
      ...{
        isIn: [
          { id: 'k1', user_id: 'u9' },
          { id: 'k2', user_id: JANE, email: 'jane@x.test' },
        ],
        isOut: [{ id: 'k1', user_id: 'u9' }],
      },
      sent: 'proposals.addCv ["b1","cv1"]',
    },
    {
      ...{ kind: 'references', word: 'P1', list: 'proposals.listReferences' },
      ...{ isIn: [{ id: 'r1', external_unique_id: 'p1' }], isOut: [{ id: 'r1', external_unique_id: 'P2' }] },
      sent: 'proposals.addReference ["b1",{"customerId":"k1","projectId":"p:p1"}]',
    },
  ];
  const dam = observedOf('p:p1', { customer_id: 'k1' }, { entity: 'projects' });
  const mirror = [proposal, jane, dam];

  it.each(contents)(
    'adds $kind one by one, and finds them by a look',
    async ({ kind, word, list, isIn, isOut, sent }) => {
      const change = bid({ after: { [kind]: [word] }, fields: [kind] });
      const { step, calls } = only(change, { mirror });
      expect(step.repeat).toBe('probe');
      const { observed, answered, copy } = await step.send(null);
      expect(calls).toEqual([sent]);
      expect(observed?.values[kind]).toEqual([word]);
      expect(observed?.values[`${kind}_ids`]).toEqual(kind === 'references' ? undefined : { [word]: JANE });
      expect({ answered, copy }).toEqual({ answered: false, copy: undefined });
      const after = await look(change, { mirror, reads: { [list]: isIn, 'proposals.get': WIRE } });
      expect(after.judged).toMatchObject({ id: 'b1', values: { name: 'Dam', [kind]: expect.arrayContaining([word]) } });
      expect((await look(change, { mirror, reads: { [list]: isOut, 'proposals.get': WIRE } })).judged).toBe('nothing');
      expect((await look(change, { mirror, reads: { [list]: isIn } })).judged).toBe('nothing');
    },
  );

  it('shows an added CV as a copy if the answer is that copy', async () => {
    const change = bid({ after: { cvs: ['jane@x.test'] }, fields: ['cvs'] });
    const send = (value: unknown) => only(change, { mirror, writes: { 'proposals.addCv': value } }).step.send(null);
    const copy = { id: 'k2', user_id: JANE, updated_at: 'now' };
    expect(await send(copy)).toMatchObject({ answered: true, copy: { id: 'k2' } });
    for (const other of [{ id: 'b1', user_id: 'u9' }, undefined]) {
      expect(await send(other)).toMatchObject({ answered: false });
      expect(await send(other)).not.toHaveProperty('copy');
    }
  });

  it('reads a missing CV id from the person, and is rejected if the person has none', async () => {
    const change = bid({ after: { cvs: ['jane@x.test'] }, fields: ['cvs'] });
    const world = (user: unknown): World => ({ mirror: [proposal], reads: { 'users.get': user } });
    const { step, calls } = only(change, world({ default_cv_id: 'cv7' }));
    await step.send(null);
    expect(calls).toEqual([`users.get ["${JANE}"]`, 'proposals.addCv ["b1","cv7"]']);
    await expect(only(change, world(undefined)).step.send(null)).rejects.toThrow('The CV is no longer in the service.');
  });

  it('shows an added reference as a copy if the answer names its project', async () => {
    const change = bid({ after: { references: ['P1'] }, fields: ['references'] });
    const send = async (value: unknown) =>
      (await only(change, { mirror, writes: { 'proposals.addReference': value } }).step.send(null)).copy;
    expect(await send({ id: 'r1', external_unique_id: 'p1' })).toMatchObject({ id: 'r1' });
    expect(await send({ id: 'r1', external_unique_id: 'P2' })).toBeUndefined();
    expect(await send(undefined)).toBeUndefined();
  });

  it('detects a nameless reference by the number of references', async () => {
    const change = bid({ after: { references: ['P1'] }, fields: ['references'] });
    const there = observedOf('b1', { references_unknown: 1 }, { entity: 'proposals' });
    const seen = async (...list: readonly object[]) =>
      (
        await look(change, {
          mirror: [there, jane, dam],
          reads: { 'proposals.listReferences': list, 'proposals.get': WIRE },
        })
      ).judged;
    expect(await seen({ id: 'r1' })).toBe('nothing');
    expect(await seen({ id: 'r1' }, { id: 'r2' })).toMatchObject({ values: { references: ['P1'] } });
  });

  it('is rejected if it no longer exists', async () => {
    const change = bid({ after: { cvs: ['jane@x.test'] }, fields: ['cvs'] });
    await expect(only(change, { mirror: [jane] }).step.send(null)).rejects.toThrow(
      'The proposal is no longer in the service.',
    );
    const created = changeOf('proposals', 'B1', {
      after: { name: 'Dam', cvs: ['jane@x.test'] },
      fields: ['cvs', 'name'],
    });
    const [, put] = stepsOf(created, { mirror: [jane] }).steps;
    await expect(put?.send(null)).rejects.toThrow('The proposal is no longer in the service.');
  });

  it('loses by an undo the contents that its run added', async () => {
    const change = bid({ takesOut: [{ field: 'cvs', word: 'E1', id: 'k2', of: JANE }] });
    const full = observedOf(
      'b1',
      { cvs: ['jane@x.test', 'joe@x.test'], cvs_ids: { 'jane@x.test': JANE, 'joe@x.test': 'u2' } },
      { entity: 'proposals' },
    );
    const { step, calls } = only(change, { mirror: [full] });
    const left = { cvs: ['joe@x.test'], cvs_ids: { 'joe@x.test': 'u2' } };
    expect(await step.send(null)).toMatchObject({ answered: false, observed: { values: left } });
    expect(calls).toEqual(['proposals.removeCv ["b1","k2"]']);
    const seen = async (...list: readonly object[]) =>
      (await look(change, { mirror: [full, jane], reads: { 'proposals.listCvs': list, 'proposals.get': WIRE } }))
        .judged;
    expect(await seen({ id: 'k1', user_id: 'u2' })).toMatchObject({ values: { ...left, name: 'Dam' } });
    expect(await seen({ id: 'k1', user_id: 'u2' }, { id: 'k2', user_id: JANE })).toBe('nothing');
  });
});

describe('a person', () => {
  const person = (values: object) => observedOf('u1', { ...values, default_cv_id: 'cv1' }, { label: 'Jane' });
  const move = (before: object, after: object): Change =>
    changeOf('users', 'E1', {
      action: 'update',
      target: 'u1',
      before: { ...before },
      after: { ...after },
      fields: Object.keys(after),
    });

  it('has tags of the CV added and removed there, by one call each', async () => {
    const change = move({ cv_tags: { unit: ['south'] } }, { cv_tags: { unit: ['north'] } });
    const world: World = {
      mirror: [person({ cv_tags: { unit: ['south'], grade: ['a'] } })],
      writes: { 'tags.addToCv': { custom_tag_ids: ['t:unit/south', 't:unit/north'] } },
    };
    const { steps, calls } = stepsOf(change, world);
    expect(steps.map(({ name, endpoint, repeat }) => [name, endpoint, repeat])).toEqual([
      ['add cv_tags unit/north', 'addCvTag', 'idempotent'],
      ['remove cv_tags unit/south', 'removeCvTag', 'idempotent'],
    ]);
    const [add, remove] = steps;
    const added = await add?.send(null);
    expect(added?.observed?.values.cv_tags).toEqual({ unit: ['north', 'south'] });
    const removed = await remove?.send(null);
    expect(removed?.observed?.values.cv_tags).toEqual({ unit: [], grade: ['a'] });
    expect(calls).toEqual([
      'tags.addToCv [{"userId":"u1","cvId":"cv1"},{"categoryId":"g:unit","tagId":"t:unit/north"}]',
      'tags.removeFromCv [{"userId":"u1","cvId":"cv1"},"t:unit/south"]',
    ]);
    const shows = (step: Step | undefined, cvTags: object) => step?.happened?.(person({ cv_tags: cvTags }));
    expect([shows(add, { unit: ['north'] }), shows(add, { unit: ['south'] }), shows(add, {})]).toEqual([
      true,
      false,
      false,
    ]);
    expect([shows(remove, { unit: ['north'] }), shows(remove, { unit: ['south'] }), shows(remove, {})]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('has its own tag cleared on the CV, and keeps unknown tags unknown', async () => {
    const change = move({ tags: { unit: 'north' } }, { tags: { unit: null } });
    const send = async (values: object) => {
      const { step, calls } = only(change, { mirror: [person(values)] });
      const { observed } = await step.send(null);
      expect(calls).toEqual(['tags.removeFromCv [{"userId":"u1","cvId":"cv1"},"t:unit/north"]']);
      return observed?.values.tags;
    };
    expect(await send({ tags: { unit: 'north', grade: 'a' } })).toEqual({ unit: null, grade: 'a' });
    expect(await send({})).toBeUndefined();
  });

  it('is looked at on the CV after a lost answer if the CV shows its tags', async () => {
    const change = move({ tags: { unit: 'south' } }, { tags: { unit: 'north' } });
    const world = (ids: readonly string[], showsUserTags = true): World => ({
      mirror: [person({ tags: { unit: 'south', grade: 'a' } })],
      ...{ reads: { 'cvs.get': { custom_tag_ids: ids } }, showsUserTags },
    });
    const seen = await look(change, world(['t:unit/north']));
    expect(seen.judged).toMatchObject({ values: { tags: { unit: 'north', grade: 'a' } } });
    expect((await look(change, world(['t:unit/south']))).judged).toBe('nothing');
    expect((await look(change, world([]))).judged).toBe('nothing');
    expect(only(change, world([])).step.seenBy).toBe('getCv');
    expect(only(change, world([], false)).step.seenBy).toBe('getUser');
  });

  it('has the sent scope if the answer shows none', async () => {
    const after = {
      roles: ['consultant', 'departmentmanager'],
      role_allowed_offices: [
        { country: 'no', name: 'Oslo' },
        { country: 'no', name: 'Bergen' },
      ],
    };
    const send = async (answer: object) => {
      const { step } = only(move({}, after), {
        mirror: [person({})],
        writes: { 'users.update': { id: 'u1', ...answer } },
      });
      return (await step.send(null)).observed?.values.role_allowed_office_ids;
    };
    expect(await send({})).toEqual(['o:no/bergen', 'o:no/oslo']);
    expect(await send({ roles: after.roles, role_allowed_office_ids: ['o7'] })).toEqual(['o7']);
    const plain = only(move({}, { telephone: '1' }), {
      mirror: [person({})],
      writes: { 'users.update': { id: 'u1' } },
    });
    expect((await plain.step.send(null)).observed?.values).not.toHaveProperty('role_allowed_office_ids');
  });

  it("keeps a scope's tags in categories outside the change", async () => {
    const tag = (id: string, category: string) => observedOf(id, { category_id: category }, { entity: 'tags' });
    const change = move({}, { role_allowed_tags: { unit: ['north'] } });
    const send = async (values: object) => {
      const mirror = [person(values), tag('t:unit/south', 'g:unit'), tag('a1', 'g:grade')];
      const { step, calls } = only(change, { mirror, writes: { 'users.update': { id: 'u1' } } });
      expect((await step.send(null)).observed?.values.role_allowed_tag_ids).toEqual(
        JSON.parse(calls[0]?.split(' ').slice(1).join(' ') ?? '')[1].role_allowed_tag_ids,
      );
      return calls[0];
    };
    const ids = ['t:unit/south', 'a1', 'gone'];
    const sent = (...all: readonly string[]) => `users.update ["u1",${JSON.stringify({ role_allowed_tag_ids: all })}]`;
    expect(await send({ roles: ['departmentmanager'], role_allowed_tag_ids: ids })).toBe(sent('a1', 't:unit/north'));
    expect(await send({ roles: ['consultant'], role_allowed_tag_ids: ids })).toBe(sent('t:unit/north'));
    expect(forecastCalls(change, true)).toEqual([expect.stringMatching(/^PUT .*users/)]);
  });

  it('gets its tags in the call for the person, and cleared tags by another call', async () => {
    const change = move(
      { tags: { unit: 'south', grade: 'a' } },
      { tags: { unit: 'north', grade: null }, telephone: '1' },
    );
    const names = { ...NAMES, categories: ['unit', 'grade'], tags: ['unit/north', 'grade/a'] };
    const { steps, calls } = stepsOf(change, { mirror: [person({})], names, writes: { 'users.update': { id: 'u1' } } });
    expect(steps.map(({ endpoint }) => endpoint)).toEqual(['updateUser', 'removeCvTag']);
    await steps[0]?.send(null);
    expect(calls).toEqual([
      'users.update ["u1",{"telephone":"1","ensure_unique_custom_tag_ids_by_category":{"g:unit":"t:unit/north"}}]',
    ]);
    expect(
      stepsOf(move({ tags: { unit: 'north' } }, { tags: { unit: null } }), {}).steps.map(({ endpoint }) => endpoint),
    ).toEqual(['removeCvTag']);
  });
});

describe('a customer', () => {
  const acme = (id: string, name: string, external: string | null = null) => ({
    id,
    customer_name: { en: name },
    external_unique_id: external,
  });
  const mirrored = (id: string, external: string | null = null) =>
    observedOf(id, { customer_name: { en: 'Acme' }, external_unique_id: external }, { entity: 'customers' });

  it('is found after a lost create by its external id', async () => {
    const change = changeOf('customers', 'C1', {
      after: { customer_name: { en: 'Acme' }, external_unique_id: 'C1' },
      fields: ['customer_name'],
    });
    const { judged, calls } = await look(change, { reads: { 'customers.find': acme('c1', 'Acme', 'C1') } });
    expect(judged).toMatchObject({ id: 'c1' });
    expect(calls).toEqual(['customers.find ["C1"]']);
    expect(only(change, {}).step.seenBy).toBe('findCustomer');
  });

  const change = changeOf('customers', 'C1', { after: { customer_name: { en: 'Acme' } }, fields: ['customer_name'] });
  const rows: readonly (readonly [string, World, string | null])[] = [
    ['one that is new and has the name', {}, 'c2'],
    ['one that the mirror knew before, which belongs to others', { mirror: [mirrored('c2')] }, null],
    ['one linked to another record', { linked: { 'customers:c2': 'C9' } }, null],
    ['one linked to this record', { mirror: [mirrored('c2')], linked: { 'customers:c2': 'C1' } }, 'c2'],
    ['one with another name', { reads: { 'customers.list': pages(acme('c1', 'Other')) } }, null],
  ];
  it.each(rows)('without an external id, is found by its name: %s', async (_, world, id) => {
    const list = { 'customers.list': pages(acme('c1', 'Other'), acme('c2', 'ACME ')) };
    const { judged } = await look(change, { reads: list, ...world });
    expect(judged === 'nothing' ? null : judged?.id).toBe(id);
  });

  it('is found by its id after an update, whatever its name', async () => {
    const update = changeOf('customers', 'C1', {
      action: 'update',
      target: 'c2',
      after: { customer_url: 'https://a' },
      fields: ['customer_url'],
    });
    const reads = { 'customers.list': pages(acme('c1', 'Acme'), { ...acme('c2', 'Acme'), customer_url: 'https://a' }) };
    expect((await look(update, { reads, mirror: [mirrored('c2')] })).judged).toMatchObject({ id: 'c2' });
    // A search needs a name, but the customer is neither in the mirror nor named by the change.
    expect((await look(update, { reads })).judged).toBe('nothing');
    expect(only(update, { mirror: [mirrored('c2', 'X')] }).step.seenBy).toBe('findCustomer');
  });

  it('is looked up after a deletion by its external id, then by its id', async () => {
    const gone = changeOf('customers', 'C1', { action: 'delete', target: 'c2' });
    const list = { 'customers.list': pages(acme('c1', 'A'), acme('c2', 'B')) };
    expect(only(gone, {}).step).toMatchObject({ repeat: 'idempotent', deletes: true, seenBy: 'listCustomers' });
    const byName = await look(gone, { reads: list, mirror: [mirrored('c2')] });
    expect(byName).toEqual({ judged: 'nothing', calls: ['customers.list []'] });
    const other = { ...list, 'customers.find': acme('c9', 'C', 'X') };
    expect((await look(gone, { reads: other, mirror: [mirrored('c2', 'X')] })).judged).toBe('nothing');
    const found = await look(gone, {
      reads: { 'customers.find': acme('c2', 'B', 'X') },
      mirror: [mirrored('c2', 'X')],
    });
    expect(found).toEqual({ judged: 'nothing', calls: ['customers.find ["X"]'] });
    expect((await look(gone, { reads: { 'customers.list': pages(acme('c1', 'A')) } })).judged).toBeNull();
  });
});

describe('a project', () => {
  const dam = (values: object = {}) => observedOf('p1', { customer_id: 'k1', ...values }, { entity: 'projects' });
  const wire = (id: string, more: object = {}) => ({
    id,
    project_name: { en: 'Dam' },
    external_unique_id: null,
    ...more,
  });
  const update = (before: object, after: object): Change =>
    changeOf('projects', 'P1', {
      action: 'update',
      target: 'p1',
      before: { ...before },
      after: { ...after },
      fields: Object.keys(after),
    });

  it('is looked up under its customer after a deletion', async () => {
    const gone = changeOf('projects', 'P1', { action: 'delete', target: 'p1' });
    const there = await look(gone, { mirror: [dam()], reads: { 'projects.get': wire('p1') } });
    expect(there).toEqual({ judged: 'nothing', calls: ['projects.get ["k1","p1"]'] });
    expect((await look(gone, { mirror: [dam()] })).judged).toBeNull();
    expect(() => only(gone, {})).toThrow('The project p1 is no longer in the service.');
  });

  it('is changed by one call that may be repeated, and created by one that may not', async () => {
    const { step, calls } = only(update({}, { architect: 'A' }), {
      mirror: [dam()],
      writes: { 'projects.update': wire('p1', { architect: 'A' }) },
    });
    expect(step).toMatchObject({
      name: 'update',
      endpoint: 'updateProject',
      repeat: 'idempotent',
      seenBy: 'getProject',
    });
    expect((await step.send(null)).observed).toMatchObject({ id: 'p1', values: { architect: 'A', customer_id: 'k1' } });
    expect(calls).toEqual(['projects.update ["k1","p1",{"architect":"A"}]']);
    const create = changeOf('projects', 'P1', {
      after: { customer: 'C1', project_name: { en: 'Dam' } },
      fields: ['customer', 'project_name'],
    });
    const made = only(create, { writes: { 'projects.create': wire('p9') } });
    expect(made.step).toMatchObject({
      name: 'create',
      endpoint: 'createProject',
      repeat: 'probe',
      seenBy: 'listProjects',
    });
    expect((await made.step.send(null)).observed?.id).toBe('p9');
    expect(made.calls).toEqual(['projects.create ["k:c1",{"project_name":{"en":"Dam"}}]']);
  });

  const created = (after: object): Change =>
    changeOf('projects', 'P1', { after: { customer: 'C1', ...after }, fields: ['project_name'] });
  const named = created({ project_name: { en: 'Dam' } });
  const keyed = created({ project_name: { en: 'Dam' }, external_unique_id: 'P1' });
  const rows: readonly (readonly [string, Change, World, string | null])[] = [
    [
      'a new one with its name',
      named,
      { reads: { 'projects.list': [wire('p0', { project_name: { en: 'Other' } }), wire('p1')] } },
      'p1',
    ],
    ['one that the mirror knew before', named, { reads: { 'projects.list': [wire('p1')] }, mirror: [dam()] }, null],
    [
      'one of another record',
      named,
      { reads: { 'projects.list': [wire('p1')] }, linked: { 'projects:p1': 'P9' } },
      null,
    ],
    [
      'one of this record',
      named,
      { reads: { 'projects.list': [wire('p1')] }, mirror: [dam()], linked: { 'projects:p1': 'P1' } },
      'p1',
    ],
    [
      'by its external id',
      keyed,
      { reads: { 'projects.list': [wire('p0'), wire('p1', { external_unique_id: 'P1' })] } },
      'p1',
    ],
    [
      'none with that external id',
      keyed,
      { reads: { 'projects.list': [wire('p0', { external_unique_id: 'P2' })] } },
      null,
    ],
    ['a missing customer', named, {}, null],
  ];
  it.each(rows)('is looked up after a lost create among its customer’s: %s', async (_, change, world, id) => {
    const { judged } = await look(change, world);
    expect(judged === 'nothing' ? null : judged?.id).toBe(id);
  });

  describe('with changed owners', () => {
    const owners = (after: unknown, before: unknown = null) => update({ owners: before }, { owners: after });
    const sent = (emails: readonly string[], replace: boolean): string =>
      `projects.syncOwners ["k1","p1",${JSON.stringify({ emails, replace })}]`;

    it('gets the full list in one call, and is read again after an empty answer', async () => {
      const world: World = { mirror: [dam(), jane], reads: { 'projects.get': wire('p1') } };
      const { step, calls } = only(owners(['jane@x.test', 'new@x.test']), world);
      expect(await step.send(null)).toMatchObject({ answered: false, observed: { id: 'p1' } });
      expect(calls).toEqual([sent(['jane@x.test', 'new@x.test'], true), 'projects.get ["k1","p1"]']);
      const shown = dam({ owners_ids: { 'old@x.test': JANE } });
      const moved = only(owners(['old@x.test', 'new@x.test']), { ...world, mirror: [shown, jane] });
      await moved.step.send(null);
      expect(moved.calls[0]).toBe(sent(['jane@x.test', 'new@x.test'], true));
      const gone = only(owners(['new@x.test']), {});
      await expect(gone.step.send(null)).rejects.toThrow('The project is no longer in the service.');
    });

    it('with an unknown owner, adds the others and removes nobody', async () => {
      const tries: unknown[] = [];
      const writes = {
        'projects.syncOwners': (_customer: string, _id: string, body: { readonly replace: boolean }) => {
          tries.push(body);
          if (body.replace) throw refused(422);
          return wire('p1');
        },
      };
      const reads = {
        'users.find': ({ email }: { readonly email: string }) => (email === 'jane@x.test' ? { id: JANE } : null),
      };
      const { step } = only(owners(['jane@x.test', 'new@x.test']), { mirror: [dam(), jane], writes, reads });
      const { refusals, answered } = await step.send(null);
      expect(answered).toBe(true);
      expect(refusals).toMatchObject([{ field: 'owners', error: { status: 422 } }]);
      expect(tries).toEqual([
        { emails: ['jane@x.test', 'new@x.test'], replace: true },
        { emails: ['jane@x.test'], replace: false },
      ]);
    });

    it('is rejected if all or none are known, or for another reason', async () => {
      const send = (status: number, known: boolean) => {
        const world: World = {
          mirror: [dam()],
          writes: { 'projects.syncOwners': failing(status) },
          reads: { 'users.find': known ? { id: 'u1' } : undefined },
        };
        return only(owners(['jane@x.test']), world);
      };
      for (const [status, known, looks] of [
        [422, true, 1],
        [422, false, 1],
        [403, false, 0],
      ] as const) {
        const { step, calls } = send(status, known);
        await expect(step.send(null)).rejects.toThrow(`it said ${status}`);
        expect(calls.filter((call) => call.startsWith('users.find'))).toHaveLength(looks);
      }
    });

    it('loses its owners one by one if none remain', async () => {
      const known = dam({ owners: ['jane@x.test', 'joe@x.test'], owners_ids: { 'joe@x.test': 'u2' } });
      const { steps, calls } = stepsOf(owners(null, ['jane@x.test', 'joe@x.test']), { mirror: [known] });
      // The name identifies the call of a process that died.
      expect(steps.map(({ name, endpoint, repeat }) => [name, endpoint, repeat])).toEqual([
        ['owner jane@x.test', 'removeProjectOwner', 'idempotent'],
        ['owner joe@x.test', 'removeProjectOwner', 'idempotent'],
      ]);
      const first = await steps[0]?.send(null);
      expect(first?.observed?.values.owners).toEqual(['joe@x.test']);
      expect((await steps[1]?.send(first?.observed ?? null))?.observed?.values.owners).toEqual([]);
      expect(calls).toEqual([`projects.removeOwner ["k1","p1","${JANE}"]`, 'projects.removeOwner ["k1","p1","u2"]']);
      expect(steps[0]?.happened?.(dam({ owners: ['joe@x.test'] }))).toBe(true);
      expect(steps[0]?.happened?.(dam({ owners: ['jane@x.test'] }))).toBe(false);
      expect(steps[0]?.happened?.(dam())).toBe(false);
      await expect(stepsOf(owners(null, ['jane@x.test']), { mirror: [] }).steps[0]?.send(null)).rejects.toThrow(
        'The project is no longer in the service.',
      );
    });
  });

  it('with nothing left to send, stays as known and reports the rejected field', async () => {
    const live = update({}, { workflow_stage: 'live' });
    const world: World = { writes: { 'projects.update': failing(403) } };
    const { step, calls } = only(live, { ...world, mirror: [dam({ architect: 'A' })] });
    expect(await step.send(null)).toMatchObject({
      ...{ observed: { id: 'p1', values: { architect: 'A' } }, requestId: null, status: 403 },
      refusals: [{ field: 'workflow_stage', error: { status: 403 } }],
    });
    expect((await step.send(dam({ architect: 'B' }))).observed?.values.architect).toBe('B');
    expect(calls).toHaveLength(2);
    await expect(only(live, world).step.send(null)).rejects.toThrow('The project is no longer in the service.');
  });

  it('needs nothing if its tag is already set or removed', async () => {
    const [on, off] = [
      update({ tags: { unit: [] } }, { tags: { unit: ['north'] } }),
      update({ tags: { unit: ['north'] } }, { tags: { unit: [] } }),
    ];
    const there = (...names: readonly string[]) => dam({ tags: { unit: names } });
    const twice = new ServiceError({ ...refused(422).init, details: { details: ['taken'] } });
    const send = (change: Change, error: unknown, more: World = {}) => {
      const fail = () => {
        throw error;
      };
      const writes = { 'tags.addToProject': fail, 'tags.removeFromProject': fail };
      return only(change, { mirror: [there('south')], writes, ...more }).step.send(null);
    };
    // No look is needed: it is the known project with or without the tag.
    expect((await send(on, twice)).observed?.values.tags).toEqual({ unit: ['north', 'south'] });
    const gone = await send(off, refused(404), { mirror: [there('north', 'south')] });
    expect(gone).toMatchObject({ status: 404, observed: { values: { tags: { unit: ['south'] } } } });
    for (const [change, error] of [
      [on, refused(422)],
      [on, refused(404)],
      [off, twice],
      [on, new Error('broken')],
    ] as const) {
      await expect(send(change, error)).rejects.toBe(error);
    }
    const taken = only(on, { mirror: [there('south')], writes: { 'tags.addToProject': wire('p1') } });
    expect((await taken.step.send(null)).observed?.id).toBe('p1');
    expect(taken.calls).toEqual([
      'tags.addToProject [{"customerId":"k1","projectId":"p1"},{"categoryId":"g:unit","tagId":"t:unit/north"}]',
    ]);
    const offed = only(off, { mirror: [there('north', 'south')] });
    expect((await offed.step.send(null)).observed?.values.tags).toEqual({ unit: ['south'] });
    expect(offed.calls).toEqual(['tags.removeFromProject [{"customerId":"k1","projectId":"p1"},"t:unit/north"]']);
  });

  it('changes its tags by separate calls', () => {
    const { steps } = stepsOf(update({ tags: { unit: ['south'] } }, { tags: { unit: ['north'] } }), {
      mirror: [dam()],
    });
    expect(steps.map(({ endpoint, repeat }) => [endpoint, repeat])).toEqual([
      ['addProjectTag', 'probe'],
      ['removeProjectTag', 'idempotent'],
    ]);
    const [add, remove] = steps;
    const shows = (step: Step | undefined, tags: object) => step?.happened?.(dam({ tags }));
    expect([shows(add, { unit: ['north'] }), shows(add, { unit: [] }), shows(add, {})]).toEqual([true, false, false]);
    expect([shows(remove, { unit: ['north'] }), shows(remove, { unit: ['south'] })]).toEqual([true, false]);
    expect(shows(remove, {})).toBe(false);
    const customer = (after: object) =>
      changeOf('customers', 'C1', { action: 'update', target: 'c1', after: { ...after }, fields: Object.keys(after) });
    const endpoints = (after: object) => stepsOf(customer(after), {}).steps.map(({ endpoint }) => endpoint);
    expect(endpoints({ tags: { unit: ['north'] } })).toEqual(['addCustomerTag']);
    expect(endpoints({ customer_url: 'x', tags: { unit: ['north'] } })).toEqual(['updateCustomer', 'addCustomerTag']);
  });
});
