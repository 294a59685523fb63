import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closeAfterTest } from '../../../closing.js';
import { oneIn } from '../../../depth.js';
import { writeIdealConfig } from './ideal-config.js';
import { judgeProposal, mapFile } from './judge.js';
import { SYSTEMS } from './systems.js';
import type { Fact } from './words.js';
import { type ExportFile, writeExport } from './write-export.js';

function place({ variant, content }: ExportFile): string {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-truth-'));
  closeAfterTest({ close: () => rmSync(folder, { recursive: true, force: true }) });
  const at = join(folder, variant.files[0]);
  writeFileSync(at, content);
  return at;
}

const FILES = SYSTEMS.flatMap(({ name, variants }) =>
  variants.map((variant) => [`${name}: ${variant.name}`, writeExport(name, variant)] as const),
);

describe('the truth about an export', () => {
  // A configuration needs offices.
  const withOffices = FILES.filter(([, { facts }]) =>
    ['office', 'city', 'hiddenOffice'].some((fact) => facts.has(fact as Fact)),
  );
  it.each(oneIn(1, withOffices))('agrees with a configuration by a person who knows it: %s', async (_, file) => {
    const mapped = await mapFile(writeIdealConfig(file), place(file));
    const { details, edits } = judgeProposal(mapped, { open: [], file, state: 'full' });
    const footer = file.variant.below === undefined ? [] : [expect.stringContaining('rows: line')];
    expect(details).toEqual(footer);
    expect(edits).toEqual(file.facts.has('shouted') ? ['name is missing'] : []);
  });
});
