import { describe, expect, it } from 'vitest';
import { digestMapping, loadPins } from '../../src/planning/pins.js';
import { listRemapped, settleRemapped } from '../../src/planning/remapped.js';
import { change, loadSample, SAMPLE } from '../config/sample.js';
import { linkTo, observedOf, openTestStores } from '../samples.js';

const sample = change('title: { en: idp.?title }', 'title: { en: idp.?title, no: record.?phone }');
const config = loadSample(sample);
const phone = (text: string) => loadSample(change('telephone: record.?phone', `telephone: ${text}`, sample));

describe('the mapping behind an undone value', () => {
  it.each<readonly [what: string, text: string, paths: readonly string[]]>([
    ['the expression of a field', change('record.?phone\n', 'record.?dept\n', SAMPLE), ['telephone']],
    ['one language of a text', change('no: record.?phone', 'no: record.?dept', sample), ['title.no']],
    [
      'the rule of a field',
      change('telephone: record.?phone', 'telephone: { value: record.?phone, apply: create }', sample),
      ['telephone'],
    ],
    ['the scope', change('record.dept != "x"', 'record.dept != "y"', sample), ['existence']],
    ['the condition for leavers', change('left.orValue(false)', 'left.orValue(true)', sample), ['existence']],
    ['the matching', change('[external_unique_id, email]', '[email]', sample), []],
  ])('changes with the right paths: %s', (_what, text, paths) => {
    const before = text.includes('no: record') ? sample : SAMPLE;
    const then = loadSample(before);
    const moved = ['telephone', 'born_year', 'title.en', 'title.no', 'existence', 'link'].filter(
      (path) => digestMapping(then, 'users', path) !== digestMapping(loadSample(text), 'users', path),
    );
    expect(moved).toEqual(paths);
  });

  it('forgets a pin under another mapping and keeps the others', () => {
    const stores = openTestStores();
    const of = { entity: 'users', key: 'E1', undone: 'r1', run: 'r2', at: '2026-11-20T08:00:00.000Z' } as const;
    const good = { path: 'telephone', value: 'h', mapping: digestMapping(config, 'users', 'telephone') };
    stores.pins.pin([
      { ...of, ...good },
      { ...of, path: 'title.en', value: 'h', mapping: 'older' },
    ]);
    const pins = loadPins(config, stores, of.at);
    expect(pins('users', 'E1')).toEqual([good]);
    expect(pins('users', 'E2')).toEqual([]);
  });
});

describe('a field that was mapped again', () => {
  it('is tried once more even if it was frozen, while others stay frozen', () => {
    const stores = openTestStores();
    linkTo(stores, 'users', 'E1', observedOf('u1'));
    const untaken = { telephone: { sent: '1', got: '2' }, 'title.en': { sent: 'a', got: 'b' } };
    stores.links.rememberUntaken('users', 'E1', untaken as never);
    // Before the first run that wrote, older mappings are unknown.
    expect(listRemapped(phone('record.?dept'), stores)('users').size).toBe(0);
    settleRemapped(config, stores);
    expect(stores.links.frozen('users').map((one) => Object.keys(one.untaken))).toEqual([['telephone', 'title.en']]);
    const edited = phone('record.?dept');
    expect([...listRemapped(edited, stores)('users')]).toEqual(['telephone']);
    expect([...listRemapped(edited, stores)('customers')]).toEqual([]);
    settleRemapped(edited, stores);
    expect(listRemapped(edited, stores)('users').size).toBe(0);
    expect(stores.links.frozen('users').map((one) => Object.keys(one.untaken))).toEqual([['title.en']]);
  });
});
