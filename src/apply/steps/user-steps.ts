import { observeUser } from '../../mirror/observe.js';
import type { Change } from '../../model/plan.js';
import { buildUserBody, buildUserCreate, sendsMail } from '../bodies.js';
import { type CallContext, type EntityCalls, readText, type Step } from '../step.js';

export const USER_CALLS: EntityCalls = {
  endpoints: ({ action }) => (action === 'create' ? ['createUser'] : ['updateUser']),
  build: buildUserSteps,
};

function buildUserSteps(change: Change, { writer, reader, directory, notify }: CallContext): readonly Step[] {
  const { target } = change;
  const mails = sendsMail(change, notify) ? { mails: true as const } : {};
  if (target === null) {
    return [
      {
        name: 'create',
        endpoint: 'createUser',
        repeat: 'probe',
        ...mails,
        async send() {
          const { value, requestId, status } = await writer.users.create(buildUserCreate(change, directory, notify));
          return { observed: observeUser(value), requestId, status };
        },
        async probe() {
          const external = readText(change.after.external_unique_id);
          const email = readText(change.after.email);
          const found = await reader.users.find(external === '' ? { email } : { external_unique_id: external, email });
          return found === null ? null : observeUser(found);
        },
      },
    ];
  }
  return [
    {
      name: 'update',
      endpoint: 'updateUser',
      repeat: 'idempotent',
      ...mails,
      async send() {
        const { value, requestId, status } = await writer.users.update(
          target,
          buildUserBody(change, directory, notify),
        );
        return { observed: observeUser(value), requestId, status };
      },
      async probe() {
        const found = await reader.users.get(target);
        return found === null ? null : observeUser(found);
      },
    },
  ];
}
