const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [640, 360, 64, 96, 24, 48];
const LINES = [
  { of: 'ours', name: 'talent-sync', colour: '#0b6e4f' },
  { of: 'theirs', name: 'the script', colour: '#8a3ffc' },
];

/** Seconds over people, both by powers of ten: `points` of { size, ours, theirs }, each with its seconds. */
export function drawGrowth(points) {
  const seconds = points.flatMap(({ ours, theirs }) => [ours.seconds, theirs.seconds]);
  const sizes = points.map(({ size }) => size);
  const [low, high] = [Math.floor(Math.log10(Math.min(...seconds))), Math.ceil(Math.log10(Math.max(...seconds)))];
  const [first, last] = [Math.log10(sizes[0]), Math.log10(sizes.at(-1))];
  const x = (size) => LEFT + ((Math.log10(size) - first) / Math.max(1, last - first)) * (WIDTH - LEFT - RIGHT);
  const y = (value) => HEIGHT - BOTTOM - ((Math.log10(value) - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const text = (at, up, words, anchor = 'middle') =>
    `<text x="${at}" y="${up}" text-anchor="${anchor}">${words}</text>`;
  const scale = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
  const parts = [
    ...scale.map(
      (value) =>
        `<path d="M${LEFT} ${y(value)}H${WIDTH - RIGHT}" stroke="#ddd"/>${text(LEFT - 8, y(value) + 4, `${value} s`, 'end')}`,
    ),
    ...sizes.map((size) => text(x(size), HEIGHT - BOTTOM + 20, size.toLocaleString('en'))),
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, 'people'),
    ...LINES.map(({ of, name, colour }) => {
      const path = points.map((point) => `${x(point.size)} ${y(point[of].seconds)}`).join('L');
      const end = points.at(-1);
      return `<path d="M${path}" fill="none" stroke="${colour}" stroke-width="2"/>${text(x(end.size) + 8, y(end[of].seconds) + 4, name, 'start')}`;
    }),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" role="img">
<title>Seconds of a plan in which nothing changed, by the number of people</title>
<rect width="100%" height="100%" fill="white"/>
${parts.join('\n')}
</svg>
`;
}
