import { describe, expect, it } from 'vitest';
import { rebase } from '../../src/apply/rebase.js';
import { catchError, changeOf, observedOf } from '../samples.js';

const change = changeOf('certifications', 'K1', {
  action: 'update',
  target: 's1',
  fields: ['name', 'year'],
  before: { name: { en: 'Old', no: 'Gammel' }, year: '2024' },
  after: { name: { en: 'New', no: 'Gammel' }, year: '2025' },
});
const now = (values: object) =>
  observedOf('s1', { name: { en: 'Old', no: 'Gammel' }, year: '2024', ...values }, { entity: 'certifications' });

describe('rebase', () => {
  it('sends the complete change if something else in the section changed', () => {
    expect(rebase(change, now({ organiser: { en: 'Other' } }), 'hold')).toEqual(change.after);
  });

  it('leaves out values that exist already', () => {
    expect(rebase(change, now({ year: '2025' }), 'hold')).toEqual({ name: change.after.name });
    expect(rebase(change, now({ year: '2025', name: { en: 'New', no: 'Gammel' } }), 'service')).toEqual({});
  });

  it('keeps languages that others wrote meanwhile', () => {
    expect(rebase(change, now({ name: { en: 'Old', no: 'Nyere', sv: 'Ny' } }), 'source').name).toEqual({
      en: 'New',
      no: 'Nyere',
      sv: 'Ny',
    });
  });

  it('removes a language that the change removes', () => {
    const clearing = { ...change, before: { name: { en: 'A', no: 'B' } }, after: { name: { en: 'A' } } };
    expect(rebase(clearing, now({ name: { en: 'A', no: 'B', sv: 'C' } }), 'source').name).toEqual({ en: 'A', sv: 'C' });
  });

  it('overwrites a field changed by others only if the source wins', () => {
    const moved = now({ year: '2030' });
    expect(rebase(change, moved, 'source').year).toBe('2025');
    for (const conflicts of ['hold', 'service'] as const) {
      expect(catchError(() => rebase(change, moved, conflicts)).code).toBe('SYNC_CONFLICT');
    }
  });
});
