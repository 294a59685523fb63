import { describe, expect, it } from 'vitest';
import { accessFields, askingNames, ownTexts, personalFields } from '../../src/model/person-fields.js';

describe('the uses of a personal field', () => {
  it('follow from its row in FIELDS', () => {
    expect(personalFields('name')).toEqual(['name', 'name_multilang']);
    expect(personalFields('address')).toEqual(['email', 'upn']);
    expect(personalFields('number')).toEqual(['telephone', 'landline']);
    expect(accessFields('identity')).toEqual(['external_unique_id', 'email', 'upn']);
    expect(accessFields('power')).toEqual(['roles', 'role_allowed_offices', 'role_allowed_tags']);
    expect(accessFields('place')).toEqual(['office']);
    expect(askingNames()).toEqual(['external_unique_id', 'email', 'upn', 'name']);
    expect(ownTexts()).toEqual(['external_unique_id', 'email', 'upn', 'name', 'telephone', 'landline']);
  });
});
