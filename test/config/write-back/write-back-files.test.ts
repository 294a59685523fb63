import { describe, expect, it } from 'vitest';
import { loadSample, readProblems, SAMPLE, show } from '../sample.js';

const withBack = (back: string): string => SAMPLE.replace('    key: id\n', `    key: id\n    write_back: ${back}\n`);
const CRM = (deals: string, companies: string): string =>
  SAMPLE.replace(
    '\nusers:',
    `\n  crm:\n    type: crm\n    drop: ./crm\n    streams:\n      deals: { pattern: "*.json", key: id, columns: { id: string }, ${deals} }\n      companies: { pattern: "c-*.csv", key: id, columns: { id: string }, ${companies} }\nusers:`,
  );

describe('write_back of files', () => {
  it('is null by default, and fills in what it leaves out', () => {
    expect(loadSample(SAMPLE).sources.hr).toMatchObject({ writeBack: null });
    expect(loadSample(withBack('{ drop: ./back }')).sources.hr).toMatchObject({
      writeBack: {
        drop: expect.stringMatching(/\/back$/),
        sftp: null,
        name: 'talent-{run}.csv',
        rows: 'changed',
        columns: null,
        encoding: 'utf-8',
        bom: false,
        separator: ';',
        manifest: false,
        lapseMs: 7 * 86_400_000,
      },
    });
  });

  it("uses the source's own separator, and a log-in of its own", () => {
    const text = withBack(
      '{ drop: "sftp://sftp.example.com/in", sftp: { username: acme, password: { env: IDP_TOKEN } } }',
    ).replace('    key: id\n', '    key: id\n    separator: "|"\n');
    const { hr } = loadSample(text).sources;
    expect(hr).toMatchObject({ writeBack: { separator: '|', sftp: { host: 'sftp.example.com', path: '/in' } } });
    const login = hr?.type === 'csv' ? hr.writeBack?.sftp?.login : undefined;
    expect(login !== undefined && 'password' in login && login.password.reveal()).toBe('token');
  });

  it.each([
    ['{ }', 'write_back.drop', '`drop` is missing', 'Add `drop:`'],
    ['{ drop: "ftp://host/x" }', 'write_back.drop', 'of an unsupported kind', 'sftp://'],
    ['{ drop: "sftp://host/x" }', 'write_back.drop', 'how to log in', 'Add `sftp'],
    ['{ drop: ./back, name: "a/talent-{run}.csv" }', 'write_back.name', 'not a safe file name', 'without a folder'],
    ['{ drop: ./back, name: ".talent-{run}.csv" }', 'write_back.name', 'not a safe file name', 'a dot at its start'],
    [
      '{ drop: ./back, name: "talent-{runn}.csv" }',
      'write_back.name',
      '`{runn}` is not known',
      'Did you mean `{run}`?',
    ],
    ['{ drop: ./back, name: "talent-{run}.json" }', 'write_back.name', 'does not look like CSV', '.csv'],
    ['{ drop: ./back, name: "talent-{run}.done" }', 'write_back.name', 'does not look like CSV', '.csv'],
    ['{ drop: ./back, name: "talent-{date}.csv" }', 'write_back.name', 'the same name', '`{run}`'],
    ['{ drop: ./drop }', 'write_back.name', 'would be read by hr', 'another folder'],
    ['{ drop: ./back, encoding: klingon }', 'write_back.encoding', 'is not an encoding', 'utf-8'],
    ['{ drop: ./back, encoding: hex }', 'write_back.encoding', 'is not an encoding', 'utf-8'],
    ['{ drop: ./back, encoding: utf-16le }', 'write_back.encoding', 'without a byte order mark', 'bom: true'],
    ['{ drop: ./back, encoding: latin1, bom: true }', 'write_back.bom', 'has no byte order mark', 'Remove'],
    ['{ drop: ./back, separator: "\\"" }', 'write_back.separator', 'other than a quote', 'Correct'],
    ['{ drop: ./back, columns: [email] }', 'write_back.columns', 'the key `id` is not among', 'Add `id`'],
    ['{ drop: ./back, columns: [id, email, id] }', 'write_back.columns[2]', 'is listed twice', 'Remove one'],
    ['{ drop: ./back, columns: [id, constructor] }', 'write_back.columns[1]', 'cannot be the name', 'Rename'],
    ['{ drop: ./back, rows: some }', 'write_back.rows', '"some" is not accepted', 'changed, all'],
  ])('is rejected: %s', (back, place, message, remedy) => {
    const problems = show(readProblems(withBack(back)));
    expect(problems).toEqual([expect.stringContaining(`sources.hr.${place}`)]);
    expect(problems[0]).toContain(message);
    expect(problems[0]).toContain(remedy);
  });

  it('may use the folder that is read if the names cannot collide', () => {
    const text = withBack('{ drop: ./drop }').replace('"*.csv"', '"hr-*.csv"');
    expect(loadSample(text).sources.hr).toMatchObject({ writeBack: { name: 'talent-{run}.csv' } });
  });

  it('is never read by another stream, and never shares its names with one', () => {
    const problems = show(
      readProblems(CRM('write_back: { drop: ./back }', 'write_back: { drop: ./back, name: "{run}-{date}.csv" }')),
    );
    expect(problems).toEqual([expect.stringContaining('sources.crm.streams.companies.write_back.name')]);
    expect(problems[0]).toContain('that is written for crm.deals');
    expect(show(readProblems(CRM('write_back: { drop: ./drop }', 'settle: 60s')))).toEqual([
      expect.stringContaining('would be read by hr'),
    ]);
    const fine = CRM('write_back: { drop: ./crm, name: "d-{run}.csv" }', 'write_back: { drop: ./back }').replace(
      '"*.json"',
      '"d-*.json"',
    );
    expect(loadSample(fine).sources.crm).toMatchObject({ streams: { deals: { writeBack: { name: 'd-{run}.csv' } } } });
  });
});
