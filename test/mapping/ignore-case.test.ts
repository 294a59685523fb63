import { describe, expect, it } from 'vitest';
import { compileChecked } from '../../src/mapping/expression.js';
import { createProtectScope } from '../../src/mapping/protector.js';

const USER = {
  ...{ id: 'u1', email: 'Chair@Board.Example.com', upn: 'ÅSE@x.example', name: 'Ada', external_unique_id: 'E1' },
  ...{ roles: ['consultant'], office_name: 'Oslo', country_code: 'NO' },
};

describe('comparing an address or user name of an account without case', () => {
  it.each<[string, boolean]>([
    ['user.email.endsWith("@board.example.com")', true],
    ['user.email.endsWith("@BOARD.example.com")', true],
    ['user.email.startsWith("chair@")', true],
    ['user.email.contains("BOARD")', true],
    ['user.email == "chair@board.example.COM"', true],
    ['"CHAIR@board.example.com" == user.email', true],
    ['user["email"] == "chair@board.example.com"', true],
    ['user.email != "chair@board.example.com"', false],
    ['user.upn == "åse@x.example"', true],
    ['user.email in ["a@x.example", "chair@BOARD.example.com"]', true],
    ['"chair@board.example.com" in [user.email, user.upn]', true],
    ['user.email.matches("^chair@board[.]")', true],
    ['user.email.matches("^chair@council[.]")', false],
    ['!(user.email.endsWith("@board.example.com")) && user.name == "Ada"', false],
    ['["@board.example.com", "@x.example"].exists(end, user.email.endsWith(end))', true],
    // Other fields are compared with case.
    ['user.name == "ada"', false],
    ['user.name.startsWith("a")', false],
    ['user.external_unique_id in ["e1"]', false],
    ['user.name.matches("^ada")', false],
    ['"consultant" in user.roles', true],
  ])('evaluates %s: %s', (text, expected) => {
    const scope = createProtectScope('UTC');
    const { run } = compileChecked(scope, 'users.protect', text, 'bool');
    scope.show('user', USER);
    expect(run()).toBe(expected);
  });
});
