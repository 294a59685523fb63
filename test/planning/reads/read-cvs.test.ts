import { describe, expect, it } from 'vitest';
import type { CvReads } from '../../../src/mirror/refresh-cvs.js';
import type { Entity } from '../../../src/model/entity.js';
import type { Values } from '../../../src/model/json.js';
import { readCvsFor } from '../../../src/planning/reads/read-cvs.js';
import type { Stores } from '../../../src/store/open-stores.js';
import { change, loadSample, SAMPLE } from '../../config/sample.js';
import { changeOf, desiredOf, linkTo, observedOf, openTestStores } from '../../samples.js';
import { contextOf, personOf, readingOf, rowOf, type World, withCrm } from '../world.js';

const CV_TAGS = `${SAMPLE}    cv_tags: { unit: record.dept }\n`;
const PEOPLE = ['E1', 'E2', 'E3'];
const tagged = { cv_tags: { unit: 'north' } };

/** People of whom E1 and E2 are linked, and E3 is out of use; with rows of both kinds of what is on CVs. */
async function read(entity: Entity, text: string, world: World = {}, prepare?: (stores: Stores) => void) {
  const stores = openTestStores();
  for (const key of PEOPLE) {
    const object = observedOf(`u-${key}`, personOf(key), { active: key !== 'E3' });
    if (key === 'E2') stores.mirror.save([object], 1);
    else linkTo(stores, 'users', key, object);
  }
  prepare?.(stores);
  const { context } = contextOf({ config: loadSample(text), stores, ...world });
  const asked: (readonly string[])[] = [];
  const reads: CvReads = { read: async (ids, how) => void asked.push([how, ...ids]) };
  await readCvsFor(entity, readingOf(entity, context), reads);
  return asked;
}

describe('which CVs are read for the tags on them', () => {
  it('those of candidates with a tag: linked, or matched; not of leavers, nor where nobody maps any', async () => {
    const rows = [rowOf('E1', tagged), rowOf('E2', tagged), rowOf('E3'), rowOf('E4', tagged)];
    expect(await read('users', CV_TAGS, { rows, usersFresh: false })).toEqual([['previews', 'u-E1', 'u-E2']]);
    expect(await read('users', CV_TAGS, { rows: rows.slice(0, 1), usersFresh: false })).toEqual([['direct', 'u-E1']]);
    const left = [rowOf('E1', tagged, { leaver: true })];
    expect(await read('users', CV_TAGS, { rows: left, usersFresh: false })).toEqual([['direct']]);
    expect(await read('users', SAMPLE, { rows })).toEqual([]);
  });

  it('at a full read also of those whose record says the same as ever', async () => {
    const agreed = ({ links, mirror }: Stores) => {
      const observedHash = mirror.get('users', 'u-E1')?.hash ?? '';
      links.agree('users', 'E1', { base: {}, written: {}, desiredHash: 'h-E1', observedHash, contextHash: 'c' });
    };
    const rows = [rowOf('E1', tagged)];
    expect(await read('users', CV_TAGS, { rows }, agreed)).toEqual([['previews', 'u-E1']]);
    expect(await read('users', CV_TAGS, { rows, usersFresh: false }, agreed)).toEqual([['direct']]);
  });
});

describe('which CVs are read for a place that people show as plain text', () => {
  const text = `${SAMPLE}    place_of_residence: { no: record.dept }\n`;
  const rows = [rowOf('E1', { place_of_residence: { no: 'Oslo' } })];
  const shows =
    (values: Values) =>
    ({ mirror }: Stores) =>
      mirror.save([observedOf('u-E1', { ...personOf('E1'), ...values }, { hash: 'shown' })], 1);
  const TEXT = { place_of_residence_text: 'Oslo' };

  it.each<readonly [shown: string, values: Values, full: boolean, asked: readonly (readonly string[])[]]>([
    ['a text, and no language', TEXT, false, [['direct', 'u-E1']]],
    [
      'a text that no known language holds',
      { ...TEXT, place_of_residence: { no: 'Bergen' } },
      false,
      [['direct', 'u-E1']],
    ],
    ['a text that the CV showed', { ...TEXT, place_of_residence: { no: 'Oslo' } }, false, []],
    ['the same at a full read', { ...TEXT, place_of_residence: { no: 'Oslo' } }, true, [['previews', 'u-E1']]],
    ['all languages', { place_of_residence: { no: 'Bergen' } }, true, []],
    ['nothing', {}, true, []],
  ])('%s', async (_shown, values, usersFresh, asked) => {
    expect(await read('users', text, { rows, usersFresh }, shows(values))).toEqual(asked);
  });

  it('none where the place is not mapped, or not delivered', async () => {
    expect(await read('users', SAMPLE, { rows }, shows(TEXT))).toEqual([]);
    expect(await read('users', text, { rows: [rowOf('E1')], usersFresh: false }, shows(TEXT))).toEqual([]);
  });
});

describe('which CVs are read for what is on them', () => {
  const certificate = (key: string, user: string) =>
    desiredOf(key, { user, external_unique_id: key, name: { en: key } }, { entity: 'certifications' });
  const certificates = [certificate('S1', 'e1@x.test'), certificate('S2', 'E3'), certificate('S3', 'nobody@x.test')];
  const text = withCrm(['certifications']);

  it('those of the candidates who are in use, or about to be', async () => {
    expect(await read('certifications', text, { rows: certificates, usersFresh: false })).toEqual([['direct', 'u-E1']]);
    const opens = (stores: Stores) =>
      stores.work.plan(changeOf('users', 'E3', { action: 'reactivate', target: 'u-E3' }));
    expect(await read('certifications', text, { rows: certificates, usersFresh: false }, opens)).toEqual([
      ['previews', 'u-E1', 'u-E3'],
    ]);
  });

  it('one by one as long as that takes no more calls than all previews', async () => {
    const rows = [certificate('S1', 'e1@x.test'), certificate('S2', 'e2@x.test')];
    const many = ({ mirror }: Stores) =>
      mirror.save(
        Array.from({ length: 500 }, (_, at) => observedOf(`p${at}`)),
        1,
      );
    expect(await read('certifications', text, { rows, usersFresh: false })).toEqual([['previews', 'u-E1', 'u-E2']]);
    expect(await read('certifications', text, { rows, usersFresh: false }, many)).toEqual([['direct', 'u-E1', 'u-E2']]);
  });

  it('where nobody maps people', async () => {
    const { users: _users, ...mappings } = loadSample(text).mappings;
    const rows = [certificate('S1', 'e1@x.test')];
    expect(await read('certifications', text, { rows, config: { ...loadSample(text), mappings } })).toEqual([
      ['previews', 'u-E1'],
    ]);
  });

  it('at a full read those of everybody who has, or may get, anything on a CV', async () => {
    const rows = [
      ...certificates.slice(0, 1),
      desiredOf('L1', { user: 'e2@x.test', project: 'P1' }, { entity: 'staffing' }),
    ];
    const both = withCrm(['projects', 'staffing', 'certifications']);
    expect(await read('certifications', both, { rows })).toEqual([['previews', 'u-E1', 'u-E2'].toSorted()]);
    expect(await read('certifications', text, { rows })).toEqual([['previews', 'u-E1']]);
    expect(await read('customers', both, { rows })).toEqual([]);
  });

  it('before somebody is linked to a project that very CV, whatever a preview says; none while nobody knows the project', async () => {
    const rows = [desiredOf('L1', { user: 'e1@x.test', project: 'P1' }, { entity: 'staffing' })];
    const both = withCrm(['projects', 'staffing']);
    const dam = ({ mirror }: Stores): void =>
      mirror.save([observedOf('p1', { external_unique_id: 'P1' }, { entity: 'projects' })], 1);
    expect(await read('staffing', both, { rows }, dam)).toEqual([
      ['direct', 'u-E1'],
      ['previews', 'u-E1'],
    ]);
    expect(await read('staffing', both, { rows, usersFresh: false }, dam)).toEqual([['direct', 'u-E1'], ['direct']]);
    expect(await read('staffing', both, { rows, usersFresh: false })).toEqual([['direct'], ['direct']]);
  });

  it('those whose row is gone, where what is gone is taken off', async () => {
    const gone = (stores: Stores) => {
      const section = observedOf('s9', { user_id: 'u-E1', external_unique_id: 'S9' }, { entity: 'certifications' });
      linkTo(stores, 'certifications', 'S9', section);
      stores.links.restore('certifications', 'S9', { user: 'e1@x.test' });
    };
    const removing = change(
      'name: { en: record.id } }\n',
      'name: { en: record.id } }\n    remove: { after_missing_reads: 1 }\n',
      text,
    );
    const [kept, taken] = [
      await read('certifications', text, { usersFresh: false }, gone),
      await read('certifications', removing, { usersFresh: false }, gone),
    ];
    expect(kept).toEqual([['direct']]);
    expect(taken).toEqual([['direct', 'u-E1']]);
  });
});
