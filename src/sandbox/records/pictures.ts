import { isJsonObject } from '../../model/json.js';
import type { World } from '../account/world.js';
import { refuse } from '../fields/refusal.js';
import { readTexts } from '../fields/values.js';
import type { CvDocument } from '../store/cv-documents.js';
import type { ImageDocument, UserDocument } from '../store/documents.js';
import type { ProjectDocument } from '../store/project-documents.js';
import { createId } from '../store/store.js';
import { createFileWriter, removeFile } from '../store/stored-files.js';

export interface PictureSize {
  readonly type: 'png' | 'jpg';
  readonly width: number;
  readonly height: number;
}

/** Type and pixel size of a PNG or JPEG; undefined for anything else, including damaged files. */
export function readPictureSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.length > 24 && bytes.toString('latin1', 1, 4) === 'PNG' && bytes.toString('latin1', 12, 16) === 'IHDR') {
    return checkSize('png', bytes.readUInt32BE(16), bytes.readUInt32BE(20));
  }
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  // A segment consists of a marker, a length that includes its own two bytes, and content. A frame header has the size.
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at);
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return checkSize('jpg', bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
  }
  return undefined;
}

function checkSize(type: PictureSize['type'], width: number, height: number): PictureSize | undefined {
  return width > 0 && height > 0 ? { type, width, height } : undefined;
}

/** Decodes base64, with or without the prefix of a data URL. */
export function decodePicture(base64: string): Buffer {
  return Buffer.from(base64.replace(/^data:[^,]*,/, ''), 'base64');
}

/** Stores a picture given in base64. Returns the id of its file. */
export function keepPicture(world: World, base64: string): string {
  return keepPictureBytes(world, decodePicture(base64));
}

export function keepPictureBytes(world: World, bytes: Buffer): string {
  const { type } = readPictureSize(bytes) ?? refuse(422, 'a picture must be a PNG or a JPEG');
  const content_type = type === 'png' ? 'image/png' : 'image/jpeg';
  const id = createId();
  const writer = createFileWriter(world.store, { id, file_name: `${id}.${type}`, content_type });
  writer.write(bytes);
  writer.finish();
  return id;
}

/** Stores images in the form of fixtures: `{ image, caption }`. */
export function keepImages(world: World, images: unknown): readonly ImageDocument[] {
  if (!Array.isArray(images) || !images.every((one) => isJsonObject(one)))
    return refuse(422, 'images must be a list of objects');
  return images.map((body) => {
    if (typeof body.image !== 'string') return refuse(422, 'an image needs its picture in base64');
    return {
      id: createId(),
      image_id: keepPicture(world, body.image),
      caption: readTexts(body, 'caption', 'iso') ?? {},
    };
  });
}

export function removeProjectFiles(world: World, { attachments, images }: ProjectDocument): void {
  const pictures = Object.values(images ?? {}).flatMap((list) => list.map(({ image_id }) => image_id));
  for (const id of [...attachments.map(({ id }) => id), ...pictures]) removeFile(world.store, id);
}

/** Deletes the files of a user and their master CV; tailored CVs have no copies of pictures. */
export function removeUserFiles(world: World, { image_id }: UserDocument, cv: CvDocument | undefined): void {
  const images = (cv?.sections.project_experiences ?? []).flatMap((section) => section.images ?? []);
  for (const id of [image_id, ...images.map((image) => image.image_id)]) if (id) removeFile(world.store, id);
}
