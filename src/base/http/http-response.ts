/** The used parts of an HTTP answer; a `Response` of `fetch` has them. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Decompressed; null if there is none. */
  readonly body: HttpBody | null;
}

export interface HttpHeaders {
  get(name: string): string | null;
  has(name: string): boolean;
}

export interface HttpBody {
  getReader(): BodyReader;
  /** Discards the unread rest. */
  cancel(): Promise<void>;
}

export interface BodyReader {
  read(): Promise<{ readonly done?: boolean | undefined; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
