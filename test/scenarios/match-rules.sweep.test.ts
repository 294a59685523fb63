import { expect, test } from 'vitest';
import { renderExplanation } from '../../src/report/texts/explain-text.js';
import { sweep } from '../depth.js';
import { CRM, person } from './company.js';
import { CREATE_USER, openStory, summarise, UPDATE_USER } from './kit.js';

const oslo = { country: 'no', office: 'Oslo' };
const KARI = { first: 'Kari', last: 'Nord' };

/** Fields that must match together, with a rule. */
function by(fields: readonly string[], compare: Readonly<Record<string, string>>) {
  return { fields: [...fields], compare: { ...compare } };
}

test('holds namesakes who differ only in case, and distinguishes them by an exact rule', async () => {
  const story = await openStory({
    users: [
      { ...oslo, email: 'kari1@example.com', name: 'Kari Nord' },
      { ...oslo, email: 'kari2@example.com', name: 'KARI NORD' },
    ],
  });
  story.configure({ users: { match: ['external_unique_id', 'name'] } });
  story.deliver([person('E1', KARI)]);
  expect(summarise((await story.plan()).json.held)).toEqual(['E1 SYNC_MATCH_AMBIGUOUS']);

  story.configure({ users: { match: ['external_unique_id', by(['name'], { case: 'exact' })] } });
  const ran = await story.sync();
  expect(ran).toMatchObject({ code: 0, json: { held: [], counts: { users: { update: 1 } } } });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.users()).toMatchObject([
    { external_unique_id: 'E1', name: 'Kari Nord', email: 'e1@example.com' },
    { external_unique_id: null, name: 'KARI NORD', email: 'kari2@example.com' },
  ]);
  expect((await story.audit()).at(-1)?.cause).toMatchObject({ text: expect.stringContaining('name (case exact)') });
  // The link stays, whatever happens to the name.
  story.deliver([person('E1', { first: 'KARI', last: 'NORD' })]);
  await story.sync();
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
});

sweep('explains a rule with what it finds and what it sets apart', async () => {
  const story = await openStory({ users: [{ ...oslo, email: 'kari2@example.com', name: 'KARI NORD' }] });
  story.configure({
    users: { match: ['external_unique_id', by(['name'], { case: 'exact' }), by(['name'], { whitespace: 'trim' })] },
  });
  story.deliver([person('E1', KARI)]);
  const before = (await story.explain('user', 'E1')).json;
  const object = { id: expect.any(String), label: expect.stringContaining('KARI NORD') };
  const usual = { case: 'fold', unicode: 'nfc', whitespace: 'collapse' };
  expect(before.steps.correlation).toMatchObject({
    link: null,
    origin: null,
    since: null,
    match: [
      { fields: ['external_unique_id'], compare: usual, found: [], set_apart: [] },
      { fields: ['name'], compare: { ...usual, case: 'exact' }, found: [], set_apart: [object] },
      { fields: ['name'], compare: { ...usual, whitespace: 'trim' }, found: [object], set_apart: [] },
    ],
  });
  const text = renderExplanation(before, false, 200);
  expect(text).toMatch(
    /name: case exact, unicode nfc, whitespace collapse → nothing; set apart by this rule: KARI NORD/,
  );
  expect(text).toMatch(/name: case fold, unicode nfc, whitespace trim → KARI NORD/);

  await story.sync();
  const after = (await story.explain('user', 'E1')).json;
  expect(after.steps.correlation).toMatchObject({ origin: 'adopted', match: [{ found: null }, { found: null }, {}] });
  expect(renderExplanation(after, false, 200)).toContain('name: case exact, unicode nfc, whitespace collapse\n');
});

sweep('matches full-width letters and ligatures to plain ones by nfkc, even in an existing mirror', async () => {
  const story = await openStory({ users: [{ ...oslo, email: 'old@example.com', name: 'Ｋａｒｉ Nord' }] });
  story.configure({ users: { match: ['external_unique_id', 'name'] } });
  story.deliver([person('E2', { first: 'Ola', last: 'Vik' })]);
  await story.sync();
  story.takeWrites();

  story.configure({ users: { match: ['external_unique_id', by(['name'], { unicode: 'nfkc' })] } });
  story.deliver([person('E1', KARI), person('E2', { first: 'Ola', last: 'Vik' })]);
  expect(await story.sync()).toMatchObject({ code: 0, json: { held: [] } });
  expect(story.takeWrites()).toEqual([UPDATE_USER]);
  expect(story.user('E1')).toMatchObject({ name: 'Kari Nord', email: 'e1@example.com' });
});

sweep('holds both records that claim one person by a wide rule, and names the rule', async () => {
  const story = await openStory({ users: [{ ...oslo, email: 'kari@example.com', name: 'Kari Nord' }] });
  story.configure({ users: { match: ['external_unique_id', by(['name'], { unicode: 'nfkc' })] } });
  story.deliver([person('E1', KARI), person('E2', { first: 'Ｋari', last: 'NORD' }), person('E3')]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toEqual(['E1 SYNC_MATCH_CLAIMED', 'E2 SYNC_MATCH_CLAIMED']);
  expect(ran.json.held[0]?.reason).toMatch(/Kari Nord.* by name \(unicode nfkc\), but record E2 claims it too/);
  expect(story.takeWrites()).toEqual([CREATE_USER]);
});

sweep('holds a taken value under an exact e-mail rule, instead of creating a second account', async () => {
  const story = await openStory({ users: [{ ...oslo, email: 'E1@Example.com', name: 'Person E1' }] });
  story.configure({ users: { match: ['external_unique_id', by(['email'], { case: 'exact' })] } });
  story.deliver([person('E1')]);
  const ran = await story.sync();
  expect(summarise(ran.json.held)).toContain('E1 SYNC_VALUE_TAKEN');
  expect(story.takeWrites()).toEqual([]);
});

test('reports an account that only a rule sets apart from a record as unowned, and does not deactivate it', async () => {
  const story = await openStory({
    users: [
      { ...oslo, email: 'kari@example.com', name: 'KARI NORD' },
      { ...oslo, email: 'gone@example.com', name: 'Gone' },
    ],
  });
  story.configure({
    users: { match: ['external_unique_id', by(['name'], { case: 'exact' })], unowned: 'deactivate' },
    guards: { users: { deactivate: 'off' } },
  });
  story.deliver([person('E1', KARI)]);
  const ran = await story.sync({ full: true });
  expect(summarise(ran.json.held)).toContainEqual(expect.stringMatching(/^id:\w+ SYNC_ACCOUNT_UNOWNED$/));
  expect(ran.json.held.map(({ reason }) => reason).join()).toContain('record E1 differs from it only in case');
  expect(story.user('kari@example.com').deactivated).toBe(false);
  expect(story.user('gone@example.com').deactivated).toBe(true);
});

sweep('matches customers whose ids differ only in case to their own', async () => {
  const story = await openStory({
    customers: [
      { customer_name: { en: 'Fjord Power' }, external_unique_id: 'a1B' },
      { customer_name: { en: 'Fell Power' }, external_unique_id: 'A1b' },
    ],
  });
  story.configure(CRM);
  story.configure({ customers: { match: [by(['external_unique_id'], { case: 'exact' })] } });
  story.deliver([person('E1')]);
  story.deliverDeals([]);
  story.deliverCompanies([
    { id: 'a1B', name: 'Fjord Power' },
    { id: 'A1b', name: 'Fell Energy' },
  ]);
  expect((await story.sync()).json.counts).toMatchObject({ customers: { update: 1 } });
  expect(story.customers()).toMatchObject([
    { external_unique_id: 'A1b', customer_name: { en: 'Fell Energy' } },
    { external_unique_id: 'a1B', customer_name: { en: 'Fjord Power' } },
  ]);
});
