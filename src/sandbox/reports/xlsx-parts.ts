/** Indexes in `cellXfs` of the styles below. */
export const STYLES = { plain: 0, title: 1, time: 2 } as const;

export function nameSheetPart(sheet: number): string {
  return `xl/worksheets/sheet${sheet}.xml`;
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SPREADSHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Builds the parts of a workbook except its sheets: path → XML. */
export function buildWorkbookParts(name: string, sheets: number): readonly (readonly [path: string, xml: string])[] {
  const numbers = Array.from({ length: sheets }, (_, index) => index + 1);
  const types = numbers.map(
    (sheet) => `<Override PartName="/${nameSheetPart(sheet)}" ContentType="${SPREADSHEET}.worksheet+xml"/>`,
  );
  const relations = numbers.map(
    (sheet) => `<Relationship Id="sheet${sheet}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${sheet}.xml"/>`,
  );
  // A name may have at most 31 characters and must be unique.
  const list = numbers.map(
    (sheet) =>
      `<sheet name="${name.slice(0, 27)}${sheet === 1 ? '' : ` ${sheet}`}" sheetId="${sheet}" r:id="sheet${sheet}"/>`,
  );
  return [
    [
      '[Content_Types].xml',
      `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${SPREADSHEET}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${SPREADSHEET}.styles+xml"/>${types.join('')}</Types>`,
    ],
    [
      '_rels/.rels',
      `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="workbook" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><bookViews><workbookView/></bookViews><sheets>${list.join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${relations.join('')}<Relationship Id="styles" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
    ],
    ['xl/styles.xml', `${HEAD}${STYLE_SHEET}`],
  ];
}

/** Titles are bold. Times show date and time in a format that is the same in every country. */
const STYLE_SHEET = `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/><xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`;
