import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { oneIn } from '../depth.js';
import { person } from './company.js';
import { DOWNLOAD, openDocuments } from './delivered-documents.js';
import { startProgram } from './program.js';

const KILLER = new URL('./kill-at-step.mjs', import.meta.url).href;

/** The notes of a document: its name, its complete file, its delivery; then those of the delivery. */
const STEPS = ['named', 'laid', 'delivered', 'none on its way', 'how far it is'] as const;

describe.each(
  oneIn(1, [
    ['on disk', 1],
    ['before', 0],
  ] as const),
)('kills at each note of a document in turn, %s', (moment, first) => {
  const steps = STEPS.map((name, i) => [name, i + 1] as const);
  test.each(oneIn(2, steps, first))(
    'keeps the new file once and removes the old one after a kill at: %s',
    async (name, step) => {
      const { story, documents, files, manifest, takeCalls } = await openDocuments([person('E1')]);
      await story.sync();
      documents({ deliver: { drop: './out', name: '{external_id}.pdf' } });
      await story.sync();
      documents({ deliver: { drop: './out', name: '{office}/{external_id}.pdf' } });
      takeCalls();
      const env = {
        KILL_AT_STEP: String(step),
        KILL_WHEN: moment,
        KILL_TABLE: '(report_deliveries|delivered_documents)',
      };
      const [, signal] = await once(startProgram(story, ['sync'], { args: ['--import', KILLER], env }), 'exit');
      expect(signal).toBe('SIGKILL');
      story.clock.advance(60_000);
      expect((await story.sync()).code).toBe(0);
      expect(files()).toEqual(['Oslo/E1.pdf']);
      expect(manifest().files.map(({ file }) => file)).toEqual(['Oslo/E1.pdf']);
      const isFetchedAgain = name === 'named' || (name === 'laid' && moment === 'before');
      expect(takeCalls().filter((call) => call === DOWNLOAD)).toHaveLength(isFetchedAgain ? 2 : 1);
      const { stdout } = await story.type('audit', 'list', '--json');
      expect(stdout.match(/"document delivered"/g)).toHaveLength(2);
      story.clock.advance(60_000);
      expect((await story.sync()).json.deliveries).toBeUndefined();
      expect((await story.verify()).json.ok).toBe(true);
    },
  );
});
