import * as z from 'zod';
import { ROLES } from '../../../../config/access/roles.js';
import { ACTIONS, ENTITIES } from '../../../../model/entity.js';
import { WAITING_KINDS } from '../../../../model/waiting.js';

/* The documents of the API, in the form that the commands print. A type test compares each with the result of its operation. */

const time = z.string().meta({ format: 'date-time' });
const orNull = <T extends z.ZodType>(of: T) => of.nullable();
const list = <T extends z.ZodType>(of: T) => z.array(of).readonly();
/** A part that other pages of the documentation describe: values of a configuration, a row of a source. */
const open = z.unknown();
const openObject = z.record(z.string(), z.unknown()).readonly();

const Problem = z.object({
  place: z.string(),
  message: z.string(),
  remedy: z.string().exactOptional(),
  excerpt: open.exactOptional(),
});

/** An error in the form of RFC 9457, plus the fields of a command's error. */
export const Refusal = z.object({
  title: z.string(),
  status: z.int(),
  detail: z.string().describe('What happened.'),
  code: z.string().describe('As docs/reference/errors.md lists them.'),
  place: z.string().exactOptional(),
  remedy: z.string().describe('The next step.'),
  problems: list(Problem).exactOptional(),
});

export const Acknowledgement = z.object({ who: z.string(), reason: z.string(), until: orNull(time), at: time });

export const Pause = z.object({ at: time, until: time, by: z.string(), reason: z.string() });
export const UnderWay = z.object({
  holder: z.string(),
  since: orNull(time),
  stage: orNull(z.string()),
  stage_since: orNull(time),
});

export const Run = z.object({
  id: z.string(),
  command: z.string(),
  started_at: time,
  ended_at: orNull(time),
  exit_code: orNull(z.int()),
  plan: orNull(z.string()),
  result: orNull(openObject).describe(
    'The final document; null if the run did not end, or if the document is no longer stored.',
  ),
  under_way: UnderWay.exactOptional(),
});
export const RunList = z.object({ runs: list(Run) });

export const Waiting = z.object({
  id: z.string().describe('The id to use in an acknowledgement.'),
  kind: z.enum(WAITING_KINDS),
  of: z.string(),
  count: z.int(),
  cause: z.string(),
  resolve: z.string(),
  code: orNull(z.string()),
  since: orNull(time),
  until: orNull(time),
  keys: list(z.string()),
  label: z.string().exactOptional().describe('The name of the only record, if it is known.'),
  acknowledged: Acknowledgement.exactOptional(),
  approved_by: z.string().exactOptional().describe('For changes that need two people: the first approver.'),
});

const GuardPreview = z.object({
  before: orNull(z.int()),
  now: z.int(),
  paths: list(z.string()),
  run: orNull(z.string()),
  unknown: z.string().exactOptional(),
});

const GuardTrip = z.object({
  guard: z.string(),
  limit: z.number(),
  found: z.number(),
  cause: z.string(),
  detail: z.string(),
  held: z.int(),
  fields: list(z.string()).exactOptional(),
  earlier: z.object({ changes: z.int(), runs: list(z.string()) }).exactOptional(),
  remedy: z.string().exactOptional(),
  id: z.string().exactOptional(),
  acknowledged: Acknowledgement.exactOptional(),
  declined: z
    .object({ id: z.string(), who: z.string(), reason: z.string(), at: time, until: orNull(time) })
    .exactOptional(),
  preview: GuardPreview.exactOptional(),
});

const Delivery = z.object({
  report: z.string(),
  of: z.string(),
  last: orNull(time),
  files: list(z.object({ at: z.string(), rows: orNull(z.int()), bytes: z.int() })),
  next: orNull(time),
  due: z.boolean(),
  documents: z
    .object({ listed: orNull(z.int()), delivered: z.int(), left: orNull(z.int()), failing: z.int() })
    .exactOptional(),
  failed: z
    .object({
      code: z.string(),
      message: z.string(),
      place: orNull(z.string()),
      remedy: z.string(),
      since: orNull(time),
    })
    .exactOptional(),
});

const LinkedRecord = z.object({
  run: z.string().describe('The run that linked the record; `undo` undoes it.'),
  entity: z.string(),
  key: z.string(),
  id: z.string(),
  label: z.string(),
  from: orNull(z.string()),
});

export const GivenAnswer = z.object({
  answer: z.enum(['same', 'new']),
  guards: list(z.string()),
  approval: z.string(),
  plan: z.string(),
  answered: z.int(),
  waiting_for_second: z.int(),
  left_open: list(z.string()).describe('Holds that name several objects, which need separate answers.'),
  linked: list(LinkedRecord),
  run: orNull(z.string()).describe('The run that linked records, if any; `undo` undoes it.'),
  who: z.string(),
  reason: z.string(),
  expires: time,
});

/** The steps of a run, in order. Each has the same content as in `explain --json`. */
const Steps = z.object({
  sources: list(z.object({ place: z.string(), values: z.record(z.string(), z.string()).readonly() })),
  scope: open,
  leaver: open,
  joiner: open,
  doubtful: open,
  fields: list(open),
  desired: open,
  correlation: open,
  mirror: open,
  base: open,
  named_in: orNull(z.string()),
  absence: open,
  departure: open,
  pins: list(open),
  declined: list(open),
  held: list(open),
  history: list(open),
  starts: orNull(z.object({ first_day: z.string(), from: z.string() })),
  left_alone: orNull(z.string()),
  setting: orNull(z.string()).describe('The setting that decides whether it leaves.'),
  unverifiable: list(z.string()),
  action: open,
  guard: orNull(z.object({ by: z.string(), name: z.string(), detail: z.string().exactOptional() })),
  write_back: open,
});
export const Explanation = z.object({ entity: z.string(), key: z.string(), steps: Steps });
export const StoredExplanation = Explanation.extend({
  read_at: orNull(time).describe('When the service was last read completely.'),
  plan: orNull(z.string()).describe('The plan that `action` and `guard` belong to.'),
});

export const FoundPeople = z.object({
  found: list(
    z.object({
      key: orNull(z.string()).describe('Null for an object of the service that no record names.'),
      label: orNull(z.string()),
      active: orNull(z.boolean()).describe('In the service; null if it is not there.'),
      state: orNull(z.string()).describe('The record as its source last delivered it; null if it never did.'),
      starts: orNull(time),
    }),
  ),
  more: z.boolean().describe('There are more.'),
});

const counts = z.record(z.string(), z.unknown());

export const Status = z.object({
  service: z.string(),
  state: z.string(),
  under_way: orNull(UnderWay),
  paused: orNull(Pause),
  runs: list(Run),
  sources: list(
    z.object({
      source: z.string(),
      last_complete_read: orNull(time),
      rows: orNull(z.int()),
      at: orNull(z.string()),
    }),
  ),
  mirror: counts.describe('For each entity the number of objects, `cursor`, and `full_read_at`.'),
  links: z.object({ users: z.int(), customers: z.int(), projects: z.int() }),
  deliveries: list(Delivery).exactOptional(),
  outbox: list(
    z.object({ source: z.string(), records: z.int(), refused: z.int(), lost: z.int(), since: time }),
  ).exactOptional(),
  waiting: list(Waiting),
  held_sources: list(GuardTrip),
  overlooked: list(
    z.object({
      source: z.string(),
      in_use: z.string(),
      at: z.string(),
      arrived: z.string(),
      files: z.int(),
      pattern: z.string().exactOptional(),
    }),
  ).exactOptional(),
  unreadable_names: list(z.object({ source: z.string(), names: list(z.string()), files: z.int() })).exactOptional(),
  open_intents: z.int(),
  pins: z.int(),
  approvals: z.int(),
  audit: z.object({ entries: z.int(), head: orNull(z.string()) }),
});

export const Hold = z.object({
  id: z.string(),
  entity: z.string(),
  key: z.string(),
  place: z.string(),
  code: z.string(),
  reason: z.string(),
  remedy: z.string(),
  field: z.string().exactOptional(),
  conflict: z.string().exactOptional(),
  relink: z.object({ key: z.string(), id: z.string() }).exactOptional(),
  about: z.string().exactOptional(),
  cause: z.string().exactOptional(),
  count: z.int().exactOptional(),
  acknowledged: Acknowledgement.exactOptional(),
  decidable: z.boolean().describe('True if a person may decide which side is right.'),
  since: time,
});
export const HoldList = z.object({ plan: orNull(z.string()), holds: list(Hold), waiting: list(Waiting) });
export const OneHold = z.object({ hold: Hold });

export const GivenAcknowledgement = z.object({
  acknowledged: z.string(),
  holds: z.int(),
  who: z.string(),
  reason: z.string(),
  until: orNull(time),
  at: time,
});
export const RevokedAcknowledgement = z.object({ revoked: z.string(), who: z.string(), reason: z.string() });
export const ResolvedHold = z.object({
  resolved: z.string(),
  take: z.string(),
  who: z.string(),
  reason: z.string(),
});

export const Approval = z.object({
  id: z.string(),
  changes: z.int(),
  guards: list(z.string()),
  who: z.string(),
  reason: z.string(),
  at: time,
  expires: time,
  plan: orNull(z.string()).describe('The plan that the approver saw.'),
  waits_for_second: z.boolean(),
  until_next_run: z.boolean().describe('Also valid after `expires`, until the next run that may write has ended.'),
});
const OldApproval = Approval.omit({ waits_for_second: true, until_next_run: true }).extend({ because: z.string() });
export const ApprovalList = z.object({ approvals: list(Approval), lapsed: list(OldApproval).exactOptional() });
export const GivenApproval = z.object({
  approval: z.string(),
  plan: z.string(),
  approved: z.int(),
  already: z.int(),
  waiting_for_second: z.int(),
  left_out: list(z.object({ changes: z.int(), because: z.string() })),
  guards: list(z.string()),
  causes: list(z.object({ guard: z.string(), cause: z.string(), detail: z.string(), preview: open })),
  who: z.string(),
  reason: z.string(),
  expires: time,
  until_next_run: z.boolean(),
  whole: orNull(z.string()),
  before: orNull(z.object({ id: z.string(), who: z.string() })),
  undoes: orNull(z.string()),
});
export const RevokedApproval = z.object({
  revoked: z.string(),
  changes: z.int(),
  who: z.string(),
  reason: z.string(),
});

export const DeclineList = z.object({
  declines: list(
    z.object({
      id: z.string(),
      changes: z.int(),
      actions: list(z.string()),
      who: z.string(),
      reason: z.string(),
      at: time,
      until: orNull(time).describe('Null if it lasts until the source value changes.'),
      day: orNull(z.string()).describe("The same in the tenant's time zone."),
      plan: z.string(),
      values: list(
        z.object({ of: z.string(), key: z.string(), path: z.string(), action: z.string(), change: z.string() }),
      ),
    }),
  ),
});
export const GivenDecline = z.object({
  decline: z.string(),
  plan: z.string(),
  declined: z.int(),
  changes: list(
    z.object({
      id: z.string(),
      of: z.string(),
      action: z.string(),
      key: z.string(),
      label: z.string(),
      fields: list(z.string()),
    }),
  ),
  who: z.string(),
  reason: z.string(),
  until: orNull(time),
  day: orNull(z.string()),
  ends: list(z.string()).describe('Approvals of the same changes that this decline ended.'),
});
export const RevokedDecline = z.object({
  revoked: z.string(),
  changes: z.int(),
  who: z.string(),
  reason: z.string(),
});

export const GivenPause = z.object({ paused: Pause, under_way: orNull(UnderWay) });
export const EndedPause = z.object({ resumed: Pause, by: z.string(), reason: z.string() });

export const AuditLine = z
  .object({ seq: z.int(), hash: z.string(), kind: z.string() })
  .meta({ additionalProperties: true, description: 'One entry; docs/reference/audit.md describes each kind.' });
export const AuditList = z.object({
  entries: list(AuditLine),
  earlier: z.int().exactOptional().describe('Number of older entries that are left out.'),
  counts: z
    .object({
      changes: z.record(z.string(), z.record(z.string(), z.int())).describe('By entity and action.'),
      kinds: z.record(z.string(), z.int()),
    })
    .exactOptional(),
});
export const AuditProof = z.object({
  ok: z.boolean(),
  entries: z.int(),
  head: z.string(),
  erased: z.int(),
  checkpoint: orNull(z.object({ seq: z.int(), hash: z.string(), at: time })),
  known: z.object({ head: z.string(), seq: z.int() }).exactOptional(),
  broken: z.object({ seq: z.int(), reason: z.string() }).exactOptional(),
});

export const MessageList = z.object({
  events: list(
    z.object({
      id: z.string(),
      kind: z.string(),
      of: z.string(),
      code: orNull(z.string()),
      count: z.int(),
      since: time,
      told: time,
      run: orNull(z.string()),
    }),
  ),
  channels: list(
    z.object({
      channel: z.string(),
      type: z.string(),
      waiting: z.int(),
      oldest: orNull(time),
      sent: z.int(),
      failed: z.int(),
      lapsed: z.int(),
      sent_at: orNull(time),
      failing_since: orNull(time),
      failure: orNull(z.string()),
      times: z.int(),
      next_at: orNull(time),
    }),
  ),
});

const Asked = z.object({
  kind: z.enum(['plan', 'run', 'deliveries']),
  by: z.string(),
  asked_at: time,
  state: z.enum(['queued', 'running', 'ended']),
  result: orNull(z.string()).describe('Id of the run or plan.'),
  problem: orNull(z.string()).describe('Why there is no result.'),
});
const Progress = z.object({ step: z.string(), of: z.string(), done: z.number(), total: orNull(z.number()) });

export const Now = z.object({ phase: orNull(z.string()), progress: orNull(Progress), asked: orNull(Asked) });

export const CommandError = z.object({
  code: z.string(),
  message: z.string(),
  place: orNull(z.string()),
  remedy: z.string(),
  problems: list(Problem).exactOptional(),
});

export const Work = Asked.extend({
  id: z.string().describe('The id to use when you ask for the result.'),
  progress: orNull(Progress),
  document: orNull(openObject).describe('The document of `plan --json` or `sync --json`; null before the end.'),
  text: orNull(z.string()).describe('The same result as text for people, if you asked for it.'),
  exit_code: orNull(z.int()).describe('The exit code that the command would have.'),
  error: orNull(CommandError).describe('Why there is no result.'),
});

export const UndoWork = z.object({
  plan: z.string(),
  run: z.string().describe('The run that is undone.'),
  confirmed: z.boolean().describe('False if a second person has to confirm the plan.'),
  work: orNull(Work).describe('The run that undoes it; null while a second person has to confirm it.'),
});

export const Plan = z.object({
  plan: z.string(),
  file: z.string(),
  fingerprint: z.string(),
  expires: time,
  undoes: z.string().exactOptional(),
  counts: openObject.describe('Entity → action → how many.'),
  to_sources: open.exactOptional(),
  cost: z.object({
    writes: z.int(),
    reads: z.int(),
    by_endpoint: z.record(z.string(), z.int()).readonly(),
    seconds: z.number(),
    mails: z.int().exactOptional(),
    sources: open.exactOptional(),
  }),
  held: list(open),
  conflicts: list(open),
  guards: list(GuardTrip),
  declined: list(open).exactOptional().describe('Changes that a person has declined; they are not counted.'),
  bulk_load: open.exactOptional(),
  deliveries: list(open).exactOptional(),
  adoption: list(open).exactOptional(),
  understood: open.exactOptional(),
});

const compared = { in_force: z.int(), edited: z.int() };

export const Preview = z.object({
  at: time,
  paths: list(z.string()).describe('The paths where the edited configuration differs from the current one.'),
  counts: list(z.object({ entity: z.enum(ENTITIES), action: z.enum(ACTIONS), ...compared })),
  fields: list(z.object({ entity: z.enum(ENTITIES), field: z.string(), ...compared })).describe('Updates by field.'),
  to_sources: list(z.object({ source: z.string(), ...compared })).describe(
    'Records of the source with values to write back.',
  ),
  held: z.object(compared).describe('Records that are set aside.'),
  guards: list(
    z.object({
      ...{ guard: z.string(), limit: z.number(), found: z.number(), held: z.int(), held_in_force: z.int() },
      ...{ cause: z.string(), detail: z.string() },
    }),
  ).describe('The guards that would hold changes.'),
  stopped: list(z.object({ entity: z.enum(ENTITIES), message: z.string().exactOptional() })),
  sources: list(z.object({ source: z.string(), rows: z.int(), complete: z.boolean() })),
  changes: list(
    z.object({
      ...{ entity: z.enum(ENTITIES), action: z.enum(ACTIONS), key: z.string(), label: z.string() },
      fields: list(z.object({ field: z.string(), before: orNull(z.string()), after: orNull(z.string()) })),
    }),
  )
    .exactOptional()
    .describe('Changes that the current configuration would not make, if you asked for values.'),
  more: z.int().exactOptional(),
});

export const Configuration = z.object({
  file: orNull(z.string()),
  digest: orNull(z.string()),
  text: orNull(z.string()).describe('The active configuration, as in its file. Secrets are references.'),
  refused: orNull(CommandError).describe('The error in the configuration on disk.'),
});

export const Session = z.object({
  who: z.string(),
  name: z.string(),
  via: z.enum(['openid', 'proxy', 'token', 'loopback']),
  csrf: z.string().describe('For `x-csrf-token`, if the log-in is a cookie.'),
});

export const TenantList = z.object({
  tenants: list(
    z.object({
      tenant: z.string(),
      role: z.enum(ROLES),
      pseudonyms: z.boolean(),
      phase: orNull(z.string()).describe('Null until there is a usable configuration.'),
      because: orNull(z.string()).describe('Why it does not work, or why its configuration was rejected.'),
      waiting: orNull(z.int()).describe('Null for a role that may not read it.'),
      last_good_run: orNull(time),
      next_run: orNull(time),
    }),
  ),
});
