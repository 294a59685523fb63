import { describe, expect, it } from 'vitest';
import type { Connector } from '../../../src/connectors/connector.js';
import { createFileConnector } from '../../../src/connectors/drop/file-connector.js';
import type { FileRules } from '../../../src/connectors/drop/resolve-file-rules.js';
import { buildContext, catchSyncError, csvConfig, makeFolder, NO_RULES, readAll, writeFileIn } from '../fixtures.js';

async function openFile(text: string, rules: Partial<FileRules>): Promise<Connector> {
  const folder = await makeFolder();
  await writeFileIn(folder, 'a.csv', text);
  return createFileConnector('hr', csvConfig(folder, { rules: { ...NO_RULES, ...rules } }), buildContext());
}

describe('header aliases', () => {
  const aliases = { id: ['emp_no', 'Employee ID'] };

  it.each(['id', 'emp_no', 'Employee ID'])('find a column under the name %s', async (name) => {
    const { records } = await readAll(await openFile(`${name},name,age\n007,Ann,1\n`, { aliases }));
    expect(records.map(({ key, cells }) => [key, cells.id])).toEqual([['007', '007']]);
  });

  it('reject a header with two names of one column', async () => {
    const error = await catchSyncError(readAll(await openFile('id,emp_no,name,age\n1,2,Ann,1\n', { aliases })));
    expect(error.code).toBe('SYNC_SOURCE_HEADER');
    expect(error.message).toContain('"id" and "emp_no"');
  });

  it('suggest the nearest name if none of the names is there', async () => {
    const error = await catchSyncError(readAll(await openFile('id,nane,age\n1,Ann,1\n', { aliases })));
    expect(error.message).toContain('rename "name" to "nane"');
  });
});

describe('max_bad_rows', () => {
  const rows = (bad: number): string =>
    `id,name,age\n${Array.from({ length: 10 }, (_, i) => `${i},x,${i < bad ? 'old' : '1'}`).join('\n')}\n`;

  it.each([
    [1, null],
    [2, 'SYNC_SOURCE_BAD_ROWS'],
  ])('checks %i of 10 bad rows against a limit of 10 %% (error: %s)', async (bad, code) => {
    const reading = readAll(await openFile(rows(bad), { maxBadShare: 0.1 }));
    if (code === null) expect((await reading).evidence).toMatchObject({ rows: 10, rejected: bad, complete: true });
    else expect((await catchSyncError(reading)).code).toBe(code);
  });
});

describe('parts', () => {
  async function openParts(files: Readonly<Record<string, string>>): Promise<Connector> {
    const folder = await makeFolder();
    for (const [name, text] of Object.entries(files)) await writeFileIn(folder, name, text);
    const rules = { ...NO_RULES, parts: 'hr-{drop}-{part}of{parts}.csv' };
    return createFileConnector('hr', csvConfig(folder, { rules }), buildContext());
  }

  it('form one delivery, the newest, in their order', async () => {
    const { records, evidence } = await readAll(
      await openParts({
        'hr-9-1of1.csv': 'id,name,age\nold,x,1\n',
        'hr-10-2of2.csv': 'id,name,age\n3,C,1\n',
        'hr-10-1of2.csv': 'id,name,age\n1,A,1\n2,B,1\n',
      }),
    );
    expect(records.map(({ key }) => key)).toEqual(['1', '2', '3']);
    expect(evidence).toMatchObject({ rows: 3, complete: true });
    expect(evidence.delivery).toMatch(/^hr-10-1of2\.csv\|.* \+ hr-10-2of2\.csv\|/);
  });

  it.each([[['1of3', '2of3']], [['1of3', '3of3']], [['1of2', '2of3']], [['1of1', '2of2']]])(
    'are not read while one is missing: %s',
    async (parts) => {
      const files = Object.fromEntries(parts.map((part) => [`hr-10-${part}.csv`, 'id,name,age\n1,A,1\n']));
      const error = await catchSyncError(readAll(await openParts({ ...files, 'hr-9-1of1.csv': 'id,name,age\n' })));
      expect(error.code).toBe('SYNC_SOURCE_UNSETTLED');
    },
  );
});
