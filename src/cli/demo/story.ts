import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { plural } from '../../model/plural.js';
import type { Employee } from '../../sandbox/company/people.js';
import { buildAccount } from './account.js';
import { type ClaimedPlan, expectSame, readNewestPlan } from './claims.js';
import { changePhone } from './colleague.js';
import { COMPANIES_FILE, DEALS_FILE, renderCrmStreams } from './crm-streams.js';
import { type OutputPart, takeExcerpt } from './excerpt.js';
import {
  HR_FILTERED,
  HR_FIRST,
  HR_NEXT,
  HR_SECOND,
  HR_TORN,
  renderFaultyHrFile,
  renderHrFile,
  tearFile,
} from './hr-file.js';
import { renderScimUsers } from './identity-provider.js';
import type { Narrator } from './narrator.js';
import { advanceAfter, advanceStory, buildPeople, CAST, JOINERS } from './people.js';
import { type DemoServices, startServices } from './services.js';
import { type Workplace, writeConfig, writeSecret } from './workplace.js';

/** Runs a command line of this program. */
export type Shell = (words: readonly string[]) => Promise<{ readonly exitCode: number; readonly text: string }>;

interface Stage {
  readonly place: Workplace;
  readonly narrator: Narrator;
  readonly shell: Shell;
}

/** Prepares the story: starts both services and writes the first delivery. */
export async function setTheScene(place: Workplace): Promise<DemoServices> {
  const people = buildPeople();
  const key = await writeSecret(place.serviceKey);
  await writeSecret(place.idpToken);
  const crm = renderCrmStreams();
  await writeFile(join(place.hr, HR_FIRST), renderHrFile(people));
  await writeFile(place.scimUsers, renderScimUsers(people));
  await writeFile(join(place.crm, COMPANIES_FILE), crm.companies);
  await writeFile(join(place.crm, DEALS_FILE), crm.deals);
  const services = await startServices(place, { service: 0, idp: 0 }, buildAccount(key));
  await writeConfig(place.config, services.sandbox.url, services.idp.url);
  return services;
}

export async function tellStory(stage: Stage, services: DemoServices): Promise<void> {
  await tellOpening(stage, services);
  await tellFirstLoad(stage);
  await tellSecondWeek(stage, services);
  await tellNightmare(stage);
  await tellAnswers(stage);
}

async function tellOpening({ place, narrator }: Stage, { sandbox, idp }: DemoServices): Promise<void> {
  await narrator.chapter('A consultancy, and four systems that should agree');
  await narrator.say(
    `Everything below is real: the commands run in ${place.folder}. You see parts of their output; printed/ has all of it.`,
  );
  await narrator.say(
    `HR has dropped a file of 201 people in Norway, Sweden and Germany: semicolons, a byte order mark, names in nine scripts.`,
  );
  const [, ...rows] = (await readFile(join(place.hr, HR_FIRST), 'utf8')).split('\r\n');
  await narrator.quote([
    'employee_id;name;email;status;country;office;title;…',
    ...[2, 3, 73].map((n) => shorten(rows[n - 1] ?? '')),
  ]);
  await narrator.say(
    `The identity provider answers SCIM at ${idp.url} and knows sign-in names. The CRM has dropped 40 companies as JSON and 120 deals as NDJSON. The talent service, here the embedded sandbox, answers at ${sandbox.url}. It has an administrator, Kari Nordmann with her name misspelt, and ${CAST.rehired.name}, deactivated when she left last year. Two offices and all tags are missing.`,
  );
}

function shorten(row: string): string {
  return `${row.split(';').slice(0, 7).join(';')};…`;
}

async function tellFirstLoad(stage: Stage): Promise<void> {
  const { narrator } = stage;
  await narrator.chapter('The first plan');
  await narrator.say('A plan reads everything and writes nothing to the service.');
  const { plan, text } = await showPlan('the first plan', 0, ['Plan', 'To hr', 'Forecast'], stage);
  expectSame('changes of the first plan', plan.counts, {
    offices: { create: 2 },
    tag_categories: { create: 2 },
    tags: { create: 9 },
    users: { create: 199, update: 1 },
    customers: { create: 40 },
    projects: { create: 120 },
  });
  expectSame('what is written back to HR first', plan.source_counts, { hr: { records: 200, cells: 200 } });
  await narrator.chapter('How it understands the sources');
  await narrator.say(
    'A first plan begins by showing who is in the account already, and which column becomes which field.',
  );
  await narrator.output(takeExcerpt(text, ['people:', 'customers:', 'projects:']).lines, null);
  await narrator.chapter('Who is in the account already');
  await narrator.output(takeExcerpt(text, ['First contact']).lines, null);
  await narrator.say(
    `Kari was found by her e-mail address and is corrected, not created twice. ${CAST.rehired.name} is in the file as terminated and deactivated in the service: both agree.`,
  );
  await narrator.chapter('The first plan is applied');
  await narrator.say(
    '`apply` makes the changes of the saved plan, and no others. The id that the service gives each person (talent_id) is written back to HR, in a file.',
  );
  await runAs('the first plan was applied', 0, { words: ['apply', plan.meta.plan] }, stage);
  await narrator.say('And planning again proposes nothing:');
  const { plan: again } = await showPlan('planning after applying', 0, null, stage);
  expectSame('changes after the first apply', [again.counts, again.held], [{}, []]);
}

/** A number from a range that is not assigned to subscribers. */
const NEW_PHONE = '+47 555 01999';

async function tellSecondWeek(stage: Stage, services: DemoServices): Promise<void> {
  const { narrator, place } = stage;
  const people = advanceStory(buildPeople());
  await changePhone(CAST.adopted, NEW_PHONE, services, place);
  await writeFile(join(place.hr, HR_SECOND), renderFaultyHrFile(people));
  await writeFile(place.scimUsers, renderScimUsers(people));
  await writeFile(join(place.next, HR_NEXT), renderHrFile(advanceAfter(people, NEW_PHONE)));
  await narrator.chapter('A week later');
  await narrator.say(
    `HR drops ${HR_SECOND}. Five people join; ${CAST.mover.name} moves from Göteborg to Oslo; ${CAST.renamed.name} has married and has a new address; two people are marked as terminated and a third is simply no longer there; ${CAST.rehired.name} is back. And the file has faults: a bare semicolon in one row, an invalid address in another, and 王伟 twice.`,
  );
  await narrator.say(
    `In the service, meanwhile, ${CAST.adopted.name} has typed a new telephone number into her profile: ${NEW_PHONE}. HR still has the old one.`,
  );
  const { plan, text } = await showPlan('the plan of the second week', 4, ['Plan'], stage);
  expectSame('changes of the second plan', plan.counts, {
    users: { create: 5, update: 2, deactivate: 3, reactivate: 1 },
  });
  expectSame('what the second plan holds', holdsOf(plan), {
    [CAST.broken.id]: 'SYNC_ROW_FIELDS',
    [CAST.mistyped.id]: 'SYNC_MAP_VALUE',
    [CAST.twice.id]: 'SYNC_MAP_DUPLICATE_KEY',
  });
  await narrator.chapter('Rows that cannot be used');
  await narrator.output(takeExcerpt(text, ['Held']).lines, null);
  await narrator.say(
    'The three faulty records are set aside with the reason, and their people do not count as leavers: a row that cannot be read is not an absence. The exit code is 4: records are held for their own fault. A scheduler can distinguish it from 0 (done), 3 (an approval is needed) and 1 (could not run).',
  );
  await narrator.chapter('Who leaves, who moves, and why');
  await narrator.output(takeExcerpt(text, ['users to deactivate', 'users to update']).lines, null);
  await narrator.chapter('Everything else is applied');
  await runAs('the second plan was applied', 4, { words: ['apply', plan.meta.plan], shown: ['Run'] }, stage);
  await tellWayBack(stage, text);
  await expectNothingLeft(stage);
}

/** Shows the file that was written back to HR: the phone number that a colleague changed, and the ids of joiners. */
async function tellWayBack({ place, narrator }: Stage, plan: string): Promise<void> {
  const names = (await readdir(place.toHr)).sort();
  const name = names.at(-1) ?? '';
  const lines = (await readFile(join(place.toHr, name), 'utf8')).trim().split(/\r?\n/);
  const told = lines.slice(1).map((line) => line.split(';'));
  expectSame('files written back to HR', names.length, 2);
  expectSame(
    'people written back to HR',
    told.map(([employee]) => employee ?? ''),
    [CAST.adopted.id, CAST.rehired.id, ...JOINERS.map(({ id }) => id)],
  );
  expectSame('the telephone number that is written back to HR', told[0]?.[1], NEW_PHONE);
  expectSame('people without an id', told.filter(([, , id]) => !id).length, 0);
  await narrator.chapter('Back to HR');
  await narrator.output(takeExcerpt(plan, [['To hr', 4]]).lines, null);
  await narrator.say(
    `HR finds drop/to-hr/${name} with the number that ${CAST.adopted.name} typed in, and the account ids of those who joined or came back. These values are not sent again while HR takes them over:`,
  );
  await narrator.quote(lines);
}

async function expectNothingLeft({ place, shell }: Stage): Promise<void> {
  expectSame('exit code of planning once more', (await shell(['plan'])).exitCode, 4);
  const plan = await readNewestPlan(place.plans);
  expectSame('changes after the second apply', plan.counts, {});
  expectSame('records still held', Object.keys(holdsOf(plan)).length, 3);
}

async function tellNightmare(stage: Stage): Promise<void> {
  const { narrator, place } = stage;
  const people = advanceStory(buildPeople());
  const torn = tearFile(renderHrFile(people));
  const inNorway = people.filter(({ country }) => country === 'no');
  await narrator.chapter('The nightmare');
  await narrator.say('The next transfer breaks off halfway. Half the company is missing from the file:');
  await deliverSpoiled(HR_TORN, torn, place);
  const { plan: first } = await showPlan('the plan of a torn file', 4, null, stage);
  expectSame('changes of the torn file', first.counts, {});
  await narrator.say('Nobody leaves: absence counts only if a complete file proves it.');
  await narrator.chapter('The nightmare, with a complete file');
  await narrator.say('The next export is complete, but somebody left a filter on, so it has only Norway.');
  await deliverSpoiled(HR_FILTERED, renderHrFile(inNorway), place);
  const shown: readonly OutputPart[] = ['Plan', '! Guard', ['users to deactivate', 4]];
  const { plan: second } = await showPlan('the plan of a filtered export', 3, shown, stage);
  const missing = countMissing(people, inNorway);
  expectSame('changes of the filtered export', second.counts, { users: { deactivate: missing } });
  expectSame(
    'what the guard holds',
    second.guards.map(({ guard, cause, held }) => ({ guard, cause, held })),
    [{ guard: 'users.deactivate', cause: 'source shrank', held: missing }],
  );
  await narrator.say(
    'All of them need an approval (exit code 3), and the plan names the cause. The two files are removed again.',
  );
  for (const name of [HR_TORN, HR_FILTERED]) await rm(join(place.hr, name));
}

/** Number of active people who are missing in another list and would become leavers. */
function countMissing(people: readonly Employee[], stayed: readonly Employee[]): number {
  const active = (list: readonly Employee[]): number => list.filter(({ status }) => status === 'active').length;
  return active(people) - active(stayed);
}

async function deliverSpoiled(name: string, text: string, place: Workplace): Promise<void> {
  await writeFile(join(place.spoiled, name), text);
  await writeFile(join(place.hr, name), text);
}

async function tellAnswers(stage: Stage): Promise<void> {
  const { narrator } = stage;
  await narrator.chapter('Questions afterwards');
  await narrator.say(`Why is ${CAST.mover.name} in Oslo?`);
  const explained = ['user', ['Source rows', 2], 'Scope', 'Match', 'History', 'Written back'] as const;
  await runAs('the mover is explained', 0, { words: ['explain', 'user', CAST.mover.email], shown: explained }, stage);
  await narrator.chapter('The audit log');
  await narrator.say('Has anybody touched it?');
  await runAs('the audit log is intact', 0, { words: ['audit', 'verify'] }, stage);
  await narrator.chapter('The current status');
  const waiting = ['Waiting'];
  await runAs('the status is shown', 0, { words: ['status'], shown: waiting }, stage);
}

async function showPlan(
  claim: string,
  exitCode: number,
  shown: readonly OutputPart[] | null,
  stage: Stage,
): Promise<{ readonly plan: ClaimedPlan; readonly text: string }> {
  const text = await runAs(claim, exitCode, { words: ['plan'], shown }, stage);
  return { plan: await readNewestPlan(stage.place.plans), text };
}

interface ShownCommand {
  readonly words: readonly string[];
  /** The parts of the command's output that the story shows; by default all of it. */
  readonly shown?: readonly OutputPart[] | null;
}

/** Runs a command, shows its output, and returns the complete output. */
async function runAs(
  claim: string,
  exitCode: number,
  { words, shown = null }: ShownCommand,
  { narrator, shell, place }: Stage,
): Promise<string> {
  await narrator.command(words);
  const done = await shell(words);
  expectSame(`exit code of \`${words.join(' ')}\` (${claim})`, done.exitCode, exitCode);
  const number = (await readdir(place.printed)).length + 1;
  const name = `${String(number).padStart(2, '0')}-${words[0] ?? ''}.txt`;
  await writeFile(join(place.printed, name), stripVTControlCharacters(done.text));
  const { lines, left } =
    shown === null ? { lines: done.text.trimEnd().split('\n'), left: 0 } : takeExcerpt(done.text, shown);
  await narrator.output(lines, left === 0 ? null : `… ${plural(left, 'more line')} in printed/${name}`);
  return done.text;
}

function holdsOf({ held }: ClaimedPlan): Readonly<Record<string, string>> {
  return Object.fromEntries(held.map(({ key, code }) => [key, code]));
}
