import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import type { OpenQuestion } from '../../../../src/config/sample/answers.js';
import { closeAfterTest } from '../../../closing.js';
import { writeIdealConfig } from './ideal-config.js';
import { judgeProposal, mapFile, type Verdict } from './judge.js';
import { SYSTEMS } from './systems.js';
import { writeExport } from './write-export.js';

function exportOf(system: string, variant: string) {
  const found = SYSTEMS.find(({ name }) => name === system)?.variants.find(({ name }) => name.startsWith(variant));
  if (found === undefined) throw new Error(`no export ${system}: ${variant}`);
  return writeExport(system, found);
}

const WORKDAY = exportOf('Workday', 'report as a service');
const ENTRA = exportOf('Microsoft Entra', 'download users');
const DAYFORCE = exportOf('Dayforce', 'report, one row');

/** Judges the right configuration with one line changed, or removed for null. */
async function judgeWith(
  file: typeof WORKDAY,
  path: readonly string[],
  value: string | Readonly<Record<string, string>> | null,
  open: readonly OpenQuestion[] = [],
): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-judge-'));
  closeAfterTest({ close: () => rmSync(folder, { recursive: true, force: true }) });
  const at = join(folder, file.variant.files[0]);
  writeFileSync(at, file.content);
  const document = parseDocument(writeIdealConfig(file));
  if (value === null) document.deleteIn(path);
  else document.setIn(path, value);
  return judgeProposal(await mapFile(String(document), at), { open, file, state: 'full' });
}

const field = (name: string): readonly string[] => ['users', 'fields', name];

describe('the judge', () => {
  it.each([
    ['the title of a pay scale', WORKDAY, [...field('title'), 'en'], 'record[?"Job_Profile"]', 'title'],
    ['a title in another language', WORKDAY, field('title'), { no: 'record[?"Business_Title"]' }, 'title'],
    ["the manager's address", WORKDAY, field('email'), 'record[?"Manager_Email"]', 'email'],
    ['a log-in in place of an address', ENTRA, field('email'), 'record[?"userPrincipalName"]', 'email'],
    ['the name in a passport', WORKDAY, field('name'), 'record.?Legal_First_Name.orValue("")', 'name'],
    ['one country for all', WORKDAY, [...field('office'), 'country'], '"no"', 'office'],
    ['the code before an office', WORKDAY, [...field('office'), 'name'], 'record.?Location', 'office'],
    ['another telephone', ENTRA, field('telephone'), 'record[?"mobilePhone"]', 'telephone'],
    ['the number of a position', WORKDAY, field('external_unique_id'), 'record.?Position_ID', 'external_unique_id'],
    ['the id of a directory', ENTRA, field('external_unique_id'), 'record.?id', 'external_unique_id'],
    ['a key that ends with a position', DAYFORCE, ['sources', 'hr', 'key'], 'Work Assignment ID', 'key'],
    ['leavers who stay active', WORKDAY, ['users', 'leaver', 'when'], 'false', 'leaver'],
    ['active people as leavers', WORKDAY, ['users', 'leaver', 'when'], 'true', 'leaver'],
    ['later joiners who are active today', WORKDAY, ['users', 'joiner'], null, 'joiner'],
    ['guests among people', ENTRA, ['users', 'scope'], null, 'scope'],
    ['people out of scope', WORKDAY, ['users', 'scope'], 'record.?Location_Country_ISO.orValue("") == "GB"', 'scope'],
    ['a pattern that misses the next file', ENTRA, ['sources', 'hr', 'pattern'], '*2026-11-16.csv', 'pattern'],
  ] as const)('finds %s', async (_, file, path, value, wrong) => {
    expect((await judgeWith(file, path, value)).wrong).toContain(wrong);
  });

  it.each([
    ['a title that the file has', WORKDAY, field('title'), 'title is missing'],
    ['the rule for several rows', DAYFORCE, ['sources', 'hr', 'prefer'], 'several rows per person are held'],
  ] as const)('finds %s, which nobody reads', async (_, file, path, edit) => {
    expect(await judgeWith(file, path, null)).toEqual({ wrong: [], edits: [edit], details: [] });
  });

  it('finds no fault in people held for an answer', async () => {
    const asked = { flag: '--left', about: null, text: 'Who has left?', choices: [], otherwise: '' } as const;
    const verdict = await judgeWith(ENTRA, ['users', 'leaver'], 'unknown', [asked]);
    expect(verdict).toEqual({ wrong: [], edits: ['asks --left'], details: [] });
  });
});
