import { describe, expect, it } from 'vitest';
import type { FileRules } from '../../../src/config/file-rules.js';
import type { Connector } from '../../../src/connectors/connector.js';
import { createCsvConnector } from '../../../src/connectors/csv/csv-connector.js';
import { buildContext, catchSyncError, csvConfig, makeFolder, NO_RULES, readAll, writeFileIn } from '../fixtures.js';

async function openFile(text: string, rules: Partial<FileRules>): Promise<Connector> {
  const folder = await makeFolder();
  await writeFileIn(folder, 'a.csv', text);
  return createCsvConnector('hr', csvConfig(folder, { rules: { ...NO_RULES, ...rules } }), buildContext());
}

describe('header aliases', () => {
  const aliases = { id: ['emp_no', 'Employee ID'] };

  it.each(['id', 'emp_no', 'Employee ID'])('finds a column under the name %s', async (name) => {
    const { records } = await readAll(await openFile(`${name},name,age\n007,Ann,1\n`, { aliases }));
    expect(records.map(({ key, cells }) => [key, cells.id])).toEqual([['007', '007']]);
  });

  it('refuses a header with two names of one column', async () => {
    const error = await catchSyncError(readAll(await openFile('id,emp_no,name,age\n1,2,Ann,1\n', { aliases })));
    expect(error.code).toBe('SYNC_SOURCE_HEADER');
    expect(error.message).toContain('"id" and "emp_no"');
  });

  it('names the nearest when none of the names is there', async () => {
    const error = await catchSyncError(readAll(await openFile('id,nane,age\n1,Ann,1\n', { aliases })));
    expect(error.message).toContain('rename it to "nane"');
  });
});

describe('max_bad_rows', () => {
  const rows = (bad: number): string =>
    `id,name,age\n${Array.from({ length: 10 }, (_, i) => `${i},x,${i < bad ? 'old' : '1'}`).join('\n')}\n`;

  it.each([
    [1, null],
    [2, 'SYNC_SOURCE_BAD_ROWS'],
  ])('%i of 10 bad rows under a limit of 10 %%: %s', async (bad, code) => {
    const reading = readAll(await openFile(rows(bad), { maxBadShare: 0.1 }));
    if (code === null) expect((await reading).evidence).toMatchObject({ rows: 10, rejected: bad, complete: true });
    else expect((await catchSyncError(reading)).code).toBe(code);
  });
});
