import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openReceiver, type Receiver } from '../operations/notify/receiver.js';
import { CRM, HOUR, person } from './company.js';
import { openDelivery } from './delivered.js';
import type { Story } from './kit.js';
import { deliver, edit, followRemedies, type Step, staff, type } from './remedies.js';

const DAY = 24 * HOUR;
const promote: Step = deliver(edit('E2', { title: 'Lead' }));

async function openReport(): Promise<Story> {
  const { story, report } = await openDelivery();
  report({ people: { type: 'user_report' } });
  return story;
}

/** Undoes the run that gave E2 a title. */
async function undoTitle(story: Story): Promise<void> {
  await promote(story);
  await story.undo((await story.sync()).json.run);
}

async function refuseTwice(story: Story): Promise<void> {
  await deliver(edit('E2', { email: 'e2@elsewhere.org' }))(story);
  for (let times = 0; times < 2; times++) await story.sync();
}

/** Undoes the run after a colleague has changed the title again. */
async function undoMoved(story: Story): Promise<void> {
  await promote(story);
  const { run } = (await story.sync()).json;
  await story.editUser('E2', { title: { en: 'Boss' } });
  await story.undo(run);
}

const CUSTOMERS = '/api/v2/company/cv/customers';
const acme = { id: 'C1', name: 'Acme' };

/** Undoes the run that created a customer, after a colleague has added a project to it. */
async function undoFilled(story: Story): Promise<void> {
  story.deliverCompanies([acme, { id: 'C2', name: 'Beta' }]);
  const { run } = (await story.sync()).json;
  const { id } = (await story.others('GET', `${CUSTOMERS}/find?external_unique_id=C2`)) as { readonly id: string };
  const company_project = { external_unique_id: 'X1', project_name: { en: 'Dam' } };
  await story.others('POST', `${CUSTOMERS}/${id}/projects`, { company_project });
  await story.undo(run);
}

const receivers = new WeakMap<Story, Receiver>();

/** Undoes again the run that the last undo concerned. */
async function undoAgain(story: Story): Promise<void> {
  const { runs } = (await story.runs()).json;
  await story.undo(runs[runs.findIndex(({ command }) => command === 'undo') + 1]?.id);
}

followRemedies({
  'a change that the service rejects': {
    begin: deliver(edit('E2', { email: 'e2@elsewhere.org' })),
    waits: 'refused',
    remedy: /Correct the value in the source or the mapping/,
    follow: deliver(staff),
  },
  'a change that the service rejects repeatedly': {
    begin: refuseTwice,
    waits: 'SYNC_CHANGE_PAUSED',
    remedy: /Correct the value in the source or the mapping/,
    follow: deliver(staff),
  },
  'a change that an operator has undone': {
    begin: undoTitle,
    waits: 'undone',
    remedy: /`talent-sync undo --unpin user:E2`/,
    follow: 'undo --unpin',
  },
  'a link that an operator has removed': {
    begin: (story) => story.type('unlink', 'users', 'E2'),
    waits: 'undone',
    remedy: /`talent-sync undo --unpin user:E2`/,
    follow: 'undo --unpin',
  },
  'a joiner who starts later': {
    settings: {
      sources: { hr: { columns: { rank: { type: 'date', optional: true } } } },
      users: { joiner: { start: 'record.?rank' } },
    },
    begin: (story) =>
      deliver([...staff, person('N1', { rank: new Date(story.clock.now() + 9 * DAY).toISOString().slice(0, 10) })])(
        story,
      ),
    waits: 'joiner',
    remedy: /No action needed: the account is created in time/,
    follow: (story) => story.clock.advance(10 * DAY),
  },
  'a read that the service rejects': {
    begin: (story) =>
      void story.sandbox.faults.add({
        kind: 'status',
        status: 403,
        method: 'GET',
        path: '/api/v1/countries',
        times: 100,
      }),
    waits: 'SYNC_SERVICE_FORBIDDEN',
    remedy: /Give the key the permission to read/,
    follow: (story) => void story.sandbox.faults.clear(),
  },
  'approved changes': {
    settings: { users: { leaver: { after_missing_reads: 1 } } },
    begin: async (story) => {
      await deliver(staff.slice(0, 5))(story);
      await story.sync();
      await story.approve({ guard: 'users.deactivate' });
    },
    look: 'plan',
    waits: 'approved',
    remedy: /`talent-sync sync`/,
    follow: 'sync',
  },
  'an undo that finds a newer value': {
    begin: undoMoved,
    waits: 'SYNC_UNDO_MOVED',
    remedy: /If the newer value is wrong, change it in the service or in the source/,
    follow: async (story) => {
      await story.editUser('E2', { title: { en: 'Lead' } });
      await undoAgain(story);
    },
    leaves: ['undone'],
  },
  'an undo of a customer that has a project by now': {
    settings: CRM,
    first: (story) => {
      story.deliver(staff);
      story.deliverCompanies([acme]);
      story.deliverDeals([{ id: 'D1', customer: 'C1', name: 'Move' }]);
    },
    begin: undoFilled,
    waits: 'SYNC_UNDO_IMPOSSIBLE',
    remedy: /Empty the customer first, then repeat the undo/,
    follow: async (story) => {
      const found = await story.others('GET', '/api/v2/company/cv/projects/find?external_unique_id=X1');
      const { id, company_customer_id: of } = found as { readonly id: string; readonly company_customer_id: string };
      await story.others('DELETE', `${CUSTOMERS}/${of}/projects/${id}`);
      await undoAgain(story);
    },
    leaves: ['undone'],
  },
  'a channel that takes no messages': {
    settings: { users: { leaver: { after_missing_reads: 1 } } },
    begin: async (story) => {
      const receiver = await openReceiver();
      receiver.status = 500;
      story.configure({ notify: { channels: { ops: receiver.channel } } });
      await deliver(staff.slice(0, 5))(story);
      await story.sync();
      story.clock.advance(2 * HOUR);
      receivers.set(story, receiver);
    },
    waits: 'channel',
    remedy: /`talent-sync notify test --channel ops` shows the answer\. Pending messages are sent again within an hour/,
    follow: async (story) => {
      const receiver = receivers.get(story);
      if (receiver !== undefined) receiver.status = 200;
      story.clock.advance(HOUR);
      await type(story, '`talent-sync notify test --channel ops`', 'notify');
    },
    leaves: ['users.deactivate', 'people_missing'],
  },
  'a report that cannot be delivered': {
    open: openReport,
    begin: (story) => {
      rmSync(join(story.folder, 'out'), { recursive: true });
      story.clock.advance(DAY);
    },
    waits: 'SYNC_SOURCE_MISSING',
    remedy: /Create the folder/,
    follow: (story) => void mkdirSync(join(story.folder, 'out')),
  },
});
