import { expect, it } from 'vitest';
import { WINDOWS_ZONES } from '../../src/config/windows-zones.js';
import { change, readProblems } from './sample.js';

it.each([
  ['Europe/Olso', 'Europe/Oslo'],
  ['oslo', 'Europe/Oslo'],
  ['New York', 'America/New_York'],
  ['CET+1', 'Europe/Berlin'],
  ['MEZ', 'Europe/Berlin'],
  ['UTC-5', 'America/New_York'],
  ['GMT +2', 'Europe/Helsinki'],
  ['W. Europe Standard Time', 'Europe/Berlin'],
  ['romance standard time', 'Europe/Paris'],
])('for %s, suggests %s', (written, meant) => {
  const [problem] = readProblems(change('state: ./var', `state: ./var\ntimezone: ${written}`));
  expect(problem?.message).toBe(`"${written}" is not a time zone`);
  expect(problem?.remedy).toMatch(`Did you mean \`${meant}\`?`);
});

it('names an example if no zone is near', () => {
  const [problem] = readProblems(change('state: ./var', 'state: ./var\ntimezone: our office'));
  expect(problem?.remedy).toBe('Write an IANA name such as `Europe/Oslo` or `UTC`.');
});

it('knows the zone for every Windows zone', () => {
  expect(WINDOWS_ZONES.size).toBeGreaterThan(70);
  for (const zone of WINDOWS_ZONES.values()) {
    expect(() => new Intl.DateTimeFormat('en', { timeZone: zone }), zone).not.toThrow();
  }
});
