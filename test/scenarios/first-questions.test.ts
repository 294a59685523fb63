import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { EXAMPLE_SERVICE, type InitFlags, runInit } from '../../src/cli/run-init.js';
import { sweep } from '../depth.js';
import { openStory, type Story } from './kit.js';

const VENDORS = join(import.meta.dirname, '../config/sample/vendors');

/** Types the answers at a terminal, one per question. @returns the printed text and the exit code */
async function answer(
  story: Story,
  answers: readonly string[],
  flags: Partial<InitFlags> = {},
  env: object = story.env,
) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  let shown = '';
  const left = [...answers];
  const stdout = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        shown += String(chunk);
        if (/: $/.test(String(chunk))) {
          const next = left.shift();
          if (next === undefined) stdin.end();
          else stdin.write(`${next}\n`);
        }
        done();
      },
    }),
    { isTTY: true },
  );
  let code = -1;
  await runInit(
    {
      stdin,
      stdout,
      // This is not a terminal: the line of progress does not matter here.
      stderr: new Writable({
        write(chunk, _encoding, done) {
          shown += String(chunk);
          done();
        },
      }),
      env: { ...env },
      clock: story.clock,
      setExitCode: (given) => {
        code = given;
      },
      exit: () => undefined,
    },
    { sample: [], service: EXAMPLE_SERVICE, out: story.configFile, force: true, ...flags },
  );
  return { shown, code, left, config: readFileSync(story.configFile, 'utf8') };
}

function deliver(story: Story, vendor: string, file: string): string {
  const drop = join(story.folder, 'drop', vendor);
  mkdirSync(drop, { recursive: true });
  cpSync(join(VENDORS, vendor, file), join(drop, file));
  return join(drop, file);
}

/** Its places are not cities, so only a person knows the country. */
function deliverPlants(story: Story): string {
  const file = deliver(story, 'personio', 'mitarbeiter.csv');
  const text = readFileSync(file, 'utf8').replaceAll('"München"', '"Werk 1"').replaceAll('"Berlin"', '"Werk 2"');
  writeFileSync(file, text.replaceAll('"Wien"', '"Werk 3"'));
  return file;
}

test('asks for the file and the service, then for open points, and ends with the plan', async () => {
  const story = await openStory({ account: { languages: ['en', 'no', 'sv', 'de'] } });
  const file = deliverPlants(story);
  const { shown, left, config, code } = await answer(story, [
    ...['/no/such.csv', file, '', story.sandbox.url, 'xyz', 'no', 'Standort'],
  ]);
  expect(left).toEqual([]);
  // The wizard reports a wrong answer immediately, and asks again.
  expect(shown).toContain('SYNC_SOURCE_UNREADABLE');
  expect(shown).toContain('mitarbeiter.csv: 10 rows, 17 columns, key ID');
  expect(shown).toContain('The service has 2 countries, 3 offices and 0 people.');
  expect(shown).toMatch(
    /In which country does everybody work\? Two-letter code \[de\]: .*"xyz" is not a country code/s,
  );
  expect(config).toContain(`country: '"no"'`);
  expect(config).not.toMatch(/country:.*GUESS: no column has the country/);
  // The dry run follows.
  expect(shown).toContain(
    'The account lacks the offices of 8 new people: no/Werk 2 (4), no/Werk 1 (2), no/Werk 3 (2);',
  );
  expect(shown).toContain('nothing to change, 8 records held');
  expect(code).toBe(4);
  expect(story.takeWrites()).toEqual([]);
});

sweep('asks nothing that flags answer, and nothing with --yes', async () => {
  const story = await openStory();
  const sample = [deliverPlants(story)];
  const flags = { sample, service: story.sandbox.url, country: ['no'] };
  const asked = await answer(story, [], flags);
  expect(asked.shown).not.toContain('In which country');
  const silent = await answer(story, [], { ...flags, country: [], yes: true });
  expect(silent.shown).not.toMatch(/\?.*: $/m);
  expect(silent.shown).toContain('To answer: In which country does everybody work? Two-letter code (--country)');
  expect((await answer(story, [], { ...flags, country: [], yes: true })).config).toBe(silent.config);
});

sweep('asks for the column of addresses if none looks like one, and names the flag if nobody can answer', async () => {
  const story = await openStory();
  const text = 'Nr;Vorname;Nachname;Kontakt\n1;Ann;Berg;ann at example\n2;Bo;Lund;bo at example\n';
  const sample = [join(story.folder, 'drop/hr', story.deliverText(text))];
  const { config } = await answer(story, ['', 'Kontakt', 'no'], { sample }, {});
  expect(config).toContain('email: record.Kontakt.lowerAscii()');
  rmSync(story.configFile);
  await story.init({ sample }).then(({ code, error }) => {
    expect(code).toBe(1);
    expect(error?.remedy).toContain('--column email=HEADER, one of "Nr", "Vorname", "Nachname", "Kontakt"');
  });
});
