/** The unique description of a metric. */
export interface MetricShape {
  /** Name with its prefix. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
}

/** A metric in Prometheus' text format, line by line. */
export interface SeriesBlock {
  readonly shape: MetricShape;
  readonly help: string;
  readonly lines: Iterable<string>;
}

/**
 * Number of lines written before yielding, which takes about ten milliseconds. Other work may take longer turns, and a
 * scrape waits for each.
 */
const LINES_TOGETHER = 5_000;

/** Prints metrics. A metric without a series is left out, because its name alone has no value. */
export function* writeInSteps(blocks: Iterable<SeriesBlock>): Generator<void, string> {
  const parts: string[] = [];
  let written = 0;
  for (const { shape, help, lines } of blocks) {
    let head = `# HELP ${shape.name} ${help}\n# TYPE ${shape.name} ${shape.type}\n`;
    for (const line of lines) {
      parts.push(head, line, '\n');
      head = '';
      written += 1;
      if (written % LINES_TOGETHER === 0) yield;
    }
    if (head === '') parts.push('\n');
  }
  return parts.join('');
}

/**
 * Writes one line. Rounds to six decimals, because sums of fractions have seventeen digits.
 *
 * @param labels in the form that `writeLabels` returns
 */
export function writeLine({ name }: MetricShape, labels: string, value: number): string {
  return `${name}{${labels}} ${Math.round(value * 1e6) / 1e6}`;
}

export function writeLabels(names: readonly string[], values: readonly string[]): string {
  return names.map((name, at) => `${name}="${escapeValue(values[at] ?? '')}"`).join(',');
}

function escapeValue(value: string): string {
  return /["\\\n]/.test(value) ? value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"') : value;
}
