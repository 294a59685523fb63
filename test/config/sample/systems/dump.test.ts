import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Answers, NO_ANSWERS } from '../../../../src/config/sample/answers.js';
import { readSample } from '../../../../src/config/sample/read-sample.js';
import { renderConfig } from '../../../../src/config/sample/render-config.js';
import { ACCOUNT_STATES, openAccount } from './account.js';
import { TODAY } from './company.js';
import { judgeProposal, mapFile } from './judge.js';
import { SYSTEMS } from './systems.js';
import { writeExport } from './write-export.js';

it('dumps', async () => {
  const lines: string[] = [];
  const counts = { rows: 0, wrong: 0, zero: 0, three: 0 };
  for (const { name, variants } of SYSTEMS)
    for (const [index, variant] of variants.entries()) {
      const file = writeExport(name, variant);
      const folder = join('/tmp/sys', `${name.replaceAll(/\W+/g, '_')}-${index}`);
      mkdirSync(folder, { recursive: true });
      const at = join(folder, file.variant.files[0]);
      writeFileSync(at, file.content);
      const sample = await readSample(at);
      for (const state of ACCOUNT_STATES) {
        counts.rows++;
        const answers: Answers = {
          ...NO_ANSWERS,
          today: new Date(`${TODAY}T00:00:00Z`),
          service: openAccount(file, state),
        };
        try {
          const proposed = renderConfig([sample], folder, 'https://acme.example.com', answers);
          writeFileSync(join(folder, `${state}.yaml`), proposed.text);
          const { wrong, edits, details } = judgeProposal(await mapFile(proposed.text, at), {
            open: proposed.open,
            file,
            state,
          });
          if (wrong.length > 0) counts.wrong++;
          else {
            if (edits.length === 0) counts.zero++;
            if (edits.length <= 3) counts.three++;
          }
          if (wrong.length + edits.length > 0)
            lines.push(
              `${folder} ${state} wrong ${wrong.length} edits ${edits.length}`,
              ...details.map((d) => `    W ${d}`),
              ...edits.map((d) => `    E ${d}`),
            );
        } catch (error) {
          counts.wrong++;
          lines.push(
            `${folder} ${state} THROWS ${String(error)} ${JSON.stringify((error as { problems?: unknown }).problems ?? '')}`,
          );
        }
      }
    }
  writeFileSync('/tmp/sys/report.txt', `${JSON.stringify(counts)}\n${lines.join('\n')}\n`);
  expect(1).toBe(1);
});
