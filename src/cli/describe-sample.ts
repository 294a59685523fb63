import { renderColumns, renderFormat } from '../config/sample/propose-source.js';
import type { Sample } from '../config/sample/read-sample.js';
import { writeColumn } from '../config/sample/yaml-text.js';
import { plural } from '../model/plural.js';
import { joinLines } from '../report/writers/style.js';

/** A sample as `--json` prints it. */
export function describeSample(sample: Sample) {
  const { format, encoding, separator, pointer, unreadable } = sample.facts;
  return {
    file: sample.at,
    rows: sample.rows,
    format,
    encoding,
    separator,
    pointer,
    unreadable,
    key: sample.key,
    key_note: sample.keyNote,
    columns: sample.columns.map(({ name, column, filled, note }) => ({
      name,
      declare: column === null ? null : writeColumn(column),
      filled,
      note,
    })),
    left_out: sample.leftOut,
  };
}

/** The proposal as YAML, to be inserted under a source. */
export function renderProposal(sample: Sample): string {
  const { unreadable } = sample.facts;
  const unread = unreadable.length === 0 ? '' : `; not read: line ${unreadable.slice(0, 5).join(', ')}`;
  return joinLines([
    `# ${sample.at}: ${plural(sample.rows, 'row')}${unread}`,
    ...renderFormat(sample),
    ...renderColumns(sample, []),
  ]);
}
