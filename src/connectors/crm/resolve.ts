import { type DropPlace, resolveDrop } from '../../settings/resolve-drop.js';
import type { ProblemSink, Resolving, YamlPath } from '../../settings/resolving.js';
import { trimSlash } from '../../settings/trim-slash.js';
import { type FileStreamConfig, resolveFileStream } from '../drop/resolve-file-stream.js';
import { resolveHttpAccess } from '../http/resolve-http.js';
import type { ListedStreamConfig } from './listed-stream.js';
import { resolvePlain } from './plain/resolve.js';
import { resolveRequestWriteBack } from './resolve-call-write-back.js';
import type { CrmInput } from './schema.js';
import { checkStreamKeys } from './stream-keys.js';
import { readCallForm, readFileForm } from './stream-write-back.js';
import { resolvePreset } from './vendors/resolve-preset.js';
import { VENDORS } from './vendors/vendors.js';

export interface CrmSourceConfig {
  readonly type: 'crm';
  readonly streams: Readonly<Record<string, FileStreamConfig | ListedStreamConfig>>;
}

export function resolveCrm(path: YamlPath, input: CrmInput, resolving: Resolving): CrmSourceConfig {
  checkCrm(path, input, resolving.report);
  const { drop, sftp } = input;
  if (drop === undefined) return { type: 'crm', streams: resolveListed(path, input, resolving) };
  const place = resolveDrop(path, { drop, sftp }, resolving);
  return { type: 'crm', streams: resolveFiles(path, input, place, resolving) };
}

/** A source is files, streams over HTTP or a preset; two of them do not mix. */
function checkCrm(path: YamlPath, input: CrmInput, report: ProblemSink): void {
  const { drop, base_url: baseUrl, preset, streams } = input;
  if (drop !== undefined) {
    for (const key of ['base_url', 'preset', 'auth', 'tls', 'proxy'] as const) {
      if (input[key] === undefined) continue;
      const message = `\`${key}\` means nothing together with \`drop\``;
      report.add([...path, key], message, 'Files and HTTP are two sources: give each a name of its own.', 'key');
    }
  } else if (input.sftp !== undefined) {
    report.add([...path, 'sftp'], '`sftp` means nothing without `drop`', 'Name the folder as `drop: sftp://…`.', 'key');
  } else if (baseUrl === undefined && (preset === undefined || VENDORS[preset].preset.baseUrl === null)) {
    const message = `\`${preset === undefined ? 'drop` or `base_url' : 'base_url'}\` is missing`;
    report.add(path, message, 'Name the folder of the files, or the address of the system.', 'key');
  }
  if (preset === undefined && Object.keys(streams ?? {}).length === 0) {
    report.add([...path, 'streams'], 'no stream is named', 'Name what is read, as `streams: { companies: { … } }`.');
  }
  for (const name of Object.keys(streams ?? {})) {
    if (/^[A-Za-z_]\w*$/.test(name)) continue;
    const at = [...path, 'streams', name];
    report.add(at, `\`${name}\` cannot be the name of a stream`, 'Use letters, digits and _.', 'key');
  }
}

function resolveFiles(
  path: YamlPath,
  { streams = {} }: CrmInput,
  place: DropPlace,
  resolving: Resolving,
): Readonly<Record<string, FileStreamConfig>> {
  const resolved = Object.entries(streams).map(([name, stream]) => {
    const at = [...path, 'streams', name];
    checkStreamKeys(at, stream, 'files', resolving.report);
    const { pattern = '*', key = '', columns = {}, rows = '' } = stream;
    const write_back = readFileForm([...at, 'write_back'], stream.write_back, resolving.report);
    return [name, resolveFileStream(at, { ...stream, pattern, key, columns, rows, write_back }, place, resolving)];
  });
  return Object.fromEntries(resolved);
}

function resolveListed(
  path: YamlPath,
  input: CrmInput,
  resolving: Resolving,
): Readonly<Record<string, ListedStreamConfig>> {
  const { report } = resolving;
  const { preset: vendor } = input;
  const preset = vendor === undefined ? null : VENDORS[vendor].preset;
  const common = {
    baseUrl: trimSlash(input.base_url ?? preset?.baseUrl ?? ''),
    access: resolveHttpAccess(path, input, resolving),
  };
  const names = new Set([...Object.keys(preset?.streams ?? {}), ...Object.keys(input.streams ?? {})]);
  const resolved: Record<string, ListedStreamConfig> = {};
  for (const name of names) {
    const at = [...path, 'streams', name];
    const stream = input.streams?.[name] ?? { settle: '60s', after: 'leave' as const };
    checkStreamKeys(at, stream, vendor === undefined ? 'plain' : 'preset', report);
    const listed =
      vendor === undefined ? resolvePlain(at, stream, report) : resolvePreset(at, { name, ...stream }, vendor, report);
    const form = readCallForm([...at, 'write_back'], stream.write_back, report);
    resolved[name] = {
      ...common,
      ...listed,
      writeBack: resolveRequestWriteBack([...at, 'write_back'], form, listed, report),
    };
  }
  return resolved;
}
