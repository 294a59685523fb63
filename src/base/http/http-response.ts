/** The parts of an HTTP answer that this program uses. A `fetch` `Response` has them all. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** The decompressed body; null if there is none. */
  readonly body: HttpBody | null;
}

export interface HttpHeaders {
  get(name: string): string | null;
  has(name: string): boolean;
}

export interface HttpBody {
  getReader(): BodyReader;
  /** Discards the unread rest of the body. */
  cancel(): Promise<void>;
}

export interface BodyReader {
  read(): Promise<{ readonly done?: boolean | undefined; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
