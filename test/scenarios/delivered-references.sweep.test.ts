import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { person } from './company.js';
import { DAY, dailyAt } from './delivered.js';
import { openStory } from './kit.js';

interface Created {
  readonly id: string;
}

it('delivers references as documents when they or their customer changed', async () => {
  const story = await openStory();
  const out = join(story.folder, 'out');
  mkdirSync(out);
  story.deliver([person('E1')]);
  const customers = '/api/v2/company/cv/customers';
  const customer = (await story.others('POST', `${customers}?use_legacy_codes=false`, {
    company_customer: { external_unique_id: 'C1', customer_name: { en: 'Fjord/Power' } },
  })) as Created;
  const projects = `${customers}/${customer.id}/projects`;
  const create = async (name: string, stage: string): Promise<string> =>
    (
      (await story.others('POST', `${projects}?use_legacy_codes=false`, {
        company_project: { project_name: { en: name }, workflow_stage: stage },
      })) as Created
    ).id;
  const [dam] = [await create('Dam', 'live'), await create('Tunnel', 'live'), await create('Secret', 'draft')];
  const [country] = (await story.others('GET', '/api/v1/countries?use_legacy_codes=false')) as {
    readonly cv_template_id?: string;
    readonly default_template_id?: string;
  }[];
  const template = country?.cv_template_id ?? country?.default_template_id ?? 'standard';
  story.configure({
    deliveries: {
      references: {
        kind: 'reference_documents',
        format: 'docx',
        language: 'en',
        template,
        filter: { stage: 'live' },
        schedule: dailyAt(story.clock.now() + DAY / 2),
        deliver: { drop: './out', name: '{customer} - {name}.docx' },
      },
    },
  });
  const files = (): readonly string[] =>
    readdirSync(out)
      .filter((name) => name.endsWith('.docx'))
      .sort();
  const nextDay = async () => {
    story.clock.advance(DAY);
    return story.sync();
  };
  await story.sync();
  expect(files()).toEqual([]);
  const first = await nextDay();
  expect(first).toMatchObject({
    code: 0,
    json: { deliveries: [{ of: 'reference documents', documents: { delivered: 2, left: 0 } }] },
  });
  expect(files()).toEqual(['Fjord_Power - Dam.docx', 'Fjord_Power - Tunnel.docx']);
  expect((await nextDay()).json.deliveries).toBeUndefined();

  await story.others('PUT', `${projects}/${dam}?use_legacy_codes=false`, {
    company_project: { project_introduction: { en: 'High and old' } },
  });
  expect((await nextDay()).json.deliveries).toMatchObject([{ documents: { delivered: 1 }, files: [{ target: dam }] }]);

  await story.others('PUT', `${customers}/${customer.id}?use_legacy_codes=false`, {
    company_customer: { customer_name: { en: 'Fjord' } },
  });
  expect((await nextDay()).json.deliveries).toMatchObject([{ documents: { delivered: 2 } }]);
  expect(files()).toEqual(['Fjord - Dam.docx', 'Fjord - Tunnel.docx']);
});
