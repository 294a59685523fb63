import { describe, expect, test } from 'vitest';
import { readFormFields, requireUpload } from '../../../src/sandbox/calls/multipart.js';

describe('multipart bodies', () => {
  const FORM = { contentType: 'multipart/form-data', boundary: 'b', bytes: undefined };
  const build = (...parts: string[]) => Buffer.from(`${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`);

  test('find the first file after other fields, with its bytes unchanged', () => {
    const body = build(
      'Content-Disposition: form-data; name="note"\r\n\r\nnot a file',
      'Content-Disposition: form-data; name="file"; filename="a b.bin"\r\nContent-Type: image/png\r\n\r\nx\r\ny\r\n',
    );
    const upload = requireUpload({ ...FORM, bytes: body });
    expect(upload).toMatchObject({ file_name: 'a b.bin', content_type: 'image/png' });
    expect(upload.bytes.toString()).toBe('x\r\ny\r\n');
    expect([...readFormFields({ ...FORM, bytes: body })]).toEqual([['note', 'not a file']]);
  });

  test('contain no file without a file part, a chosen file, a boundary or a body', () => {
    const field = build('Content-Disposition: form-data; name="note"\r\n\r\ntext');
    const nobody = build('Content-Disposition: form-data; name="file"; filename=""\r\n\r\n');
    for (const sent of [{ bytes: field }, { bytes: nobody }, { bytes: field, boundary: undefined }, {}])
      expect(() => requireUpload({ ...FORM, ...sent })).toThrow('the form has no part with a file');
  });
});
