import { describe, expect, it, test } from 'vitest';
import { foldName, nameDocument, shareNames } from '../../../src/writeback/documents/document-names.js';

describe('the name of a document', () => {
  it.each([
    ['{name}.pdf', { name: 'Anna Lie' }, 'Anna Lie.pdf'],
    ['{office}/{name} ({id}).pdf', { office: 'Oslo', name: 'Åse', id: 'u1' }, 'Oslo/Åse (u1).pdf'],
    ['{name}.pdf', { name: '../../etc/passwd' }, '_.._.._etc_passwd.pdf'],
    ['{name}/{id}.pdf', { name: '..', id: '.' }, '_/_.pdf'],
    ['{name}.pdf', { name: '' }, '_.pdf'],
    ['{name}/{id}.pdf', { name: ' \u0000\u202E ', id: 'a' }, '_/a.pdf'],
    ['{name}.pdf', { name: 'a<b>c:d"e|f?g*h\\i' }, 'a_b_c_d_e_f_g_h_i.pdf'],
    ['{name}.pdf', { name: 'con' }, '_con.pdf'],
    ['{name}.pdf', { name: 'LPT1.old' }, '_LPT1.old.pdf'],
    ['{name}/x{id}.pdf', { name: 'Nul', id: '' }, '_Nul/x_.pdf'],
    ['{name}.pdf', { name: 'conrad' }, 'conrad.pdf'],
    ['{name}/{id}.pdf', { name: 'Oslo. . ', id: 'a' }, 'Oslo/a.pdf'],
    ['{name}.pdf', { name: 'a\n\tb  c' }, 'a b c.pdf'],
    ['{name}.pdf', { name: 'A\u030A' }, 'Å.pdf'],
    ['{name}.pdf', { name: 'می\u200Cخواهم' }, 'می\u200Cخواهم.pdf'],
    ['{name}.pdf', { name: '{id}', id: 'x' }, '{id}.pdf'],
    ['{name}.pdf', { name: '$& $1' }, '$& $1.pdf'],
  ])('names a document by %s with %j: %s', (pattern, words, name) => {
    expect(nameDocument(pattern, words)).toBe(name);
  });

  it('is shortened between characters, and keeps its file ending', () => {
    const name = nameDocument('{name}.docx', { name: '👩‍💻'.repeat(100) });
    expect(name).toMatch(/^(👩‍💻)+\.docx$/u);
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(186);
  });
});

describe('a name wanted by several records', () => {
  const share = (wanted: readonly (readonly [string, string])[], held: readonly (readonly [string, string])[] = []) =>
    Object.fromEntries(
      shareNames(
        wanted.map(([key, name]) => ({ key, wanted: name })),
        new Map(held.map(([key, file]) => [foldName(file), { key, file }])),
      ),
    );

  test('goes to the first record by id, in any order and case', () => {
    const names = { u1: 'Anna.pdf', u2: 'ANNA (u2).pdf', u3: 'Anna (u3).pdf' };
    expect(
      share([
        ['u1', 'Anna.pdf'],
        ['u2', 'ANNA.pdf'],
        ['u3', 'Anna.pdf'],
      ]),
    ).toEqual(names);
    expect(
      share([
        ['u3', 'Anna.pdf'],
        ['u2', 'ANNA.pdf'],
        ['u1', 'Anna.pdf'],
      ]),
    ).toEqual(names);
  });

  test('stays with its holder, in any case and even after the holder is unlisted', () => {
    expect(
      share(
        [
          ['u1', 'Anna.pdf'],
          ['u2', 'Anna.pdf'],
        ],
        [['u2', 'anna.pdf']],
      ),
    ).toEqual({
      u1: 'Anna (u1).pdf',
      u2: 'anna.pdf',
    });
    expect(share([['u1', 'Anna.pdf']], [['u9', 'Anna.pdf']])).toEqual({ u1: 'Anna (u1).pdf' });
  });

  test('is not overwritten while two records swap names', () => {
    expect(
      share(
        [
          ['u1', 'B.pdf'],
          ['u2', 'A.pdf'],
        ],
        [
          ['u1', 'A.pdf'],
          ['u2', 'B.pdf'],
        ],
      ),
    ).toEqual({
      u1: 'B (u1).pdf',
      u2: 'A (u2).pdf',
    });
  });

  test("is made unique again if it is another record's name", () => {
    expect(
      share(
        [
          ['u1', 'A (u2).pdf'],
          ['u2', 'A.pdf'],
        ],
        [['u9', 'A.pdf']],
      ),
    ).toEqual({
      u1: 'A (u2).pdf',
      u2: 'A (u2) (u2).pdf',
    });
  });
});
