/** Describes an invalid command line in the form of all errors under `--json`. */
export function describeUsageError(message: string): { readonly error: object } {
  const error = {
    code: 'SYNC_CLI_USAGE',
    message: message.replace(/^error: /, ''),
    place: 'command line',
    remedy: '`talent-sync --help` and `talent-sync <command> --help` list the commands and options.',
  };
  return { error };
}
