import type { Command, Option } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type CompletedShell = (typeof SHELLS)[number];

/** A command or a group of commands, for shell completion. */
interface CompletedCommand {
  /** Words after the program's name: `holds list`; '' for the program itself. */
  readonly path: string;
  readonly about: string;
  /** Possible next words: commands of a group, or values of an argument. */
  readonly commands: readonly string[];
  readonly options: readonly Pick<Option, 'long' | 'short' | 'description'>[];
}

/** The completion script for a shell, generated from the actual commands. */
export function buildCompletion(program: Command, shell: CompletedShell): string {
  const commands = listCompleted(program, '');
  if (shell === 'fish') return completeFish(commands);
  return shell === 'bash' ? completeBash(commands) : completeZsh(commands);
}

function listCompleted(command: Command, path: string): readonly CompletedCommand[] {
  const own: CompletedCommand = {
    path,
    about: command.description(),
    commands: [
      ...listVisible(command).map((one) => one.name()),
      ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    ],
    options: [
      ...command.options.filter(({ hidden }) => !hidden),
      { long: '--help', short: '-h', description: 'display help' },
    ],
  };
  const below = listVisible(command).flatMap((one) => listCompleted(one, `${path} ${one.name()}`.trim()));
  return [own, ...below];
}

/** Visible subcommands, without the help command of each group. */
function listVisible(command: Command): readonly Command[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.filter((one) => command.commands.includes(one));
}

function wordsOf({ commands, options }: CompletedCommand): string {
  return [...commands, ...options.map(({ long }) => long).filter((long) => long != null)].join(' ');
}

/**
 * Finds the longest path in the words typed so far and offers the words that may follow. Uses syntax that bash and zsh
 * share.
 */
function completeByCase(
  commands: readonly CompletedCommand[],
  typed: string,
  offer: (words: string) => string,
): string {
  const known = commands.filter(({ path }) => path !== '').map(({ path }) => `"${path}"`);
  const words = commands.map((command) => `    "${command.path}") ${offer(wordsOf(command))} ;;`);
  return `_talent_sync() {
  local command="" words_of="" word next
  for word in ${typed}; do
    next="\${command:+$command }$word"
    case "$next" in
      ${known.join('|')}) command="$next" ;;
    esac
  done
  case "$command" in
${words.join('\n')}
  esac`;
}

function completeBash(commands: readonly CompletedCommand[]): string {
  return `# talent-sync completion bash > /etc/bash_completion.d/talent-sync
${completeByCase(commands, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`, (words) => `words_of="${words}"`)}
  COMPREPLY=($(compgen -W "$words_of" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _talent_sync talent-sync
`;
}

function completeZsh(commands: readonly CompletedCommand[]): string {
  return `#compdef talent-sync
# talent-sync completion zsh > "\${fpath[1]}/_talent-sync"
${completeByCase(commands, `"\${(@)words[2,CURRENT-1]}"`, (words) => `compadd -- ${words}`)}
  _files
}
if [ "$funcstack[1]" = "_talent-sync" ]; then _talent_sync "$@"; else compdef _talent_sync talent-sync; fi
`;
}

function completeFish(commands: readonly CompletedCommand[]): string {
  const known = commands.filter(({ path }) => path !== '').map(({ path }) => quote(path));
  const lines = commands.flatMap(({ path, commands: names, options }) => {
    const at = `complete -c talent-sync -n ${quote(`__talent_sync_at "${path}"`)}`;
    const about = (name: string): string => commands.find((one) => one.path === `${path} ${name}`.trim())?.about ?? '';
    return [
      ...names.map((name) => `${at} -f -a ${name} -d ${quote(about(name))}`),
      ...options.flatMap(({ long, short, description }) => {
        const letter = short == null ? '' : ` -s ${short.replace('-', '')}`;
        return long == null ? [] : [`${at}${letter} -l ${long.replace('--', '')} -d ${quote(description)}`];
      }),
    ];
  });
  return `# talent-sync completion fish > ~/.config/fish/completions/talent-sync.fish
function __talent_sync_at
  set -l path ""
  for word in (commandline -opc)[2..]
    set -l next (string trim -- "$path $word")
    contains -- "$next" ${known.join(' ')}; and set path $next
  end
  test "$path" = "$argv[1]"
end
${lines.join('\n')}
`;
}

function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, (one) => `\\${one}`)}'`;
}
