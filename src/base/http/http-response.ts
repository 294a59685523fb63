/** What is read of an answer over HTTP; a `Response` of `fetch` is one. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Decompressed; null where there is none. */
  readonly body: HttpBody | null;
}

export interface HttpHeaders {
  get(name: string): string | null;
  has(name: string): boolean;
}

export interface HttpBody {
  getReader(): BodyReader;
  /** Gives up what was not read. */
  cancel(): Promise<void>;
}

export interface BodyReader {
  read(): Promise<{ readonly done?: boolean | undefined; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
