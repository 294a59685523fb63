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

/** E1 and E3 are linked, E2 is only in the account, and E3 is inactive. */
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

describe('reading CVs for tags', () => {
  it('reads those of candidates with a tag, but none for leavers or without a mapping', async () => {
    const rows = [rowOf('E1', tagged), rowOf('E2', tagged), rowOf('E3'), rowOf('E4', tagged)];
    expect(await read('users', CV_TAGS, { rows, usersFresh: false })).toEqual([['previews', 'u-E1', 'u-E2']]);
    expect(await read('users', CV_TAGS, { rows: rows.slice(0, 1), usersFresh: false })).toEqual([['direct', 'u-E1']]);
    const left = [rowOf('E1', tagged, { leaver: true })];
    expect(await read('users', CV_TAGS, { rows: left, usersFresh: false })).toEqual([['direct']]);
    expect(await read('users', SAMPLE, { rows })).toEqual([]);
  });

  it('at a full read, includes those with an unchanged record', async () => {
    const agreed = ({ links, mirror }: Stores) => {
      const observedHash = mirror.get('users', 'u-E1')?.hash ?? '';
      links.agree('users', 'E1', { base: {}, written: {}, desiredHash: 'h-E1', observedHash, contextHash: 'c' });
    };
    const rows = [rowOf('E1', tagged)];
    expect(await read('users', CV_TAGS, { rows }, agreed)).toEqual([['previews', 'u-E1']]);
    expect(await read('users', CV_TAGS, { rows, usersFresh: false }, agreed)).toEqual([['direct']]);
  });
});

describe('reading CVs for a place shown as plain text', () => {
  const text = `${SAMPLE}    place_of_residence: { no: record.dept }\n`;
  const rows = [rowOf('E1', { place_of_residence: { no: 'Oslo' } })];
  const shows =
    (values: Values) =>
    ({ mirror }: Stores) =>
      mirror.save([observedOf('u-E1', { ...personOf('E1'), ...values }, { hash: 'shown' })], 1);
  const TEXT = { place_of_residence_text: 'Oslo' };

  it.each<readonly [shown: string, values: Values, full: boolean, asked: readonly (readonly string[])[]]>([
    ['a text without a language', TEXT, false, [['direct', 'u-E1']]],
    [
      'a text that no known language holds',
      { ...TEXT, place_of_residence: { no: 'Bergen' } },
      false,
      [['direct', 'u-E1']],
    ],
    ['a text that the CV showed', { ...TEXT, place_of_residence: { no: 'Oslo' } }, false, []],
    [
      'a text that the CV showed, at a full read',
      { ...TEXT, place_of_residence: { no: 'Oslo' } },
      true,
      [['previews', 'u-E1']],
    ],
    ['all languages', { place_of_residence: { no: 'Bergen' } }, true, []],
    ['nothing', {}, true, []],
  ])('reads the CV or skips it: %s', async (_shown, values, usersFresh, asked) => {
    expect(await read('users', text, { rows, usersFresh }, shows(values))).toEqual(asked);
  });

  it('reads none if the place is not mapped or not delivered', async () => {
    expect(await read('users', SAMPLE, { rows }, shows(TEXT))).toEqual([]);
    expect(await read('users', text, { rows: [rowOf('E1')], usersFresh: false }, shows(TEXT))).toEqual([]);
  });
});

describe('reading CVs for their sections', () => {
  const certificate = (key: string, user: string) =>
    desiredOf(key, { user, external_unique_id: key, name: { en: key } }, { entity: 'certifications' });
  const certificates = [certificate('S1', 'e1@x.test'), certificate('S2', 'E3'), certificate('S3', 'nobody@x.test')];
  const text = withCrm(['certifications']);

  it('reads those of candidates who are active, or about to be', async () => {
    expect(await read('certifications', text, { rows: certificates, usersFresh: false })).toEqual([['direct', 'u-E1']]);
    const opens = (stores: Stores) =>
      stores.work.plan(changeOf('users', 'E3', { action: 'reactivate', target: 'u-E3' }));
    expect(await read('certifications', text, { rows: certificates, usersFresh: false }, opens)).toEqual([
      ['previews', 'u-E1', 'u-E3'],
    ]);
  });

  it('reads them one by one unless all previews take fewer calls', async () => {
    const rows = [certificate('S1', 'e1@x.test'), certificate('S2', 'e2@x.test')];
    const many = ({ mirror }: Stores) =>
      mirror.save(
        Array.from({ length: 500 }, (_, at) => observedOf(`p${at}`)),
        1,
      );
    expect(await read('certifications', text, { rows, usersFresh: false })).toEqual([['previews', 'u-E1', 'u-E2']]);
    expect(await read('certifications', text, { rows, usersFresh: false }, many)).toEqual([['direct', 'u-E1', 'u-E2']]);
  });

  it('works without a mapping of people', async () => {
    const { users: _users, ...mappings } = loadSample(text).mappings;
    const rows = [certificate('S1', 'e1@x.test')];
    expect(await read('certifications', text, { rows, config: { ...loadSample(text), mappings } })).toEqual([
      ['previews', 'u-E1'],
    ]);
  });

  it('at a full read, reads those of everybody who has or may get a section', async () => {
    const rows = [
      ...certificates.slice(0, 1),
      desiredOf('L1', { user: 'e2@x.test', project: 'P1' }, { entity: 'staffing' }),
    ];
    const both = withCrm(['projects', 'staffing', 'certifications']);
    expect(await read('certifications', both, { rows })).toEqual([['previews', 'u-E1', 'u-E2'].toSorted()]);
    expect(await read('certifications', text, { rows })).toEqual([['previews', 'u-E1']]);
    expect(await read('customers', both, { rows })).toEqual([]);
  });

  it('reads the exact CV before linking it to a project, but none while the project is unknown', async () => {
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

  it('reads those whose row is gone, if missing sections are removed', async () => {
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
