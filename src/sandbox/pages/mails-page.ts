import { html, value } from '../../report/writers/page/html-text.js';
import { renderButton } from './form-fields.js';
import { cutPart, PAGE_SIZE, readFrom, renderPager, renderTable } from './lists.js';
import type { PageRoute } from './page.js';
import { formatTime } from './words.js';

const REASONS = {
  created: 'welcome: the user was created',
  reactivated: 'the user is active again',
  email_changed: 'the e-mail changed',
  linked: 'a reference project was put on the CV',
} as const;

export const MAILS_PAGE: PageRoute = {
  path: '/mails',
  show: (page) => {
    const { mails } = page.world.store;
    const from = readFrom(page);
    const part = cutPart(
      mails.find('ORDER BY at DESC, id LIMIT ? OFFSET ?', [PAGE_SIZE + 1, from]),
      from,
      mails.count(''),
    );
    const rows = part.shown.map(({ to, at, reason }) => [
      value(to),
      html`${REASONS[reason]}`,
      html`<time>${formatTime(at)}</time>`,
    ]);
    const columns = ['To', 'Reason', 'At'].map((name) => ({ name }));
    return {
      title: 'Mails',
      under: '/mails',
      lead: html`Mails that the service would have sent, newest first. The sandbox sends none.`,
      body: html`${renderPager(page, part, 'mails')}${rows.length === 0 ? null : html`${renderTable(columns, rows)}${renderButton('clear', 'Clear all mails')}`}`,
    };
  },
  actions: {
    clear: ({ world }) => world.store.write(() => world.store.mails.clear()),
  },
};
