import * as z from 'zod';
import { ENTITIES } from '../../../../model/entity.js';
import { Hold } from './schemas.js';

/* Documents about one person or object. */

const time = z.string().meta({ format: 'date-time' });
const orNull = <T extends z.ZodType>(of: T) => of.nullable();
const list = <T extends z.ZodType>(of: T) => z.array(of).readonly();

export const ShownObject = z.object({
  entity: z.enum(ENTITIES),
  key: orNull(z.string()).describe('Null for an object of the service that no record names.'),
  id: orNull(z.string()).describe('In the service.'),
  label: orNull(z.string()),
  active: orNull(z.boolean()).describe('In the service; null if it is not there.'),
  record: orNull(
    z.object({
      source: z.string(),
      state: z.string(),
      starts: orNull(time),
      left: orNull(z.string()).describe('The last day of a leaver, if the source has it.'),
    }),
  ),
  values: list(
    z.object({
      field: z.string(),
      wanted: orNull(z.string()),
      service: orNull(z.string()),
      owner: z.enum(['source', 'service', 'newest']).describe('The side whose value counts.'),
      same: z.boolean(),
    }),
  ).describe('Every managed value on both sides, those that differ first.'),
  plan: orNull(z.string()).describe('The newest complete plan.'),
  planned: list(
    z.object({
      id: z.string(),
      action: z.string(),
      fields: list(z.string()),
      withheld: orNull(z.object({ by: z.string(), name: z.string() })).describe('Null if a run makes the change.'),
      since: orNull(
        z.object({ kind: z.enum(['approved', 'half approved', 'declined', 'done']), text: z.string() }),
      ).describe('Decision or result since the plan.'),
    }),
  ),
  holds: list(
    Hold.extend({
      decision: orNull(
        z.object({ winner: z.enum(['source', 'service']), who: z.string(), reason: z.string(), at: time }),
      ).describe('The decision on a conflict, until a run carries it out.'),
    }),
  ),
  declines: list(
    z.object({ id: z.string(), path: z.string(), who: z.string(), reason: z.string(), until: orNull(time) }),
  ),
  pins: list(z.object({ path: z.string(), run: z.string(), at: time })).describe(
    'Undone values that no run writes again.',
  ),
});

export const ErasurePreview = z.object({
  names: list(z.string()).describe('Send one of them to confirm.'),
  emails: list(z.string()).describe('If no name is known, send one of these.'),
  lines: list(z.string()).describe('Everything that would be erased, and warnings for the operator.'),
  first: orNull(z.string()).describe('The first of two people, once that person has requested the erasure.'),
});
export const GivenErasure = z.object({
  erasure: orNull(z.string()).describe('Null while a second person has to confirm the erasure.'),
  lines: list(z.string()),
  left: z.int().describe('Files that contain the person and must be deleted by hand.'),
});

export const ReleasedPins = z.object({
  unpinned: list(
    z.object({
      entity: z.enum(ENTITIES),
      key: z.string(),
      path: z.string(),
      undone: z.string().describe('The run that was undone.'),
      run: z.string().describe('The run that undid it.'),
      at: time,
    }),
  ),
  who: z.string(),
  reason: z.string(),
});
