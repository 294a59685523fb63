/** A wrong command line, in the form in which `--json` tells every error. */
export function formatUsageError(message: string): string {
  const error = {
    code: 'SYNC_CLI_USAGE',
    message: message.replace(/^error: /, ''),
    place: 'command line',
    remedy: '`talent-sync --help` and `talent-sync <command> --help` show what there is.',
  };
  return `${JSON.stringify({ error }, null, 2)}\n`;
}
