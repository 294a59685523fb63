import { type DropPlace, resolveDrop } from '../../base/settings/resolve-drop.js';
import type { ProblemSink, Resolving, YamlPath } from '../../base/settings/resolving.js';
import { trimSlash } from '../../base/settings/trim-slash.js';
import { type FileStreamConfig, resolveFileStream } from '../drop/resolve-file-stream.js';
import { resolveHttpAccess } from '../http/resolve-http.js';
import type { ListedStreamConfig } from '../listed/listed-stream.js';
import { resolveRequestWriteBack } from '../listed/resolve-call-write-back.js';
import { resolvePreset } from '../listed/resolve-preset.js';
import { resolvePlain } from './resolve-plain.js';
import type { CrmInput, StreamInput } from './schema.js';
import { checkStreamKeys } from './stream-keys.js';
import { FORMS, readForm } from './stream-write-back.js';
import { systemOf } from './systems.js';
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

/** Checks that a source uses files, streams over HTTP or a preset, but not a mixture. */
function checkCrm(path: YamlPath, input: CrmInput, report: ProblemSink): void {
  const { preset, streams = {} } = input;
  if (input.drop === undefined) checkAddress(path, input, report);
  else checkDrop(path, input, report);
  if (preset === undefined && Object.keys(streams).length === 0) {
    report.add(
      [...path, 'streams'],
      'no stream is declared',
      'Declare what is read, as in `streams: { companies: { … } }`.',
    );
  }
  for (const name of Object.keys(streams).filter((one) => !/^[A-Za-z_]\w*$/.test(one))) {
    const at = [...path, 'streams', name];
    report.add(at, `\`${name}\` cannot be the name of a stream`, 'Use letters, digits and _.', 'key');
  }
}

function checkDrop(path: YamlPath, input: CrmInput, report: ProblemSink): void {
  for (const key of ['base_url', 'preset', 'api_version', 'auth', 'tls', 'proxy'] as const) {
    if (input[key] === undefined) continue;
    const message = `\`${key}\` has no effect together with \`drop\``;
    report.add([...path, key], message, 'Files and HTTP are two sources; give each its own name.', 'key');
  }
}

function checkAddress(path: YamlPath, { sftp, base_url: baseUrl, preset }: CrmInput, report: ProblemSink): void {
  if (sftp !== undefined) {
    report.add([...path, 'sftp'], '`sftp` has no effect without `drop`', 'Name the folder as `drop: sftp://…`.', 'key');
    return;
  }
  if (baseUrl !== undefined || (preset !== undefined && VENDORS[preset].preset.baseUrl !== null)) return;
  const message = `\`${preset === undefined ? 'drop` or `base_url' : 'base_url'}\` is missing`;
  report.add(path, message, 'Name the folder of the files, or the address of the system.', 'key');
}

function resolveFiles(path: YamlPath, { streams = {} }: CrmInput, place: DropPlace, resolving: Resolving) {
  const resolved = Object.entries(streams).map(([name, stream]): [string, FileStreamConfig] => {
    const at = [...path, 'streams', name];
    checkStreamKeys(at, stream, 'files', resolving.report);
    const { pattern = '*', key = '', columns = {}, rows = '' } = stream;
    const write_back = readForm(FORMS.files, [...at, 'write_back'], stream.write_back, resolving.report);
    return [name, resolveFileStream(at, { ...stream, pattern, key, columns, rows, write_back }, place, resolving)];
  });
  return Object.fromEntries(resolved);
}

function resolveVersion(path: YamlPath, input: CrmInput, report: ProblemSink): string | null {
  const { preset: vendor, api_version: given } = input;
  const known = vendor === undefined ? undefined : VENDORS[vendor].preset.version;
  if (known === undefined) {
    const message = `\`api_version\` has no effect ${vendor === undefined ? 'without a `preset`' : 'for this vendor'}`;
    if (given !== undefined) report.add(path, message, 'Remove it.', 'key');
    return null;
  }
  const { usual, form, like } = known;
  if (given === undefined || form.test(given)) return given ?? usual;
  report.add(path, `\`${given}\` is not a version of this vendor's interface`, `Write it as ${like}.`);
  return usual;
}

/** Defaults for a preset's stream that is not in the configuration. */
const UNCONFIGURED: StreamInput = { settle: '60s', after: 'leave' };

function resolveListed(path: YamlPath, input: CrmInput, resolving: Resolving) {
  const { report } = resolving;
  const { preset: vendor, streams = {} } = input;
  const preset = vendor === undefined ? null : VENDORS[vendor].preset;
  const baseUrl = trimSlash(input.base_url ?? preset?.baseUrl ?? '');
  const access = resolveHttpAccess(path, input, resolving);
  const version = resolveVersion([...path, 'api_version'], input, report);
  const names = new Set([...Object.keys(preset?.streams ?? {}), ...Object.keys(streams)]);
  const resolved = [...names].map((name): [string, ListedStreamConfig] => {
    const at = [...path, 'streams', name];
    const stream = streams[name] ?? UNCONFIGURED;
    checkStreamKeys(at, stream, vendor === undefined ? 'plain' : 'preset', report);
    const listed =
      vendor === undefined
        ? resolvePlain(at, stream, report)
        : resolvePreset(at, { name, ...stream }, { vendor, preset: VENDORS[vendor].preset }, report);
    const form = readForm(FORMS.calls, [...at, 'write_back'], stream.write_back, report);
    const writeBack = resolveRequestWriteBack(
      [...at, 'write_back'],
      form,
      { system: systemOf(listed), stream: listed },
      report,
    );
    return [name, { baseUrl, access, version, ...listed, writeBack }];
  });
  return Object.fromEntries(resolved);
}
