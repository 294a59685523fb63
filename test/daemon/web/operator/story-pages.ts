import { join } from 'node:path';
import { loadConfig } from '../../../../src/config/load.js';
import type { Story } from '../../../scenarios/kit.js';
import { tenant } from './facts.js';
import { type OpenedPages, openPages } from './pages.js';

/** A viewer, who sees pseudonyms, and an approver, both for `acme` only. */
export const GRANTS = (['viewer', 'approver'] as const).map((role) => ({
  role,
  who: [`${role}@example.com`],
  groups: [],
  tenants: ['acme'],
  pseudonyms: role === 'viewer',
}));

/** Pages that show the story's tenant as `acme`, at the story's time, and a tenant that nobody may see. */
export async function openStoryPages(story: Story): Promise<OpenedPages> {
  const config = loadConfig(join(story.folder, 'talent-sync.yaml'), story.env);
  const tenants = [{ ...tenant('acme'), config }, tenant('globex')];
  const pages = await openPages({ settings: { grants: GRANTS }, tenants });
  pages.clock.advance(story.clock.now() - pages.clock.now());
  return pages;
}

/** Headers of a browser in which `viewer@example.com` or `approver@example.com` is logged in. */
export function headersOf(
  pages: OpenedPages,
  who: string,
): { readonly authorization: string; readonly accept: string } {
  return { authorization: `Bearer ${pages.giveToken(`${who}@example.com`)}`, accept: 'text/html' };
}
