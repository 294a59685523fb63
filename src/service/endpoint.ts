/** What is done to the account: `read` leaves it as it is, `write` does not; a `link` is for a browser, never sent. */
export type EndpointKind = 'read' | 'write' | 'link';
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * What may be done when the answer was lost:
 * `idempotent` send it again: sent twice it leaves the account as sent once ·
 * `probe` look first whether it happened: a read shows it ·
 * `hold` leave it to a person: no read shows it.
 */
export type Repeat = 'idempotent' | 'probe' | 'hold';

/** As `endpoints.tsv` of the spec groups them. */
export type EndpointGroup =
  | 'users'
  | 'countries'
  | 'cvs'
  | 'tags'
  | 'customers'
  | 'projects'
  | 'linking'
  | 'proposals'
  | 'reports'
  | 'exports'
  | 'ui';

/** Endpoints that share a limit: `download` has one of its own beside the account's (spec, Limits). */
export type LimiterFamily = 'general' | 'download';

export interface Endpoint {
  readonly method: HttpMethod;
  /** Path with `{name}` for its parameters, as in the spec. */
  readonly path: string;
  readonly kind: EndpointKind;
  readonly repeat: Repeat;
  readonly group: EndpointGroup;
  /** Carries or returns multilingual values or language codes: gets `use_legacy_codes=false` (spec, Conventions 4). */
  readonly multilingual: boolean;
  readonly family: LimiterFamily;
  readonly answer: AnswerKind;
}

/** How much is answered: one `object` · one `page` of a list · a `list` that has no pages. */
export type AnswerKind = 'object' | 'page' | 'list';

export type EndpointOf<K extends EndpointKind> = Endpoint & { readonly kind: K };

/** `plain`: no multilingual value goes either way, so the spec names no query for it. */
type AnswerShape = 'multilingual' | 'plain';

export interface RowBuilders {
  /** GET. */
  read(path: string, shape?: AnswerShape): EndpointOf<'read'>;
  /** POST that changes nothing: a search, whose question does not fit in a query. */
  ask(path: string, shape?: AnswerShape): EndpointOf<'read'>;
  /** POST. Creates are not idempotent and answer 200 like everything else: `probe` unless told. */
  create(path: string, shape?: AnswerShape, repeat?: Repeat): EndpointOf<'write'>;
  /** PUT: `idempotent` unless told. */
  change(path: string, shape?: AnswerShape, repeat?: Repeat): EndpointOf<'write'>;
  /** DELETE: `idempotent` unless told. Answered 204 with nothing in it. */
  remove(path: string, repeat?: Repeat): EndpointOf<'write'>;
}

export function buildRows(group: EndpointGroup, family: LimiterFamily = 'general'): RowBuilders {
  const build = <K extends EndpointKind>(
    kind: K,
    shape: AnswerShape,
    row: Pick<Endpoint, 'method' | 'path' | 'repeat'>,
  ): EndpointOf<K> => ({ ...row, kind, group, multilingual: shape === 'multilingual', family, answer: 'object' });
  const repeat = 'idempotent';
  return {
    read: (path, shape = 'multilingual') => build('read', shape, { method: 'GET', path, repeat }),
    ask: (path, shape = 'multilingual') => build('read', shape, { method: 'POST', path, repeat }),
    create: (path, shape = 'multilingual', repeat = 'probe') => build('write', shape, { method: 'POST', path, repeat }),
    change: (path, shape = 'multilingual', repeat = 'idempotent') =>
      build('write', shape, { method: 'PUT', path, repeat }),
    remove: (path, repeat = 'idempotent') => build('write', 'plain', { method: 'DELETE', path, repeat }),
  };
}

export function inPages<K extends EndpointKind>(row: EndpointOf<K>): EndpointOf<K> {
  return { ...row, answer: 'page' };
}

export function asList<K extends EndpointKind>(row: EndpointOf<K>): EndpointOf<K> {
  return { ...row, answer: 'list' };
}
