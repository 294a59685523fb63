import type { Deadline } from '../base/http/deadline.js';
import type { HttpResponse } from '../base/http/http-response.js';
import type { ServiceError } from './service-error.js';

/** A file that is being transferred. The caller must read or cancel it, because it holds a socket until then. */
export interface ServiceFile {
  readonly contentType: string | null;
  /** The name given by the service; null if there is none. */
  readonly fileName: string | null;
  /** Bytes; null if the service does not say. */
  readonly length: number | null;
  /**
   * The bytes as they arrive, which can be read only once. If the file breaks off, reading throws a ServiceError, and
   * the bytes so far are incomplete. `Readable.from(file.bytes)` turns them into a Node stream.
   */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Discards the unread bytes. */
  cancel(): Promise<void>;
}

/** @param explain creates the error for a failed read. */
export function openFile(
  response: HttpResponse,
  deadline: Deadline,
  explain: (error: unknown) => ServiceError,
): ServiceFile {
  const reader = response.body?.getReader();
  const encoded = response.headers.has('content-encoding');
  const expected = encoded ? null : readLength(response.headers.get('content-length'));
  deadline.pause();

  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    let done = reader === undefined;
    try {
      while (!done && reader !== undefined) {
        deadline.restart();
        const chunk = await reader.read();
        deadline.pause();
        if (chunk.value !== undefined) yield chunk.value;
        done = chunk.done === true;
      }
    } catch (error) {
      throw explain(error);
    } finally {
      if (!done) await reader?.cancel().catch(() => undefined);
      deadline.release();
    }
  }

  return {
    contentType: response.headers.get('content-type'),
    fileName: readFileName(response.headers.get('content-disposition')),
    length: expected,
    bytes: read(),
    async cancel() {
      deadline.release();
      await reader?.cancel().catch(() => undefined);
    },
  };
}

function readLength(header: string | null): number | null {
  return header !== null && /^\d+$/.test(header) ? Number(header) : null;
}

/** RFC 6266: the extended form takes precedence over the plain one. */
function readFileName(header: string | null): string | null {
  const extended = /filename\*\s*=\s*UTF-8''([^;]+)/i.exec(header ?? '')?.[1];
  if (extended !== undefined) {
    try {
      return decodeURIComponent(extended.trim());
    } catch {
      return extended.trim();
    }
  }
  const plain = /filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(header ?? '');
  return plain?.[1] ?? plain?.[2] ?? null;
}
