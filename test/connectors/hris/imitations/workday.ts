import {
  type Now,
  Refusal,
  startVendor,
  type VendorReply,
  type VendorRequest,
  type VendorServer,
} from '../../crm/imitations/vendor-server.js';

export const WORKDAY_CLIENT = {
  id: 'imitated-client',
  secret: 'imitated-secret',
  refreshToken: 'imitated-refresh-token',
  user: 'ISU_Talent@acme',
  password: 'imitated-password',
} as const;

const REPORT = '/ccx/service/customreport2/acme/ISU_Talent/Talent_People';
const TOKEN_SECONDS = 3_600;

type Fields = Readonly<Record<string, string | null>>;

export interface WorkdayOptions {
  readonly now?: Now;
  /** Dates end with the zone of the tenant’s servers. */
  readonly zone?: string;
}

export interface Workday extends VendorServer {
  readonly workers: Map<string, Fields>;
  /** People hidden from the integration system user. */
  readonly hidden: Set<string>;
  /** Fields that the security settings hide from the user. */
  readonly unseen: Set<string>;
  put(id: string, fields: Fields): void;
  endTokens(): void;
  revoke(): void;
}

/** Imitates a custom report of Workday as a web service, and the token endpoint. */
export async function createWorkday({ now = Date.now, zone = '' }: WorkdayOptions = {}): Promise<Workday> {
  const workers = new Map<string, Fields>();
  const hidden = new Set<string>();
  const unseen = new Set<string>();
  const tokens = new Map<string, number>();
  let isRevoked = false;

  function answer(request: VendorRequest): VendorReply {
    if (request.path === '/ccx/oauth2/acme/token') return issueToken(request);
    if (request.path !== REPORT) throw refusal(404, 'The report is not there, or is not shared with you.');
    if (!isLetIn(request.headers.authorization ?? '')) throw refusal(401, 'invalid username or password');
    if (isRevoked) throw refusal(403, 'The task submitted is not authorized.');
    if (request.method !== 'GET') throw refusal(405, 'A report is read only.');
    const unknown = [...request.query.keys()].find((name) => name !== 'format');
    if (unknown !== undefined) throw refusal(400, `Invalid prompt ${unknown}`);
    if (request.query.get('format') !== 'json') throw refusal(400, 'This imitation answers JSON alone.');
    const shown = [...workers].filter(([id]) => !hidden.has(id));
    return { status: 200, body: { Report_Entry: shown.map(([, fields]) => show(fields)) } };
  }

  function isLetIn(authorization: string): boolean {
    const basic = Buffer.from(`${WORKDAY_CLIENT.user}:${WORKDAY_CLIENT.password}`).toString('base64');
    if (authorization === `Basic ${basic}`) return true;
    return (tokens.get(authorization.replace(/^Bearer /, '')) ?? 0) > now();
  }

  function issueToken(request: VendorRequest): VendorReply {
    const form = new URLSearchParams(request.body);
    const basic = Buffer.from(`${WORKDAY_CLIENT.id}:${WORKDAY_CLIENT.secret}`).toString('base64');
    if (request.headers.authorization !== `Basic ${basic}`) return { status: 401, body: { error: 'invalid_client' } };
    if (form.get('grant_type') !== 'refresh_token') return { status: 400, body: { error: 'unsupported_grant_type' } };
    if (form.get('refresh_token') !== WORKDAY_CLIENT.refreshToken) {
      return { status: 400, body: { error: 'invalid_grant', error_description: 'The refresh token is not valid.' } };
    }
    const access_token = `workday-token-${tokens.size + 1}`;
    tokens.set(access_token, now() + TOKEN_SECONDS * 1_000);
    return { status: 200, body: { access_token, token_type: 'Bearer', expires_in: TOKEN_SECONDS } };
  }

  /** Omits a field without a value, or that the user may not see. */
  function show(fields: Fields): Fields {
    const seen = Object.entries(fields).filter(([name, value]) => value !== null && !unseen.has(name));
    return Object.fromEntries(
      seen.map(([name, value]) => [name, /_date$/.test(name) && value !== null ? `${value}${zone}` : value]),
    );
  }

  const server = await startVendor({ answer, refuse });
  return Object.assign(server, {
    ...{ workers, hidden, unseen },
    put: (id: string, fields: Fields) => void workers.set(id, { ...workers.get(id), ...fields, id }),
    endTokens: () => tokens.clear(),
    revoke: () => {
      isRevoked = true;
    },
  });
}

function refusal(status: number, error: string): Refusal {
  return new Refusal({ status, body: { error } });
}

function refuse(status: number): VendorReply {
  const { body } = refusal(status, `imitated ${status}`).reply;
  return { status, body, ...(status === 429 ? { headers: { 'retry-after': '5' } } : {}) };
}
