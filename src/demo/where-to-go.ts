import { createStyle } from '../report/writers/style.js';
import { HR_FILTERED } from './hr-file.js';
import { quoteWord } from './narrator.js';
import { CAST } from './people.js';

const FILES: readonly (readonly [string, string])[] = [
  ['talent-sync.yaml', 'the configuration, with comments'],
  ['drop/', 'what HR and the CRM delivered, to-hr/ what was written back; spoiled/ has the two files that went wrong'],
  ['idp/users.json', 'what the identity provider lists'],
  ['var/', 'links, journal and audit (state.db), copy of the service (mirror.db), plans'],
  ['service/account.db', "the talent service's account, kept by the sandbox"],
];

/** What to try, and the commands for it, for a POSIX shell in the demo's folder. The test runs each of them. */
export const SUGGESTIONS: readonly { readonly about: string; readonly commands: readonly string[] }[] = [
  { about: 'Nothing is left to do; edit a row of drop/hr and plan again', commands: ['./talent-sync plan'] },
  { about: 'Configuration, sources, key and rights, as far as reading proves them', commands: ['./talent-sync check'] },
  { about: `Why is ${CAST.broken.name} held?`, commands: [`./talent-sync explain user ${CAST.broken.id}`] },
  { about: 'Who was changed last, why, and by which calls?', commands: ['./talent-sync audit list --last 3'] },
  {
    about: `The nightmare again, but ${CAST.mistyped.name} really has left: one approved, the others wait`,
    commands: [
      `cp spoiled/${HR_FILTERED} drop/hr/`,
      './talent-sync plan',
      `./talent-sync approve --who user:${CAST.mistyped.id} --reason 'she told us'`,
      './talent-sync apply',
    ],
  },
  { about: 'All there is', commands: ['./talent-sync --help'] },
];

/** Where everything lies, and the commands to try: each works as it stands, once the services run again. */
export function renderEnding(folder: string, color: boolean): string {
  const { bold, dim } = createStyle(color);
  const lines = [
    `Everything is in ${bold(folder)}`,
    ...FILES.map(([name, what]) => `  ${name.padEnd(18)}  ${what}`),
    '',
    'The services of the demo have ended with it. Start them again in one terminal:',
    bold(`  cd ${quoteWord(folder)}`),
    bold('  ./talent-sync demo --serve .'),
    '',
    'and try in another one, in the same folder:',
    ...SUGGESTIONS.flatMap(({ about, commands }) => [
      dim(`  # ${about}`),
      ...commands.map((command) => bold(`  ${command}`)),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

export function renderServing(serviceUrl: string, idpUrl: string, folder: string): string {
  return `talent service      ${serviceUrl}
identity provider   ${idpUrl}
Both serve the demo in ${folder}, until Ctrl-C.
`;
}
