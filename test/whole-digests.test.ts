import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, readModules } from './module-graph.js';

/*
 * Decisions must be bound to complete digests. A shortened digest is only a name. Each use of a shortened digest states here
 * why it is not a decision.
 */

const SHORTENED: Readonly<Record<string, string>> = {
  'src/model/sha256.ts': 'the one place that shortens a digest for people; row hashes of 132 bits',
  'src/planning/vocabulary.ts': 'words that were seen, by 96 bits',
  'src/reconcile/build-change.ts': 'the id of a change, 128 bits',
  'src/mirror/observe-copy.ts': 'the fingerprint of a copy that an undo looks at, 128 bits',
  'src/store/audit/pseudonyms.ts': 'pseudonyms',
  'src/connectors/scim-protocol/render.ts': 'the version of a resource',
  'src/connectors/listing/listed-connector.ts': 'rows that come twice in one read',
  'src/connectors/listed/listed-reader.ts': 'the name of a listing',
  'src/connectors/scim/scim-connector.ts': 'the name of a listing',
  'src/writeback/reports/report-calls.ts': 'what a report asked for',
  'src/writeback/documents/reference-documents.ts': 'whether a document is to be fetched again',
};

/** Files in folders with decisions that use a short digest only to name a configuration in the history of runs. */
const NAMES: readonly string[] = ['src/operations/link-by-hand.ts', 'src/operations/run.ts'];

it('shortens a digest nowhere else', () => {
  const cuts = /(?:digest|hash|sha256|Digest|Hash)\w*(?:\([^\n]*\))*\.(?:slice|substring|substr)\(0, ?\w+\)/;
  const files = readModules('src')
    .map(({ file }) => file)
    .filter((file) => !file.startsWith('src/sandbox/') && cuts.test(readFileSync(join(ROOT, file), 'utf8')));
  expect(files.filter((file) => SHORTENED[file] === undefined)).toEqual([]);
});

it('binds no decision to the beginning of a digest', () => {
  const deciding = [
    'src/operations',
    'src/planning/suspicions',
    'src/planning/holds',
    'src/store/work',
    'src/store/state',
  ];
  const short = readModules('src').filter(
    ({ file }) =>
      deciding.some((folder) => file.startsWith(`${folder}/`)) &&
      /\b(?:shortHash|shortenDigest)\(/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(short.map(({ file }) => file)).toEqual(NAMES);
});
