import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Answers, NO_ANSWERS } from '../../../../src/config/sample/answers.js';
import { readSample } from '../../../../src/config/sample/read-sample.js';
import { renderConfig } from '../../../../src/config/sample/render-config.js';
import { closeAfterTest } from '../../../closing.js';
import { oneIn } from '../../../depth.js';
import { ACCOUNT_STATES, type AccountState, openAccount } from './account.js';
import { judgeProposal, type MappedFile, mapFile, type Verdict } from './judge.js';
import { SYSTEMS } from './systems.js';
import { type ExportFile, writeExport } from './write-export.js';

/**
 * Each export is proposed for, and judged, without an account, with a new one and with a full one. A quick run takes every second
 * export. To see the table of all, or the exports of some systems with the first wrong case of each line:
 *
 *     SHOW_SYSTEMS=1 npx vitest run test/config/sample/systems
 *     SHOW_SYSTEMS=workday npx vitest run test/config/sample/systems
 */
const SHOWN = process.env.SHOW_SYSTEMS ?? '';

function isShown(system: string): boolean {
  return SHOWN === '1' || system.toLowerCase().includes(SHOWN.toLowerCase());
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
    const answers: Answers = { ...NO_ANSWERS, service: openAccount(file, state) };
    const { text, open } = renderConfig([sample], folder, 'https://acme.example.com', answers);
    if (mapped.text !== text) mapped = await mapFile(text, at);
    rows.push({ file, state, verdict: judgeProposal(mapped, { open, file, state }) });
  }
  rmSync(at);
  return rows;
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

describe('configurations that `init` proposes for exports of known systems', () => {
  it('are judged by what is right for the people in them', async () => {
    const all = SYSTEMS.flatMap(({ name, variants }) => variants.map((variant) => writeExport(name, variant)));
    const files = SHOWN === '' ? oneIn(1 / 2, all) : all.filter(({ system }) => isShown(system));
    const rows = await judgeAll(files);
    const isRight = ({ wrong }: Verdict): boolean => wrong.length === 0;
    const totals = {
      rows: rows.length,
      withWrongLines: rows.filter(({ verdict }) => !isRight(verdict)).length,
      rightWithoutEdits: share(rows, (verdict) => isRight(verdict) && verdict.edits.length === 0),
      rightWithThreeEdits: share(rows, (verdict) => isRight(verdict) && verdict.edits.length <= 3),
    };
    if (SHOWN !== '') process.stdout.write(`${showRows(rows)}\n${JSON.stringify(totals)}\n`);
    expect(totals.rows).toBe(files.length * ACCOUNT_STATES.length);
  }, 120_000);
});
