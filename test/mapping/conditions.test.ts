import { describe, expect, it } from 'vitest';
import { compileCondition } from '../../src/mapping/condition.js';
import { compileChecked } from '../../src/mapping/expression.js';
import { RecordFault } from '../../src/mapping/record-fault.js';
import { replaceAll } from '../../src/mapping/tally.js';
import { oneIn } from '../depth.js';
import { catchError } from '../samples.js';
import { columnOf, evaluate, openScope } from './evaluate.js';

const columns = { s: columnOf('string?'), l: columnOf('list'), m: columnOf('map') };

describe('a condition on the rows of a stream', () => {
  it('sees the row as `record`', () => {
    const isMeant = compileCondition('sources.hr.skip', 'record.?s.orValue("") == "x"', columns, 'UTC');
    expect([isMeant({ s: 'x' }), isMeant({ s: 'y' }), isMeant({})]).toEqual([true, false, false]);
  });

  it('names its setting if it fails for a row', () => {
    const isMeant = compileCondition('sources.hr.skip', 'int(record.?s.orValue("")) == 1', columns, 'UTC');
    expect(isMeant({ s: '1' })).toBe(true);
    expect(() => isMeant({ s: 'one' })).toThrow(RecordFault);
    expect(() => isMeant({ s: 'one' })).toThrow('sources.hr.skip');
  });

  it('is an internal error if the configuration should have rejected it', () => {
    const error = catchError(() =>
      compileChecked(openScope({ columns }), 'users.scope', 'record.?s.orValue("")', 'bool'),
    );
    expect(error).toMatchObject({
      code: 'SYNC_INTERNAL',
      message: expect.stringMatching(/^users\.scope: this yields the type string/),
      remedy: expect.stringContaining('should have been rejected when it was loaded'),
    });
  });
});

describe('the cost of an expression', () => {
  it('rejects a map with more than 200,000 keys', () => {
    const many = Object.fromEntries(Array.from({ length: 200_001 }, (_, index) => [`k${index}`, 1]));
    const { wrong } = evaluate('record.m.exists(k, k == "x")', { columns }, { m: many }, 'bool');
    expect(wrong).toEqual(['the expression goes through more than 200000 items of lists']);
    expect(evaluate('record.m.exists(k, k == "x")', { columns }, { m: { x: 1 } }, 'bool').value).toBe(true);
  });

  const MOST = 4_194_304;
  it.each(
    oneIn(1 / 2, [
      ['a text that would grow beyond the limit', 'a'.repeat(MOST / 2), 'a', 'bbb', null],
      ['a text that grows up to the limit', 'a'.repeat(MOST / 2), 'a', 'bb', MOST],
      ['a long text without a match', 'a'.repeat(MOST), 'c', 'dd', MOST],
      ['a long text that gets shorter', 'a'.repeat(MOST), 'aa', 'b', MOST / 2],
      ['a text before each character and at the end, for an empty text', 'abc', '', '-', 7],
    ]),
  )('replaces in %s', (_, text, from, to, length) => {
    if (length === null) expect(() => replaceAll(text, from, to)).toThrow('makes texts of up to 4194304 characters');
    else expect(replaceAll(text, from, to)).toHaveLength(length);
  });
});

describe('an expression with types that do not match', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['record.l == "x"', /`==` has a list on one side, a text on the other: Both sides need the same type/],
    ['zzqqzz("x")', /there is no function `zzqqzz`: Functions: (\w+, )*string(, \w+)*\.$/],
    ['record.?s == "x"', /a text that can be absent on one side.*as in `record\.\?s\.orValue\(""\)`/],
    ['record.l + 1', /`\+` has a list on one side, a whole number on the other/],
    ['record.m + 1', /`\+` has map<string, dyn> on one side, a whole number on the other/],
    ['trim("x")', /^type error: `trim` comes after its value: Write the value, a dot, then the function\.$/],
    ['int(record.l)', /^type error: `int` does not take a list: `string\(…\)`/],
    ['record.l.join(1)', /^type error: `join` does not take a list with a whole number: `string\(…\)`/],
    ['if(size(record.l) == 1, "a", "b")', /: Write `size\(record\.l\) == 1 \? "a" : "b"`, and put it in quotes/],
    ['1 + if(true, 1, 2)', /: Write `1 \+ \(true \? 1 : 2\)`, and put it in quotes/],
    ['if(true, 1)', /: Write `condition \? value : otherwise`, and put it in quotes/],
    [
      'if record.?s.orValue("") == "a" then "b" else  "c then" ',
      /: Write `record\.\?s\.orValue\(""\) == "a" \? "b" : "c then"`, and put it in quotes/,
    ],
    ['Hello {{s}}!', /: Write `"Hello " \+ record\.\?s \+ "!"`\.$/],
    ['"a" + {{s}}', /: Write `"a" \+ record\.\?s`\.$/],
    ['{{nothing}}', /: A column is read by its record and a dot, without braces\.$/],
    ['{"a": record.nothing}', /^`record` has no column `nothing`/],
    ['record', /^`record` is a complete record, not a value: Name one of its columns, as in `record\./],
    ['{{s}}', /`\{\{s\}\}` means nothing here: Write `record\.\?s`\.$/],
    [
      'record[record.?s.orValue("")]',
      /a column of `record` is chosen while the expression runs: Name the column itself/,
    ],
  ];
  it.each(cases)('explains %s', (text, message) => {
    expect(evaluate(text, { columns }, {}).wrong).toEqual([expect.stringMatching(message)]);
  });
});

describe('an expression of another type than needed', () => {
  const row = { ...columns, i: columnOf('int?'), n: columnOf('int'), d: columnOf('date'), b: columnOf('bool?') };
  const cases: readonly (readonly [string, Parameters<typeof evaluate>[3], string])[] = [
    ['record.n', 'text', 'this yields the type int, but a text is needed: Write `string(record.n)`.'],
    ['record.?i', 'text', 'this yields the type int, but a text is needed: Write `record.?i.optMap(v, string(v))`.'],
    ['record.n + 1', 'text', 'this yields the type int, but a text is needed: Write `string(record.n + 1)`.'],
    ['record.d', 'text', 'this yields a date, but a text is needed: Write `string(record.d)`.'],
    [
      'record.?s',
      'integer',
      'this yields the type string, but a whole number is needed: Write `record.?s.optMap(v, int(v))`.',
    ],
    [
      'record.?b',
      'bool',
      'the value can be absent, but true or false is required: Replace an absent value, as in `record.?b.orValue(false)`.',
    ],
    [
      'record.n == 1 ? record.?b : record.?b',
      'bool',
      'the value can be absent, but true or false is required: Replace an absent value, as in `(record.n == 1 ? record.?b : record.?b).orValue(false)`.',
    ],
    [
      '[record.?s]',
      'date',
      'this yields the type list<optional<string>>, but a date is needed: Change the expression, or the type declared for the column, so that it yields a date.',
    ],
    [
      'record.n',
      'date',
      'this yields the type int, but a date is needed: Change the expression, or the type declared for the column, so that it yields a date.',
    ],
    [
      '["a"]',
      'integer',
      'this yields the type list<string>, but a whole number is needed: Change the expression, or the type declared for the column, so that it yields a whole number.',
    ],
  ];
  it.each(cases)('explains %s as %s', (text, want, wrong) => {
    expect(evaluate(text, { columns: row }, {}, want).wrong).toEqual([wrong]);
  });

  it('proposes to join a list, or to take its first item, where a text is needed', () => {
    const [wrong] = evaluate('["a"]', { columns: row }, {}, 'text').wrong;
    expect(wrong).toContain('Write `(["a"]).join(", ")`, or take one with `(["a"]).first()`.');
    const [plain] = evaluate('record.l', { columns: row }, {}, 'text').wrong;
    expect(plain).toContain('Write `record.l.join(", ")`, or take one with `record.l.first()`.');
  });
});
