import { createStyle } from '../../report/writers/style.js';
import { HR_FILTERED, HR_NEXT } from './hr-file.js';
import { quoteWord, renderHeading } from './narrator.js';
import type { DemoPages } from './pages.js';
import { CAST } from './people.js';

const FILES: readonly (readonly [string, string])[] = [
  ['talent-sync.yaml', 'the configuration, with comments'],
  ['drop/', 'files from HR and the CRM; to-hr/ has the values written back'],
  ['next/, spoiled/', "HR's next file, and the two faulty ones"],
  ['idp/users.json', 'the users of the identity provider'],
  ['printed/', 'the complete output of the commands above'],
  ['var/', 'links, journal and audit (state.db), copy of the service (mirror.db), plans'],
  ['service/account.db', "the talent service's account, kept by the sandbox"],
];

/** Suggestions with their commands, for a POSIX shell in the demo's folder. A test runs each of them. */
export const SUGGESTIONS: readonly { readonly about: string; readonly commands: readonly string[] }[] = [
  { about: 'Nothing is left to do', commands: ['./talent-sync plan'] },
  {
    about: 'Verify the configuration, the sources, the API key and its permissions',
    commands: ['./talent-sync check'],
  },
  { about: `Why is ${CAST.broken.name} held?`, commands: [`./talent-sync explain user ${CAST.broken.id}`] },
  {
    about:
      "Change someone's telephone number or title on the account's pages: the number is written back to HR, the title is corrected",
    commands: ['./talent-sync plan', './talent-sync apply', 'ls drop/to-hr'],
  },
  {
    about: `HR's next file fixes the three records: ${CAST.twice.name} has moved to Malmö. Edit it as you like`,
    commands: [`cp next/${HR_NEXT} drop/hr/`, './talent-sync plan', './talent-sync apply'],
  },
  { about: 'Who was changed last, why, and by which calls?', commands: ['./talent-sync audit list --last 3'] },
  {
    about: `The nightmare again, but ${CAST.mistyped.name} really has left: approve one, the others stay pending`,
    commands: [
      `cp spoiled/${HR_FILTERED} drop/hr/`,
      './talent-sync plan',
      `./talent-sync approve --who user:${CAST.mistyped.id} --reason 'she told us'`,
      './talent-sync apply',
    ],
  },
  { about: 'List all commands', commands: ['./talent-sync --help'] },
];

/** Lists the files and the suggested commands, which work once the services run again. */
export function renderEnding(folder: string, color: boolean): string {
  const { bold } = createStyle(color);
  return joinLines([
    renderHeading('Where everything is', color),
    '',
    ...listFiles(folder, color),
    '',
    'The services of the demo have ended with it. Start them again in one terminal:',
    ...listResuming(folder).map(bold),
    '',
    'and try the following in another one, in the same folder.',
    '',
    ...listSuggestions(color),
  ]);
}

/** Lists the running services, the files and the suggested commands. */
export function renderStaying({ folder, serviceUrl, pageOfAdopted, pages }: StayingPlace, color: boolean): string {
  const { bold } = createStyle(color);
  return joinLines([
    renderHeading('Where everything is', color),
    '',
    'The story is over, and its services keep running. Open the account in a browser:',
    `  ${bold(`${serviceUrl}/`)}  its complete content, and the calls as they arrive`,
    `  ${bold(pageOfAdopted)}  the page of ${CAST.adopted.name}, to edit`,
    '',
    'Open the operator pages to see what is pending and why, to approve, and to explain:',
    `  ${bold(`${pages.url}/login`)}  for ${pages.who}, with the token ${bold(pages.token)}`,
    '',
    ...listFiles(folder, color),
    '',
    'Try the following in another terminal:',
    bold(`  cd ${quoteWord(folder)}`),
    '',
    ...listSuggestions(color),
    '',
    'Ctrl-C here ends the services; the files stay.',
  ]);
}

export interface StayingPlace {
  readonly folder: string;
  readonly serviceUrl: string;
  readonly pageOfAdopted: string;
  readonly pages: Pick<DemoPages, 'url' | 'who' | 'token'>;
}

export function renderStopped(folder: string, color: boolean): string {
  const { bold } = createStyle(color);
  return joinLines([
    '',
    `The services have ended. Everything is in ${bold(folder)}. To continue:`,
    ...listResuming(folder).map(bold),
  ]);
}

function listFiles(folder: string, color: boolean): readonly string[] {
  const { bold } = createStyle(color);
  return [`Everything is in ${bold(folder)}`, ...FILES.map(([name, what]) => `  ${name.padEnd(18)}  ${what}`)];
}

function listResuming(folder: string): readonly string[] {
  return [`  cd ${quoteWord(folder)}`, '  ./talent-sync demo --serve .'];
}

/** How many of the suggestions need no delivery. */
const WITHOUT_DELIVERY = 4;

function listSuggestions(color: boolean): readonly string[] {
  const { bold, dim } = createStyle(color);
  const list = (suggestions: typeof SUGGESTIONS): readonly string[] =>
    suggestions.flatMap(({ about, commands }) => [
      dim(`  # ${about}`),
      ...commands.map((command) => bold(`  ${command}`)),
    ]);
  return [
    ...[renderHeading('To try', color), '', ...list(SUGGESTIONS.slice(0, WITHOUT_DELIVERY)), ''],
    ...[renderHeading('To try with further deliveries', color), '', ...list(SUGGESTIONS.slice(WITHOUT_DELIVERY))],
  ];
}

function joinLines(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

export function renderServing(serviceUrl: string, idpUrl: string, folder: string): string {
  return `talent service      ${serviceUrl}
identity provider   ${idpUrl}
Both serve the demo in ${folder}, until Ctrl-C.
`;
}
