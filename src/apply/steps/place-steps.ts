import { observeCountry, observeOffice } from '../../mirror/observe.js';
import { textOf } from '../../model/json.js';
import { foldKey, type Observed } from '../../model/observed.js';
import type { Change } from '../../model/plan.js';
import type { CountryCreate, CountryFields, OfficeFields } from '../../service/countries.js';
import type { WireCountry } from '../../service/wire.js';
import { needId, resolveReference } from '../resolve-ids.js';
import { type ActionEndpoints, type CallContext, type EntityCalls, type Step, sendDeletion } from '../step.js';

/** The service deletes no country (spec, Countries and offices). */
export const COUNTRY_CALLS: EntityCalls = {
  endpoints: ({ action }) => [action === 'create' ? 'createCountry' : 'updateCountry'],
  build: buildCountrySteps,
};

const OFFICE_ENDPOINTS: ActionEndpoints = { create: 'createOffice', delete: 'deleteOffice' };

export const OFFICE_CALLS: EntityCalls = {
  endpoints: ({ action }) => [OFFICE_ENDPOINTS[action] ?? 'updateOffice'],
  build: (change, context) => [buildOfficeStep(change, context)],
};

type Find = (country: WireCountry) => Observed | undefined;

/** The one list of all countries with their offices: what every look after a lost answer reads. */
async function look({ reader }: CallContext, find: Find): Promise<Observed | null> {
  for (const country of await reader.countries.list()) {
    const found = find(country);
    if (found !== undefined) return found;
  }
  return null;
}

function buildCountrySteps({ after, target }: Change, context: CallContext): readonly Step[] {
  const { writer } = context;
  const fields = after as CountryFields;
  if (target === null) {
    const code = foldKey(textOf(after.code));
    return [
      {
        name: 'create',
        endpoint: 'createCountry',
        repeat: 'probe',
        seenBy: 'listCountries',
        async send() {
          const { value, requestId, status } = await writer.countries.create(fields as CountryCreate);
          return { observed: observeCountry(value), requestId, status };
        },
        probe: () => look(context, (one) => (foldKey(one.code) === code ? observeCountry(one) : undefined)),
      },
    ];
  }
  const probe = (): Promise<Observed | null> =>
    look(context, (one) => (one.id === target ? observeCountry(one) : undefined));
  return [
    {
      name: 'update',
      endpoint: 'updateCountry',
      repeat: 'idempotent',
      seenBy: 'listCountries',
      async send() {
        const { value, requestId, status } = await writer.countries.update(target, fields);
        const observed = value === null ? await probe() : observeCountry(value);
        return { observed: needId(observed, 'The country'), requestId, status, answered: value !== null };
      },
      probe,
    },
  ];
}

function findOffice(matches: (office: WireCountry['offices'][number], country: WireCountry) => boolean): Find {
  return (country) => {
    const office = country.offices.find((one) => matches(one, country));
    return office === undefined ? undefined : observeOffice(office, country);
  };
}

function buildOfficeStep(change: Change, context: CallContext): Step {
  const { target } = change;
  if (target === null) return buildOfficeCreate(change, context);
  return change.action === 'delete' ? buildOfficeDeletion(target, context) : buildOfficeUpdate(change, target, context);
}

function buildOfficeCreate({ after }: Change, context: CallContext): Step {
  const { writer, directory } = context;
  const { country: _country, ...fields } = after;
  const code = textOf(after.country);
  const name = textOf(after.name);
  const id = resolveReference('countries', after.country, directory);
  return {
    name: 'create',
    endpoint: 'createOffice',
    repeat: 'probe',
    seenBy: 'listCountries',
    async send() {
      const { value, requestId, status } = await writer.countries.createOffice(id, {
        ...(fields as OfficeFields),
        name,
      });
      return { observed: observeOffice(value, { id, code }), requestId, status };
    },
    probe: () =>
      look(
        context,
        findOffice((one, country) => country.id === id && foldKey(one.name) === foldKey(name)),
      ),
  };
}

function buildOfficeUpdate({ after }: Change, target: string, context: CallContext): Step {
  const { writer, mirrored } = context;
  const probe = (): Promise<Observed | null> =>
    look(
      context,
      findOffice(({ id }) => id === target),
    );
  return {
    name: 'update',
    endpoint: 'updateOffice',
    repeat: 'idempotent',
    seenBy: 'listCountries',
    async send(previous) {
      const { values } = needId(previous ?? mirrored('offices', target), 'The office');
      const country = { id: textOf(values.country_id), code: textOf(values.country) };
      const { value, requestId, status } = await writer.countries.updateOffice(
        country.id,
        target,
        after as OfficeFields,
      );
      const observed = value === null ? await probe() : observeOffice(value, country);
      return { observed: needId(observed, 'The office'), requestId, status, answered: value !== null };
    },
    probe,
  };
}

/** Refused with 400 while somebody is in it: then the office stays, and is tried again in the next run. */
function buildOfficeDeletion(target: string, context: CallContext): Step {
  const { writer, mirrored } = context;
  return {
    name: 'delete',
    endpoint: 'deleteOffice',
    repeat: 'probe',
    seenBy: 'listCountries',
    deletes: true,
    send: () =>
      sendDeletion(() => writer.countries.deleteOffice(textOf(mirrored('offices', target)?.values.country_id), target)),
    probe: () =>
      look(
        context,
        findOffice(({ id }) => id === target),
      ),
  };
}
