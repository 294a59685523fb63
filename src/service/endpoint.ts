/** The effect on the account: `read` does not change it, `write` does; a `link` is for a browser and is never sent. */
export type EndpointKind = 'read' | 'write' | 'link';
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * How to continue after a lost answer: `idempotent` sends the call again, because twice has the same effect as once.
 * `probe` first reads whether the call was carried out. `hold` leaves the call to a person, because no read shows its
 * outcome.
 */
export type Repeat = 'idempotent' | 'probe' | 'hold';

/** Endpoints that share a limit; `download` has its own, in addition to the account's (spec, Limits). */
export type LimiterFamily = 'general' | 'download';

export interface Endpoint {
  readonly method: HttpMethod;
  /** Path with `{name}` for its parameters, as in the spec. */
  readonly path: string;
  readonly kind: EndpointKind;
  readonly repeat: Repeat;
  /**
   * True if the endpoint carries or returns multilingual values or language codes; it gets `use_legacy_codes=false`
   * (spec, Conventions 4).
   */
  readonly multilingual: boolean;
  readonly family: LimiterFamily;
  readonly answer: AnswerKind;
}

/** The kind of answer: one `object` · one `page` of a list · a `list` without pages. */
export type AnswerKind = 'object' | 'page' | 'list';

/**
 * Returns how a call may be repeated. A call that sends an e-mail is never repeated without a look, even if its row
 * allows it, because the person would get two e-mails.
 */
export function repeatOf<R extends Repeat>({ repeat }: { readonly repeat: R }, mails: boolean): R | 'probe' {
  return mails && repeat === 'idempotent' ? 'probe' : repeat;
}

export type EndpointOf<K extends EndpointKind> = Endpoint & { readonly kind: K };

/** `plain`: neither the request nor the answer has multilingual values, so the spec names no query for the endpoint. */
type AnswerShape = 'multilingual' | 'plain';

type Row = Pick<Endpoint, 'method' | 'path' | 'repeat'>;

function build<K extends EndpointKind>(kind: K, shape: AnswerShape, row: Row): EndpointOf<K> {
  return { ...row, kind, multilingual: shape === 'multilingual', family: 'general', answer: 'object' };
}

/** A GET request. */
export function read(path: string, shape: AnswerShape = 'multilingual'): EndpointOf<'read'> {
  return build('read', shape, { method: 'GET', path, repeat: 'idempotent' });
}

/** A POST request that changes nothing: a search whose query does not fit in the URL. */
export function ask(path: string): EndpointOf<'read'> {
  return build('read', 'multilingual', { method: 'POST', path, repeat: 'idempotent' });
}

/** A POST request. Creates are not idempotent, and answer 200 like all other calls. */
export function create(path: string, shape: AnswerShape = 'multilingual', repeat: Repeat = 'probe') {
  return build('write', shape, { method: 'POST', path, repeat });
}

/** A PUT request. */
export function change(path: string, shape: AnswerShape = 'multilingual', repeat: Repeat = 'idempotent') {
  return build('write', shape, { method: 'PUT', path, repeat });
}

/** A DELETE request. It answers 204 without a body. */
export function remove(path: string, repeat: Repeat = 'idempotent'): EndpointOf<'write'> {
  return build('write', 'plain', { method: 'DELETE', path, repeat });
}

export function inPages<K extends EndpointKind>(row: EndpointOf<K>): EndpointOf<K> {
  return { ...row, answer: 'page' };
}

export function asList<K extends EndpointKind>(row: EndpointOf<K>): EndpointOf<K> {
  return { ...row, answer: 'list' };
}

/** A file download, which has its own limit. */
export function asFile(path: string): EndpointOf<'read'> {
  return { ...read(path), family: 'download' };
}
