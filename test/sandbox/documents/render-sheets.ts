import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { unpackWoff } from '../../../src/sandbox/documents/unpack-woff.js';
import { findTool, type ToolName } from '../../tools.js';
import { mergeFonts } from './merge-fonts.js';
import { parsePgm, type Shades, tilePages } from './page-sheet.js';

const run = promisify(execFile);
/** Pixels. */
const PAGE_WIDTH = 400;

/** The program of LibreOffice that opens such files; a PDF needs none. */
const OFFICE: Readonly<Record<string, ToolName>> = { docx: 'writer', pptx: 'impress' };

/** Reports the test as not run if a program is missing. */
export function findRenderers(filetype: string): void {
  findTool('pdftotext');
  const office = OFFICE[filetype];
  if (office) findTool(office);
}

/** Draws all pages of each file on a sheet, by its name. LibreOffice starts once and has only the fonts of the project. */
export async function renderSheets(
  filetype: string,
  files: Readonly<Record<string, Buffer>>,
): Promise<ReadonlyMap<string, Shades>> {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-pages-'));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, `${name}.${filetype}`), bytes);
  const office = OFFICE[filetype];
  if (office) await convert(folder, join(dirname(findTool(office)), 'soffice'), Object.keys(files), filetype);
  const sheets = new Map<string, Shades>();
  for (const name of Object.keys(files)) sheets.set(name, await renderSheet(join(folder, `${name}.pdf`)));
  return sheets;
}

async function renderSheet(file: string): Promise<Shades> {
  const folder = mkdtempSync(join(tmpdir(), 'talent-sync-pages-'));
  const size = ['-scale-to-x', String(PAGE_WIDTH), '-scale-to-y', '-1'];
  await run(join(dirname(findTool('pdftotext')), 'pdftoppm'), ['-gray', ...size, file, join(folder, 'page')]);
  const names = readdirSync(folder).sort();
  return tilePages(names.map((name) => parsePgm(readFileSync(join(folder, name)))));
}

async function convert(folder: string, soffice: string, names: readonly string[], filetype: string): Promise<void> {
  const env = { ...process.env, FONTCONFIG_FILE: writeFonts(join(folder, 'fonts')) };
  const files = names.map((name) => join(folder, `${name}.${filetype}`));
  const profile = `-env:UserInstallation=file://${folder}/profile`;
  await run(soffice, [profile, '--headless', '--convert-to', 'pdf', '--outdir', folder, ...files], { env });
}

/** The fonts that documents ask for, and those that the project has instead. */
const STAND_INS = {
  Calibri: 'Noto Sans',
  Arial: 'IBM Plex Sans Arabic',
  'Microsoft YaHei': 'Noto Sans SC',
  'Yu Gothic': 'Noto Sans SC',
};

function writeFonts(folder: string): string {
  mkdirSync(folder);
  const merged = [
    ['Noto Sans', 'noto-sans', 400],
    ['Noto Sans', 'noto-sans', 700],
    ['Noto Sans SC', 'noto-sans-sc', 400],
  ] as const;
  for (const [family, name, weight] of merged)
    writeFileSync(join(folder, `${name}-${weight}.ttf`), mergeFonts(listParts(name, weight), family, weight === 700));
  // Tables of this font join its letters. It comes in one part, so it needs no merging.
  for (const weight of [400, 700]) {
    const [arabic] = listParts('ibm-plex-sans-arabic', weight, 'arabic-arabic');
    writeFileSync(join(folder, `arabic-${weight}.ttf`), arabic ?? '');
  }
  const file = join(folder, 'fonts.conf');
  const rules = Object.entries(STAND_INS).map(
    ([asked, given]) =>
      `<match target="pattern"><test name="family"><string>${asked}</string></test>` +
      `<edit name="family" mode="assign" binding="strong"><string>${given}</string></edit></match>`,
  );
  const head = '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">';
  const places = `<dir>${folder}</dir><cachedir>${folder}/cache</cachedir>`;
  writeFileSync(file, `${head}<fontconfig>${places}${rules.join('')}</fontconfig>`);
  return file;
}

function listParts(family: string, weight: number, part = ''): readonly Buffer[] {
  const folder = join(dirname(createRequire(import.meta.url).resolve(`@fontsource/${family}/package.json`)), 'files');
  const names = readdirSync(folder).filter((name) => name.endsWith(`-${weight}-normal.woff`) && name.includes(part));
  return names.sort().map((name) => unpackWoff(readFileSync(join(folder, name))));
}
