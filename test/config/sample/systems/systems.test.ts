import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../../src/config/load.js';
import { type Answers, NO_ANSWERS } from '../../../../src/config/sample/answers.js';
import { readSample } from '../../../../src/config/sample/read-sample.js';
import { renderConfig } from '../../../../src/config/sample/render-config.js';
import { createFileConnector } from '../../../../src/connectors/drop/file-connector.js';
import { closeAfterTest } from '../../../closing.js';
import { buildContext, readAll } from '../../../connectors/fixtures.js';
import { oneIn } from '../../../depth.js';
import { ACCOUNT_STATES, type AccountState, openAccount } from './account.js';
import { TODAY } from './company.js';
import { judgeProposal, type MappedFile, mapFile, type Verdict } from './judge.js';
import { SYSTEMS } from './systems.js';
import { type ExportFile, writeExport } from './write-export.js';

/**
 * Each export is proposed for, and judged, without an account, with a new one and with a full one. A quick run takes
 * every twentieth export. To see the table of all, or the exports of some systems with the first wrong case of each line:
 *
 *     SHOW_SYSTEMS=1 npx vitest run test/config/sample/systems
 *     SHOW_SYSTEMS=workday npx vitest run test/config/sample/systems
 *     SHOW_SYSTEMS=table npx vitest run test/config/sample/systems   # that of docs/guides/known-exports.md
 */
const SHOWN = process.env.SHOW_SYSTEMS ?? '';

function isShown(system: string): boolean {
  return SHOWN === '1' || SHOWN === 'table' || system.toLowerCase().includes(SHOWN.toLowerCase());
}

interface Row {
  readonly file: ExportFile;
  readonly state: AccountState;
  readonly verdict: Verdict;
}

async function judgeFile(file: ExportFile, folder: string): Promise<readonly Row[]> {
  const at = join(folder, file.variant.files[0]);
  writeFileSync(at, file.content);
  const sample = await readSample(at);
  const rows: Row[] = [];
  let mapped: MappedFile = { text: '', people: null };
  for (const state of ACCOUNT_STATES) {
    const answers: Answers = {
      ...NO_ANSWERS,
      today: new Date(`${TODAY}T00:00:00Z`),
      service: openAccount(file, state),
    };
    const { text, open } = renderConfig([sample], folder, 'https://acme.example.com', answers);
    if (mapped.text !== text) mapped = await mapFile(text, at);
    const { people } = mapped;
    if (people !== null) {
      // `init`, its preview, and the source used by `check` and `plan` read the same rows.
      const { records, rejected } = await readAsRun(mapped.text, at);
      const counted = [people.outcomes.length + people.rejected.length, records.length + rejected.length];
      expect(counted).toEqual([sample.rows, sample.rows]);
    }
    rows.push({ file, state, verdict: judgeProposal(mapped, { open, file, state }) });
  }
  rmSync(at);
  return rows;
}

/** Reads the file as a run does, but without waiting for it to settle. */
function readAsRun(text: string, at: string) {
  const { hr } = loadConfig(join(at, '../talent-sync.yaml'), { TALENT_API_KEY: 'key' }, text).sources;
  if (hr?.type !== 'csv' && hr?.type !== 'json') throw new Error('no drop of files');
  return readAll(createFileConnector('hr', { ...hr, settleMs: 0 }, buildContext()));
}

async function judgeAll(files: readonly ExportFile[]): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-systems-'));
  closeAfterTest({ close: () => rmSync(folder, { recursive: true, force: true }) });
  const rows: Row[] = [];
  for (const file of files) rows.push(...(await judgeFile(file, folder)));
  return rows;
}

function showRows(rows: readonly Row[]): string {
  const isOne = SHOWN !== '1';
  return rows
    .map(({ file, state, verdict: { wrong, edits, details } }) => {
      const head = `${file.system.padEnd(28)} ${file.variant.name.slice(0, 44).padEnd(45)} ${state.padEnd(6)}`;
      const counts = `wrong ${wrong.length} edits ${edits.length}`;
      const lines = isOne ? [...details, ...edits] : [[...wrong, ...edits].join(', ')];
      return [`${head} ${counts}`, ...lines.map((line) => `    ${line}`)].join('\n');
    })
    .join('\n');
}

function share(rows: readonly Row[], isGood: (verdict: Verdict) => boolean): number {
  return rows.filter(({ verdict }) => isGood(verdict)).length / rows.length;
}

/** A line of docs/guides/known-exports.md: the edits that each of the three variants needs, per state of the account. */
function tabulate(rows: readonly Row[]): string {
  const lines = SYSTEMS.map(({ name }) => {
    const cells = ACCOUNT_STATES.map((state) =>
      rows
        .filter(({ file, state: of }) => file.system === name && of === state)
        .map(({ verdict: { wrong, edits } }) => (wrong.length > 0 ? 'wrong' : String(edits.length)))
        .join(' · '),
    );
    return `| ${[name, ...cells.toReversed()].join(' | ')} |`;
  });
  return `${lines.join('\n')}\n`;
}

describe('configurations that `init` proposes for exports of known systems', () => {
  it('have no wrong line and few lines to edit', async () => {
    const all = SYSTEMS.flatMap(({ name, variants }) => variants.map((variant) => writeExport(name, variant)));
    const files = SHOWN === '' ? oneIn(5, all) : all.filter(({ system }) => isShown(system));
    const rows = await judgeAll(files);
    if (SHOWN === 'table') process.stdout.write(tabulate(rows));
    else if (SHOWN !== '') process.stdout.write(`${showRows(rows)}\n`);
    const wrong = rows.filter(({ verdict }) => verdict.wrong.length > 0);
    expect(wrong.map(({ file, state, verdict }) => [file.system, file.variant.name, state, verdict.details])).toEqual(
      [],
    );
    const known = rows.filter(({ state }) => state === 'full');
    if (SHOWN === '') {
      expect(share(known, ({ edits }) => edits.length === 0)).toBeGreaterThan(0.6);
      expect(share(rows, ({ edits }) => edits.length <= 3)).toBeGreaterThan(0.95);
    }
  }, 600_000);
});
