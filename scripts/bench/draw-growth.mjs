// Draws seconds and memory by the number of people, next to each other and on logarithmic axes. The picture has its own
// background, light or dark like the reader's system, so it is legible on any page.
const PANEL = { width: 430, height: 330, left: 76, right: 104, top: 44, bottom: 52 };
const LABEL_HEIGHT = 15;
const LINES = [
  { of: 'ours', name: 'talent-sync' },
  { of: 'script', name: 'the script' },
  { of: 'floor', name: 'the floor' },
];
const PANELS = [
  { title: 'Seconds by the clock', of: 'seconds', unit: 's' },
  { title: 'Peak memory', of: 'mib', unit: 'MiB' },
];
const STYLE = `
.ground { fill: #fff; } text { fill: #1b212c; } .muted { fill: #596273; } .grid { stroke: #dde1e8; }
.ours { --line: #2456c8; } .script { --line: #b45f06; } .floor { --line: #6d7686; }
path, circle { stroke: var(--line); fill: none; } circle { fill: var(--line); } .end { fill: var(--line); }
@media (prefers-color-scheme: dark) {
.ground { fill: #12151b; } text { fill: #e4e8ef; } .muted { fill: #9aa4b5; } .grid { stroke: #2d333f; }
.ours { --line: #84aaff; } .script { --line: #f0b95a; } .floor { --line: #9aa4b5; } }`;

/** @param points of { size, ours, script, floor }, each of the last three with seconds and mib */
export function drawGrowth(points) {
  const width = PANELS.length * PANEL.width;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${PANEL.height}" width="${width}" height="${PANEL.height}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-labelledby="title">
<title id="title">What a plan costs in which nothing changed, by the number of people: seconds and memory, beside the script and the floor</title>
<style>${STYLE}
</style>
<rect class="ground" width="100%" height="100%" rx="8"/>
${PANELS.map((panel, at) => `<g transform="translate(${at * PANEL.width} 0)">\n${drawPanel(panel, points)}\n</g>`).join('\n')}
</svg>
`;
}

function drawPanel({ title, of, unit }, points) {
  const values = points.flatMap((point) => LINES.map((line) => point[line.of][of]));
  const rows = listTicks(Math.min(...values), Math.max(...values));
  const x = createScale(points[0].size, points.at(-1).size, PANEL.left, PANEL.width - PANEL.right);
  const y = createScale(rows[0], rows.at(-1), PANEL.height - PANEL.bottom, PANEL.top);
  const [start, end, bottom] = [PANEL.left, PANEL.width - PANEL.right, PANEL.height - PANEL.bottom];
  return [
    `<text x="${start}" y="24" font-weight="600">${title}</text>`,
    ...rows.map(
      (value) =>
        `<line class="grid" x1="${start}" x2="${end}" y1="${y(value)}" y2="${y(value)}"/>${text(start - 8, y(value) + 4, `${value.toLocaleString('en')} ${unit}`, 'end')}`,
    ),
    ...points.map(({ size }) => text(x(size), bottom + 20, size.toLocaleString('en'))),
    text((start + end) / 2, bottom + 40, 'people'),
    ...LINES.map((line) => drawLine(line, points, (point) => [x(point.size), y(point[line.of][of])])),
    ...labelLines(points.at(-1), of, y).map(
      ({ line, at }) => `<text class="end ${line.of}" x="${end + 10}" y="${at + 4}">${line.name}</text>`,
    ),
  ].join('\n');
}

function drawLine({ of }, points, place) {
  const places = points.map((point) => place(point).map((one) => one.toFixed(1)));
  const dots = places.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3"/>`).join('');
  return `<g class="${of}"><path stroke-width="2" d="M${places.map((one) => one.join(' ')).join('L')}"/>${dots}</g>`;
}

/** Labels next to the ends of their lines, without overlaps. */
function labelLines(last, of, y) {
  const labels = LINES.map((line) => ({ line, at: y(last[line.of][of]) })).sort((a, b) => a.at - b.at);
  for (const [index, label] of labels.entries()) {
    const above = labels[index - 1];
    if (above !== undefined) label.at = Math.max(label.at, above.at + LABEL_HEIGHT);
  }
  return labels;
}

/** 1, 2 and 5 times each power of ten around the values, or only the powers of ten if there are more than three. */
function listTicks(low, high) {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const steps = last - first > 3 ? [1] : [1, 2, 5];
  const all = Array.from({ length: last - first + 1 }, (_, at) =>
    steps.map((step) => step * 10 ** (first + at)),
  ).flat();
  const from = all.findLastIndex((one) => one <= low);
  const to = all.findIndex((one) => one >= high);
  return all.slice(Math.max(0, from), to + 1).map((one) => Number(one.toPrecision(1)));
}

function createScale(low, high, from, to) {
  const [a, b] = [Math.log10(low), Math.log10(high)];
  return (value) => from + ((Math.log10(value) - a) / (b - a || 1)) * (to - from);
}

function text(x, y, words, anchor = 'middle') {
  return `<text class="muted" x="${x}" y="${y}" text-anchor="${anchor}">${words}</text>`;
}
