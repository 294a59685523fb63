import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HEADER, HOUR, line, person } from './company.js';
import type { Story } from './kit.js';
import { deliver, edit, followRemedies, jane, staff } from './remedies.js';

const deliverOld = async (story: Story): Promise<void> => {
  story.deliver(edit('E3', { status: 'left' }));
  await story.sync();
  story.clock.advance(96 * HOUR);
  story.deliver(staff);
};
const deliverOther = (story: Story): unknown =>
  story.deliver(staff.map(({ id = '' }) => person(`X${id}`, { email: `x${id}@example.com` })));
const nameInLatin = ({ folder }: Story): Buffer =>
  Buffer.concat([Buffer.from(join(folder, 'drop', 'hr', 'employees-99-M')), Buffer.from('\xfcller.csv', 'latin1')]);
const AT_ONCE = { leaver: { after_missing_reads: 1 } };
const PASSED = { guards: { users: { create: 'off', deactivate: 'off', relink: 'off' } } } as const;

followRemedies({
  'a row that cannot be read': {
    begin: (story) => story.deliverText(`${[HEADER, ...staff.slice(1).map(line), 'E1;Jane'].join('\n')}\n`),
    waits: 'SYNC_ROW_FIELDS',
    remedy: /./,
    follow: deliver(staff),
  },
  'a row without a key': {
    begin: deliver(edit('E2', { id: '' })),
    waits: 'SYNC_ROW_KEY',
    remedy: /Give the row its id in the source/,
    follow: deliver(staff),
  },
  'an incomplete read because of a row without a key': {
    begin: deliver(edit('E2', { id: '', first: '', last: '', email: '' })),
    waits: 'incomplete',
    remedy: /Deliver it completely/,
    follow: deliver(staff),
  },
  'a cell of another type': {
    settings: { sources: { hr: { columns: { rank: { type: 'date', optional: true } } } } },
    begin: deliver(edit('E2', { rank: 'soon' })),
    waits: 'SYNC_ROW_CELL',
    remedy: /Correct the cell in the source, or declare .*`optional: true`/,
    follow: deliver(staff),
  },
  'a secret in a cell': {
    begin: (story) => {
      story.env.IDP_TOKEN = 'a-key-of-more-than-twelve-characters';
      story.configure({ sources: { idp: { type: 'scim-push', tokens: [{ env: 'IDP_TOKEN' }], key: 'externalId' } } });
      return deliver(edit('E2', { title: story.env.IDP_TOKEN }))(story);
    },
    waits: 'SYNC_ROW_SECRET',
    remedy: /Remove it from the source/,
    follow: deliver(staff),
  },
  'two rows with one key': {
    begin: deliver([...staff, person('E2', { title: 'Lead', rank: '2' })]),
    waits: 'SYNC_MAP_DUPLICATE_KEY',
    remedy: /`prefer` on the source/,
    follow: (story) => story.configure({ sources: { hr: { prefer: 'record.?rank.orValue("")' } } }),
  },
  'an expression that fails on a record': {
    settings: { users: { fields: { title: { en: 'string(int(record.?rank.orValue("1")))' } } } },
    begin: deliver(edit('E2', { rank: 'first' })),
    waits: 'SYNC_MAP_EXPRESSION',
    remedy: /./,
    follow: deliver(edit('E2', { rank: '2' })),
  },
  'a value that its field does not take': {
    begin: deliver(edit('E2', { email: 'nowhere' })),
    waits: 'SYNC_MAP_VALUE',
    remedy: /./,
    follow: deliver(staff),
  },
  'a file with another header': {
    begin: (story) => story.deliverText('number;name\nE1;Jane\n'),
    waits: 'SYNC_SOURCE_HEADER',
    remedy: /./,
    follow: deliver(staff),
  },
  'a file that came later but sorts first': {
    begin: (story) => {
      story.clock.advance(12 * HOUR);
      writeFileSync(
        join(story.folder, 'drop', 'hr', 'employees-00.csv'),
        `${[HEADER, ...staff.map(line)].join('\n')}\n`,
      );
    },
    waits: 'overlooked',
    remedy: /Specify with `newest` which file is the newest/,
    follow: (story) => story.configure({ sources: { hr: { newest: 'modified' } } }),
  },
  'a file whose name cannot be read': {
    begin: (story) => writeFileSync(nameInLatin(story), ''),
    waits: 'unreadable_names',
    remedy: /Rename the files/,
    follow: (story) => renameSync(nameInLatin(story), join(story.folder, 'drop', 'hr', 'notes.txt')),
  },
  'the same content for too long': {
    settings: { sources: { hr: { stale_after: '2d' } } },
    begin: (story) => story.clock.advance(72 * HOUR),
    waits: 'stale',
    remedy: /Check that its export still runs/,
    follow: deliver(edit('E2', { title: 'Lead' })),
  },
  'missing people who are really gone': {
    begin: deliver(staff.slice(0, 7)),
    waits: 'people_missing',
    remedy: /deliver it again; if these people are really gone, `talent-sync holds ack \w+ --reason "…"`/,
    follow: 'holds ack',
  },
  'missing people in a truncated file': {
    begin: deliver(staff.slice(0, 7)),
    waits: 'people_missing',
    remedy: /deliver it again/,
    follow: deliver(staff),
  },
  'an old file': {
    begin: deliverOld,
    waits: 'sources.hr.older_content',
    remedy: /If it corrects the delivery of .*, `talent-sync approve --guard .*` uses it\. If an old file arrived/,
    follow: 'approve --guard sources.hr.older_content:',
  },
  'an old file that is declined': {
    begin: deliverOld,
    waits: 'sources.hr.older_content',
    remedy: /keeps it out until the right one is delivered/,
    follow: 'decline --guard sources.hr.older_content:',
    leaves: ['declined'],
  },
  'an old file, followed by the right one': {
    begin: deliverOld,
    waits: 'sources.hr.older_content',
    remedy: /until the right one is delivered/,
    follow: deliver(edit('E3', { status: 'left', title: 'Lead' })),
  },
  'a truncated file under `shrink`': {
    begin: (story) => {
      story.configure({ sources: { hr: { shrink: { percent: 20 } } } });
      story.deliver(staff.slice(0, 7));
    },
    waits: 'sources.hr.shrink',
    remedy: /talent-sync approve --guard sources\.hr\.shrink:\w+ --reason "…"/,
    follow: 'approve',
    leaves: ['people_missing'],
  },
  "another tenant's file": {
    begin: deliverOther,
    waits: 'sources.hr.another_tenant',
    remedy: /./,
    follow: deliver(edit('E2', { title: 'Lead' })),
  },
  "a file that resembles another tenant's, but is right": {
    settings: { ...PASSED, users: AT_ONCE },
    begin: deliverOther,
    waits: 'sources.hr.another_tenant',
    remedy: /`talent-sync approve --guard sources\.hr\.another_tenant:\w+ --reason "…"`/,
    follow: 'approve',
  },
  'keys that a spreadsheet has written': {
    settings: PASSED,
    first: deliver([person('00012'), person('00013'), ...staff]),
    begin: deliver([{ ...person('00012'), id: '12' }, { ...person('00013'), id: '13' }, ...staff]),
    waits: 'sources.hr.keys_reformatted',
    remedy: /`talent-sync approve --guard sources\.hr\.keys_reformatted:\w+ --reason "…"`/,
    follow: 'approve',
  },
  'two rows of one person that both stay': {
    begin: deliver([...staff, { ...jane, id: 'N1' }]),
    waits: 'SYNC_MATCH_CLAIMED',
    remedy: /the same: `talent-sync link users N1 \w+`; if not, correct the/,
    follow: 'link users N1',
  },
  'two rows of one person, one under a key with a blank': {
    begin: deliver([...staff, { ...jane, id: 'N 1' }]),
    waits: 'SYNC_MATCH_CLAIMED',
    remedy: /the same: `talent-sync link users 'N 1' \w+`/,
    follow: 'link users',
  },
  'two rows of two people with one address': {
    begin: deliver([...staff, { ...person('N1'), email: 'jane@example.com' }]),
    waits: 'SYNC_MATCH_CLAIMED',
    remedy: /if not, correct the source/,
    follow: deliver([...staff, person('N1')]),
  },
  'a leaver whom a joiner resembles': {
    begin: deliver([...edit('E1', { status: 'left' }), { ...jane, id: 'N1', last: 'Roe' }]),
    waits: 'SYNC_MATCH_CLAIMED',
    remedy: /talent-sync link users N1 \w+/,
    follow: 'link users N1',
  },
  'a leaver and a joiner who are two people': {
    begin: deliver([...edit('E1', { status: 'left' }), { ...jane, id: 'N1', email: 'jane.doe@example.com' }]),
    waits: 'SYNC_PROBABLE_SAME_PERSON',
    remedy: /two, `talent-sync holds resolve user:N1 --new --reason "…"/,
    follow: 'holds resolve user:N1 --new',
  },
  'two people, the joiner under a key with a blank': {
    begin: deliver([...edit('E1', { status: 'left' }), { ...jane, id: 'N 1', email: 'jane.doe@example.com' }]),
    waits: 'SYNC_PROBABLE_SAME_PERSON',
    remedy: /two, `talent-sync holds resolve 'user:N 1' --new /,
    follow: "holds resolve 'user:N 1' --new",
  },
  'a leaver and a joiner who are one person': {
    begin: deliver([...edit('E1', { status: 'left' }), { ...jane, id: 'N1', email: 'jane.doe@example.com' }]),
    waits: 'SYNC_PROBABLE_SAME_PERSON',
    remedy: /one person, `talent-sync holds resolve user:N1 --same --reason "…"/,
    follow: 'holds resolve user:N1 --same',
  },
  'a person who returns under another key': {
    settings: PASSED,
    begin: async (story) => {
      await deliver(edit('E1', { status: 'left' }))(story);
      await story.sync();
      await deliver([...edit('E1', { status: 'left' }), { ...jane, id: 'N1', email: 'j.doe@example.com' }])(story);
    },
    waits: 'SYNC_PROBABLE_SAME_PERSON',
    remedy: /one person, `talent-sync holds resolve user:N1 --same --reason "…"/,
    follow: 'holds resolve user:N1 --same',
  },
});
