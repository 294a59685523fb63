import { expect, test } from 'vitest';
import { oneIn, sweep } from '../depth.js';
import { person } from './company.js';
import {
  CERTIFICATIONS,
  CREATE_SECTION,
  createStream,
  cvPath,
  DELETE_SECTION,
  forgetMirror,
  GET_CV,
  openCvStory,
  READINGS,
  SEARCH,
  STREAMS,
  sectionsOf,
  takeReads,
  UPDATE_SECTION,
} from './cvs.js';
import { type Story, summarise } from './kit.js';

const place = { country: 'no', office: 'Oslo' };
const E1 = { ...place, email: 'e1@example.com', external_unique_id: 'E1', name: 'Person E1' };
const E2 = { ...place, email: 'e2@example.com', external_unique_id: 'E2', name: 'Person E2' };
const BY_HAND = { name: { en: 'Diving' }, year: '2001' };
const cloud = { id: 'K1', person: 'E1', name: 'Cloud', year: '2025', issuer: 'ACME' };

async function openLearning(tagsOnCvs = true, afterId: 'exclude' | 'keyset' = 'exclude') {
  const story = await openCvStory({
    tagsOnCvs,
    afterId,
    users: [{ ...E1, cv: { sections: { certifications: [BY_HAND] } } }, E2],
  });
  story.configure({ ...STREAMS, ...CERTIFICATIONS });
  const certificates = createStream(story, 'certificates');
  story.deliver([person('E1'), person('E2')]);
  certificates([cloud]);
  return { story, certificates };
}

function certificatesOf(story: Story, who = 'E1') {
  return sectionsOf(story, who, 'certifications');
}

test.each(oneIn(1, READINGS))(
  'creates, changes and keeps a section with one write each (tags on CVs: %s)',
  async (reading) => {
    const { story, certificates } = await openLearning(reading, reading ? 'exclude' : 'keyset');
    const plan = await story.plan();
    expect(plan.json.counts).toMatchObject({ certifications: { create: 1 } });
    expect(plan.json.cost.by_endpoint).toMatchObject({ 'POST /api/v3/cvs/{user_id}/{cv_id}/{section_type}': 1 });
    await story.sync();
    expect(story.takeWrites()).toEqual([CREATE_SECTION]);
    expect(certificatesOf(story)).toMatchObject([
      { texts: { name: { en: 'Diving' } }, external_unique_id: null },
      {
        texts: { name: { en: 'Cloud' }, organiser: { en: 'ACME' } },
        strings: { year: '2025' },
        external_unique_id: 'K1',
      },
    ]);

    takeReads(story);
    expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
    expect(takeReads(story)).toEqual([]);
    certificates([{ ...cloud, name_no: 'Sky', year: '2026' }]);
    await story.sync();
    expect(takeReads(story)).toEqual([GET_CV]);
    expect(certificatesOf(story)[1]).toMatchObject({
      texts: { name: { en: 'Cloud', no: 'Sky' } },
      strings: { year: '2026' },
    });
  },
);

sweep(
  'sends nothing to the CV of a person deleted in the service, and creates both again in the next run',
  async () => {
    const { story, certificates } = await openLearning();
    await story.sync();
    story.takeWrites();
    await story.others('DELETE', (await cvPath(story, 'E1')).replace('/v3/cvs/', '/v1/users/').replace(/\/[^/]*$/, ''));
    certificates([{ ...cloud, year: '2026' }]);
    const noticed = await story.sync();
    expect([noticed.code, noticed.json.failed, story.takeWrites()]).toEqual([4, [], []]);
    expect(noticed.json.held).toMatchObject([{ entity: 'certifications', key: 'K1', code: 'SYNC_REFERENCE_UNKNOWN' }]);
    expect(await story.sync()).toMatchObject({ code: 0, json: { counts: { users: { create: 1 } } } });
    expect(story.takeWrites()).toEqual(['POST /api/v1/users', CREATE_SECTION]);
    expect(certificatesOf(story)).toMatchObject([{ external_unique_id: 'K1', strings: { year: '2026' } }]);
    expect(await story.plan()).toMatchObject({ code: 0, json: { counts: {} } });
  },
);

sweep('reads previews at a full read, and only the CVs that changed since', async () => {
  const { story } = await openLearning();
  await story.sync();
  takeReads(story);
  await story.sync({ full: true });
  // The worker wrote to the first CV. The other person has nothing, so no run reads that CV.
  expect(takeReads(story)).toEqual([SEARCH, GET_CV]);
  await story.sync({ full: true });
  expect(takeReads(story)).toEqual([SEARCH]);
});

sweep('corrects drift at the full read, and keeps other languages and sections of others', async () => {
  const { story } = await openLearning();
  await story.sync();
  const path = await cvPath(story, 'E1');
  const cv = (await story.others('GET', path)) as {
    certifications: { _id: string; version: number; external_unique_id: string }[];
  };
  const ours = cv.certifications.find((one) => one.external_unique_id === 'K1');
  await story.others('PUT', `${path}/certifications/${ours?._id}?use_legacy_codes=false`, {
    certification: { version: ours?.version, name: { en: 'Cloudy', sv: 'Moln' } },
  });
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([UPDATE_SECTION]);
  expect(certificatesOf(story).map(({ texts }) => texts.name)).toEqual([{ en: 'Diving' }, { en: 'Cloud', sv: 'Moln' }]);
});

sweep(
  'adopts a section by its id, creates a deleted one again, and doubles nothing when the mirror is gone',
  async () => {
    const story = await openCvStory({
      users: [{ ...E1, cv: { sections: { certifications: [{ ...BY_HAND, external_unique_id: 'K1' }] } } }],
    });
    story.configure({ ...STREAMS, ...CERTIFICATIONS });
    createStream(story, 'certificates')([cloud]);
    story.deliver([person('E1')]);
    await story.sync();
    expect(story.takeWrites()).toEqual([UPDATE_SECTION]);
    expect(certificatesOf(story)).toMatchObject([{ texts: { name: { en: 'Cloud' } } }]);
    forgetMirror(story);
    expect(await story.sync()).toMatchObject({ code: 0, json: { counts: {} } });
    const path = await cvPath(story, 'E1');
    const cv = (await story.others('GET', path)) as { certifications: { _id: string }[] };
    await story.others('DELETE', `${path}/certifications/${cv.certifications[0]?._id}`);
    await story.sync({ full: true });
    expect(story.takeWrites()).toEqual([CREATE_SECTION]);
    expect(certificatesOf(story)).toHaveLength(1);
  },
);

sweep(
  'compares a section again that changed between read and call, and sends it once more with its version',
  async () => {
    const { story, certificates } = await openLearning();
    await story.sync();
    certificates([{ ...cloud, year: '2026' }]);
    story.sandbox.faults.add({ kind: 'status', status: 409, method: 'PUT', path: '/api/v3/cvs' });
    expect((await story.sync()).code).toBe(0);
    expect(story.takeWrites().filter((call) => call === UPDATE_SECTION)).toHaveLength(2);
    expect(certificatesOf(story)[1]?.strings.year).toBe('2026');
  },
);

test('deletes sections only where `remove` says so, even without the mirror', async () => {
  const { story, certificates } = await openLearning();
  await story.sync();
  story.takeWrites();
  certificates([]);
  await story.sync({ full: true });
  expect(story.takeWrites()).toEqual([]);
  story.configure({ cv_sections: { certifications: { remove: { after_missing_reads: 1 } } } });
  certificates([{ id: 'K2', person: 'E2', name: 'Other' }]);
  forgetMirror(story);
  await story.sync();
  expect(story.takeWrites().sort()).toEqual([CREATE_SECTION, DELETE_SECTION].sort());
  expect(certificatesOf(story)).toMatchObject([{ external_unique_id: null }]);
});

sweep('holds a section until its person exists, and leaves the CV of a leaver unchanged without a hold', async () => {
  const { story, certificates } = await openLearning();
  certificates([cloud, { id: 'K9', person: 'E9', name: 'Late' }]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['K9 SYNC_REFERENCE_UNKNOWN']);
  story.deliver([person('E1', { status: 'left' }), person('E2'), person('E9')]);
  certificates([
    { ...cloud, name: 'Changed' },
    { id: 'K9', person: 'E9', name: 'Late' },
  ]);
  story.takeWrites();
  const healed = await story.sync();
  expect(healed).toMatchObject({
    code: 0,
    json: { counts: { users: { create: 1, deactivate: 1 }, certifications: { create: 1 } } },
  });
  expect(certificatesOf(story, 'E9')).toMatchObject([{ external_unique_id: 'K9' }]);
  expect(certificatesOf(story)[1]?.texts.name).toEqual({ en: 'Cloud' });
  takeReads(story);
  await story.sync();
  expect(takeReads(story)).toEqual([]);
  const { json } = await story.explain('certification', 'K1');
  expect(json.steps.left_alone).toContain('is deactivated');
});

sweep.each([
  ['POST', 'reset_after', CREATE_SECTION],
  ['POST', 'reset_before', CREATE_SECTION],
  ['PUT', 'reset_after', UPDATE_SECTION],
  ['PUT', 'reset_before', UPDATE_SECTION],
  ['DELETE', 'reset_after', DELETE_SECTION],
] as const)('recovers from a lost answer: %s %s', async (method, kind, call) => {
  const { story, certificates } = await openLearning();
  story.configure({ cv_sections: { certifications: { remove: { when: 'record.?gone.orValue(false)' } } } });
  if (method !== 'POST') await story.sync();
  certificates([{ ...cloud, year: method === 'PUT' ? '2030' : '2025', gone: method === 'DELETE' }]);
  story.takeWrites();
  story.sandbox.faults.add({ kind, method, path: '/api/v3/cvs' });
  expect((await story.sync()).code).toBe(0);
  expect(story.sandbox.faults.list()).toEqual([]);
  expect(story.takeWrites()).toContain(call);
  expect(certificatesOf(story)).toHaveLength(method === 'DELETE' ? 1 : 2);
  if (method === 'PUT') expect(certificatesOf(story)[1]?.strings.year).toBe('2030');
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {} } });
});

sweep('deletes a section whose row says that it is gone, even if another cell is unusable', async () => {
  const { story, certificates } = await openLearning();
  story.configure({ cv_sections: { certifications: { remove: { when: 'record.?gone.orValue(false)' } } } });
  await story.sync();
  certificates([{ ...cloud, year: { from: 2025 }, gone: 'perhaps' }]);
  expect((await story.sync()).code).toBe(4);
  expect(certificatesOf(story)).toHaveLength(2);
  certificates([{ ...cloud, year: { from: 2025 }, gone: true }]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [], counts: { certifications: { delete: 1 } } } });
  expect(certificatesOf(story)).toHaveLength(1);
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { held: [], counts: {} } });
});

sweep('creates a person deleted by others again, with the sections of the source', async () => {
  const { story } = await openLearning();
  await story.sync();
  expect(certificatesOf(story)).toHaveLength(2);
  const { id } = (await story.others('GET', '/api/v1/users/find?external_unique_id=E1')) as { readonly id: string };
  await story.others('DELETE', `/api/v1/users/${id}`);
  await story.sync({ full: true });
  await story.sync({ full: true });
  expect(certificatesOf(story)).toMatchObject([{ external_unique_id: 'K1' }]);
  expect(await story.sync({ full: true })).toMatchObject({ code: 0, json: { counts: {}, held: [] } });
});

sweep.each([
  ['is missing', { after_missing_reads: 1 }, () => [{ ...cloud, id: 'K2', name: 'Ships' }]],
  ['says so', { when: 'record.?gone.orValue(false)' }, () => [{ ...cloud, gone: true }]],
])('creates a section deleted because its row %s again by an undo, on the same CV', async (_how, remove, rows) => {
  const { story, certificates } = await openLearning();
  const mapped = CERTIFICATIONS.cv_sections as { readonly certifications: object };
  story.configure({ ...STREAMS, cv_sections: { certifications: { ...mapped.certifications, remove } } });
  await story.sync();
  const before = certificatesOf(story);
  certificates(rows());
  const wrong = await story.sync();
  expect(wrong.json.counts).toMatchObject({ certifications: { delete: 1 } });
  const undone = await story.undo(wrong.json.run);
  expect(undone).toMatchObject({ code: 0, json: { held: [], failed: [] } });
  expect(certificatesOf(story)).toEqual(before);
  expect(await story.plan()).toMatchObject({ code: 0, json: { counts: {} } });
});

const COURSES = {
  cv_sections: {
    courses: {
      from: ['lms.experiences'],
      fields: { user: 'record.person', external_unique_id: 'record.id', name: { en: 'record.?what' } },
    },
  },
};

sweep.each([
  ['the first of two new ones is created', false],
  ['the existing one stays', true],
])(
  'separates one id of two kinds of section on one CV: %s, and the other is held until it has its own',
  async (_, isThere) => {
    const { story, certificates } = await openLearning();
    const experiences = createStream(story, 'experiences');
    story.configure(COURSES);
    experiences([{ id: 'K1', person: 'E1', what: 'Kubernetes' }]);
    if (isThere) certificates([]);
    await story.sync({ full: true });
    certificates([cloud]);
    const other = isThere ? 'certifications' : 'courses';
    const { json } = await story.sync({ full: true });
    expect([json.counts, json.failed]).toEqual([{}, []]);
    expect(json.held).toMatchObject([{ entity: other, key: 'K1', code: 'SYNC_VALUE_TAKEN' }]);
    expect(story.takeWrites().filter((call) => call.includes('section_type'))).toEqual([CREATE_SECTION]);
    experiences([{ id: isThere ? 'K1' : 'K2', person: 'E1', what: 'Kubernetes' }]);
    if (isThere) certificates([{ ...cloud, id: 'K2' }]);
    expect(await story.sync()).toMatchObject({ code: 0, json: { held: [], counts: { [other]: { create: 1 } } } });
  },
);
