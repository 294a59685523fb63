import type { Company } from './company.js';

/** Writes a company as a sandbox fixture in pieces: JSON with one line per record. */
export function* writeFixture({ frame, ...lists }: Company): IterableIterator<string> {
  const head = Object.entries(frame).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  yield `{\n${head.join(',\n')}`;
  for (const name of ['users', 'customers', 'proposals'] as const) {
    yield `,\n"${name}": [`;
    let between = '\n';
    for (const record of lists[name]()) {
      yield `${between}${JSON.stringify(record)}`;
      between = ',\n';
    }
    yield '\n]';
  }
  yield '\n}\n';
}
