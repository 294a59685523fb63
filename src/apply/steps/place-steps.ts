import { observeOffice } from '../../mirror/observe.js';
import { foldKey } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import { needId } from '../resolve-ids.js';
import { type CallContext, type EntityCalls, readText, type Step } from '../step.js';

export const OFFICE_CALLS: EntityCalls = { endpoints: () => ['createOffice'], build: buildOfficeSteps };

function buildOfficeSteps(change: Change, { writer, reader, directory }: CallContext): readonly Step[] {
  const country = readText(change.after.country);
  const name = readText(change.after.name);
  const id = needId(directory.countryId(country), `Country "${country}"`);
  return [
    {
      name: 'create',
      endpoint: 'createOffice',
      repeat: 'probe',
      async send() {
        const { value, requestId, status } = await writer.countries.createOffice(id, { name });
        return { observed: observeOffice(value, { id, code: country }), requestId, status };
      },
      async probe() {
        const countries = await reader.countries.list();
        const office = countries.find((c) => c.id === id)?.offices.find((o) => foldKey(o.name) === foldKey(name));
        return office === undefined ? null : observeOffice(office, { id, code: country });
      },
    },
  ];
}
