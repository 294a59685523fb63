// Draws terminal output as a picture, with the terminal's colours and with selectable text.

const CELL = { width: 8.4, height: 19 };
const EDGE = 18;
const ESCAPE = '\u001b';
const CODE = new RegExp(`${ESCAPE}\\[([?\\d;]*)([a-zA-Z])([^${ESCAPE}]*)`, 'g');

/** @type {Record<'light' | 'dark', Record<string, string>>} By code of ANSI; `0` is plain text, `2` dim. */
const COLOURS = {
  light: {
    ground: '#ffffff',
    line: '#d0d7de',
    0: '#1f2328',
    2: '#656d76',
    31: '#b3261e',
    32: '#116329',
    33: '#8a5300',
    36: '#0b6b78',
  },
  dark: {
    ground: '#0d1117',
    line: '#30363d',
    0: '#e6edf3',
    2: '#8b949e',
    31: '#ff8a80',
    32: '#56d364',
    33: '#e3b341',
    36: '#56d4dd',
  },
};
/** ANSI codes that end other codes. */
const ENDS = { 22: ['1', '2'], 39: ['31', '32', '33', '36'] };

/** Runs of text with the same style, per line. Text before a clear code is dropped. */
export function readTerminal(text) {
  const on = new Set();
  return text
    .replaceAll('\r', '')
    .split('\n')
    .map((line) => {
      const shown = line.slice(Math.max(0, line.lastIndexOf(`${ESCAPE}[0K`)));
      const runs = [];
      for (const [, codes, letter, part] of `${ESCAPE}[m${shown}`.matchAll(CODE)) {
        if (letter === 'm') for (const code of codes.split(';')) apply(code, on);
        if (part !== '') runs.push({ text: part, codes: [...on] });
      }
      return runs;
    });
}

function apply(code, on) {
  for (const end of ENDS[code] ?? []) on.delete(end);
  if (ENDS[code] === undefined && code !== '' && code !== '0') on.add(code);
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Each group of words has its own position and length, so that columns stay aligned in any font. */
function drawLine(runs, row, colours) {
  let column = 0;
  return runs.flatMap(({ text, codes }) => {
    const start = column;
    column += text.length;
    const colour = colours[codes.findLast((code) => colours[code] !== undefined) ?? 0];
    const weight = codes.includes('1') ? ' font-weight="700"' : '';
    return [...text.matchAll(/\S+(?: \S+)*/g)].map(({ 0: words, index }) => {
      const at = `x="${round(EDGE + (start + index) * CELL.width)}" y="${EDGE + row * CELL.height + 14}"`;
      const look = `fill="${colour}"${weight} textLength="${round(words.length * CELL.width)}"`;
      return `<text ${at} ${look}>${escapeXml(words)}</text>`;
    });
  });
}

function round(number) {
  return Math.round(number * 10) / 10;
}

/** @returns {string} SVG */
export function drawTerminal(lines, columns, theme) {
  const colours = COLOURS[theme];
  const [width, height] = [Math.ceil(columns * CELL.width + 2 * EDGE), lines.length * CELL.height + 2 * EDGE];
  const rows = lines.flatMap((runs, row) => drawLine(runs, row, colours));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${colours.ground}" stroke="${colours.line}"/>
${rows.join('\n')}
</svg>
`;
}
