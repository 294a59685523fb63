import SCIMMY from 'scimmy';
import { closeAfterTest } from '../../closing.js';
import { startVendor, type VendorReply, type VendorRequest } from '../crm/imitations/vendor-server.js';

export type StoredUser = { readonly id: string } & Readonly<Record<string, unknown>>;

const { User, ServiceProviderConfig } = SCIMMY.Resources;
User.extend(SCIMMY.Schemas.EnterpriseUser, false);
SCIMMY.Config.set({ patch: true, filter: true });

/**
 * SCIMMY, an independent implementation of RFC 7643 and 7644, behind HTTP. The library never removes its handlers, so
 * only one such server can run at a time.
 */
export async function startScimmy(users: readonly StoredUser[]) {
  const store = new Map(users.map((user) => [user.id, user]));
  const meta = { created: new Date(0), lastModified: new Date(0) };
  User.ingress((resource, data) => {
    const user = { ...(JSON.parse(JSON.stringify(data)) as StoredUser), id: resource.id ?? '' };
    store.set(user.id, user);
    return { ...user, meta } as never;
  });
  User.egress((resource) => {
    const all = [...store.values()].map((user) => ({ ...user, meta }));
    if (resource.id === undefined) return (resource.filter?.match(all) ?? all) as never;
    const user = all.find(({ id }) => id === resource.id);
    if (user === undefined) throw new SCIMMY.Types.Error(404, null as never, `Resource ${resource.id} not found`);
    return user as never;
  });

  async function ask({ method, path, query, body }: VendorRequest): Promise<unknown> {
    const at = path.replace('/scim/v2', '');
    if (at === '/ServiceProviderConfig') return new ServiceProviderConfig().read();
    if (at === '/Users') return new User(Object.fromEntries(query) as never).read();
    const user = new User(at.replace('/Users/', ''));
    return method === 'PATCH' ? user.patch(JSON.parse(body) as never) : user.read();
  }

  const refuse = (status: number, rest: object = {}): VendorReply => ({
    status,
    body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: String(status), ...rest },
  });
  const server = await startVendor({
    async answer(request) {
      try {
        const body = await ask(request);
        return body === undefined ? { status: 204 } : { status: 200, body };
      } catch (error) {
        if (!(error instanceof SCIMMY.Types.Error)) throw error;
        return refuse(error.status, { scimType: error.scimType, detail: error.message });
      }
    },
    refuse,
  });
  closeAfterTest(server);
  return { server, store, baseUrl: `${server.url}/scim/v2` };
}
